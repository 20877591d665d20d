//go:build linux

package main

import (
	"fmt"
	"strings"
	"time"
)

// row is what was seen of one manager.
type row struct {
	name, version, skipped string
	trees                  []killed
	crash                  crashed
}

// table prints rows as Markdown.
func table(rows []row) string {
	var b strings.Builder
	b.WriteString("| |")
	for _, t := range trees {
		fmt.Fprintf(&b, " %s tree: alive after \"stopped\" |", t.name)
	}
	b.WriteString(" manager killed: job goes on | output | exit code | starts |\n|---|")
	b.WriteString(strings.Repeat("---|", len(trees)+4) + "\n")
	for _, r := range rows {
		if r.skipped != "" {
			fmt.Fprintf(&b, "| %s | skipped: %s %s\n", r.name, oneLine(r.skipped), strings.Repeat("|", len(trees)+4))
			continue
		}
		fmt.Fprintf(&b, "| %s %s |", r.name, r.version)
		for _, k := range r.trees {
			fmt.Fprintf(&b, " %s |", k)
		}
		fmt.Fprintf(&b, " %s |\n", r.crash)
	}
	return b.String()
}

func (k killed) String() string {
	if k.err != nil {
		return "error: " + oneLine(k.err.Error())
	}
	s := fmt.Sprintf("%d of %d (stopped in %s", k.survivors, k.observed, round(k.stopped))
	switch {
	case k.dead == 0:
		s += fmt.Sprintf(", %d alive %s later)", k.left, lasting)
	case k.survivors > 0:
		s += ", dead in " + round(k.dead) + ")"
	default:
		s += ")"
	}
	return s
}

func (c crashed) String() string {
	if c.err != nil {
		return "error: " + oneLine(c.err.Error()) + " | | |"
	}
	goesOn, output, exit := "no", fmt.Sprintf("%d of %d lines", c.lines, crashLines), c.exit
	if c.survived {
		goesOn = "yes"
	}
	if c.lines == crashLines && !c.odd {
		output = "complete"
	} else if c.odd {
		output += ", then another run's"
	}
	switch {
	case exit == "":
		exit = "unknown"
	case c.starts > 1:
		exit += ", of another run"
	}
	return fmt.Sprintf("%s | %s | %s | %d", goesOn, output, exit, c.starts)
}

func round(d time.Duration) string {
	if d < 100*time.Millisecond {
		return d.Round(time.Millisecond).String()
	}
	return d.Round(10 * time.Millisecond).String()
}

func oneLine(s string) string {
	s = strings.Join(strings.Fields(strings.ReplaceAll(s, "|", "/")), " ")
	return s[:min(len(s), 200)]
}
