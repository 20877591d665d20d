package report

import (
	"fmt"
	"strings"

	"github.com/reeverun/reeve/bench/measure"
	"github.com/reeverun/reeve/bench/plot"
)

// Rows writes what Reeve does, against floor and target, as Markdown.
func Rows(r *Report) string {
	var b strings.Builder
	b.WriteString("| figure | floor | Reeve | ratio | target | |\n|---|---|---|---|---|---|\n")
	for _, row := range r.Rows {
		title := row.Title
		for _, s := range row.Subjects {
			if s.Role != measure.Reeve || s.Skipped != "" || len(s.Rounds) == 0 {
				continue
			}
			for _, t := range targetsOf(row, s.Name) {
				fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s |\n", title, against(row, t), subject(row, s), ratio(row, s, t), asked(row, t), t.Verdict)
				title = ""
			}
		}
	}
	return b.String() + "\n" + r.caption()
}

// targetsOf is what is asked of a subject, or one line that asks nothing.
func targetsOf(row measure.Result, name string) (targets []measure.TargetResult) {
	for _, t := range row.Targets {
		if t.Subject == name {
			targets = append(targets, t)
		}
	}
	if len(targets) == 0 {
		floor, _ := row.Floor()
		targets = append(targets, measure.TargetResult{Target: measure.Target{Subject: name, Of: floor.Name}})
	}
	return targets
}

// against is what a figure is divided by, or the floor where it stands alone.
func against(row measure.Result, t measure.TargetResult) string {
	base, ok := row.Subject(t.Of)
	if !ok {
		base, ok = row.Floor()
	}
	if !ok || len(base.Rounds) == 0 {
		return ""
	}
	return subject(row, base)
}

func subject(row measure.Result, s measure.SubjectResult) string {
	return fmt.Sprintf("%s: %s %s", s.Name, plot.Figure(s.Median), row.Unit)
}

func ratio(row measure.Result, s measure.SubjectResult, t measure.TargetResult) string {
	base, ok := row.Subject(t.Of)
	if !ok || len(base.Rounds) == 0 {
		return ""
	}
	return plot.Figure(s.Median/base.Median) + " ×"
}

func asked(row measure.Result, t measure.TargetResult) string {
	if t.Limit == 0 {
		return ""
	}
	words := bound(row, t.Target)
	words, _, _ = strings.Cut(words, " × ")
	if t.Of != "" {
		words += " ×"
	}
	return words
}

// Peers writes what others do beside Reeve, as Markdown.
func Peers(r *Report) string {
	var b strings.Builder
	b.WriteString("| figure | system | measured | against Reeve |\n|---|---|---|---|\n")
	for _, row := range r.Rows {
		ours, ok := best(row)
		if !ok || !hasPeers(row) {
			continue
		}
		fmt.Fprintf(&b, "| %s | **Reeve**, %s | %s %s | |\n", row.Title, ours.Name, plot.Figure(ours.Median), row.Unit)
		for _, s := range row.Subjects {
			switch {
			case s.Role != measure.Peer:
			case s.Skipped != "":
				fmt.Fprintf(&b, "| | %s | not measured: %s | |\n", s.Name, firstLine(s.Skipped))
			case len(s.Rounds) > 0:
				fmt.Fprintf(&b, "| | %s | %s %s | %s × |\n", noted(s), plot.Figure(s.Median), row.Unit, plot.Figure(s.Median/ours.Median))
			}
		}
	}
	return b.String() + "\n" + r.caption()
}

// noted is a peer and what there is to know of its figures.
func noted(s measure.SubjectResult) string {
	if s.Note == "" {
		return s.Name
	}
	return s.Name + " (" + s.Note + ")"
}

// best is the subject that the row's first target is about, else the first.
func best(row measure.Result) (measure.SubjectResult, bool) {
	if len(row.Targets) > 0 {
		if s, ok := row.Subject(row.Targets[0].Subject); ok && len(s.Rounds) > 0 {
			return s, true
		}
	}
	for _, s := range row.Subjects {
		if s.Role == measure.Reeve && len(s.Rounds) > 0 {
			return s, true
		}
	}
	return measure.SubjectResult{}, false
}

func hasPeers(row measure.Result) bool {
	for _, s := range row.Subjects {
		if s.Role == measure.Peer {
			return true
		}
	}
	return false
}

// caption says where and when.
func (r *Report) caption() string {
	m := r.Machine
	words := fmt.Sprintf("Medians of one run of `make bench` on %s: %s, %d cores, %s, %s, commit %s.", m.Date.Format("2 January 2006"), m.CPU, m.Cores, m.Kernel, m.Go, m.Commit)
	if r.Void {
		words += fmt.Sprintf(" The run is void: the machine moved by %.0f %% while it was made.", r.Moved*100)
	}
	return words + "\n"
}
