//go:build linux

package torture

import (
	"fmt"
	"strings"
	"sync/atomic"
	"time"
)

// proc is one process that was asked for, and all that was asked of it since.
type proc struct {
	name string
	body map[string]any
	id   int64 // 0: its create was never acknowledged

	job      *Job // a command, or
	program  *program
	hostile  bool   // a program that may end as it likes
	nurse    bool   // a supervisor, which ends when it is killed
	children []*Job // of a supervisor
	never    bool   // it was created idle and nobody runs it

	killTried, killed  bool // a kill was sent, was acknowledged
	pauseTried, paused bool // a pause was sent, was acknowledged and not taken back
	pausedOnce         bool
	bytes              int64 // in its log when it was seen paused

	// The daemon was killed, was stopped, the keeper was killed while it may
	// have run. Clients look at them while faults strike.
	orphaned, stopped, shaken atomic.Bool

	judged   int64 // up to this event
	finished bool  // it was seen finished
}

// program is what a program does.
type program struct {
	lines int
	pace  time.Duration
	fails bool

	text, says string // instead of lines: what it does, and what it says by that
	agent      bool   // a model says the line
}

func (p *program) code(name string) string {
	if p.text != "" {
		return fmt.Sprintf("await reeve.services.ledger.tools.enter({ name: %q });\n%s\n", name, p.text)
	}
	text := fmt.Sprintf(`await reeve.services.ledger.tools.enter({ name: %q });
const line = (n: number) => %q + " leader stdout " + String(n).padStart(6, "0");
let sum = 0;
for (let n = 1; n <= %d; n++) {
  console.log(line(n));
  sum += n;
  if (%d > 0) await new Promise((done) => setTimeout(done, Math.random() * %d));
}
reeve.output({ name: %q, sum });
`, name, name, p.lines, p.pace.Milliseconds(), 2*p.pace.Milliseconds(), name)
	if p.fails {
		text += fmt.Sprintf("throw new Error(%q);\n", failure(name))
	}
	return text
}

func failure(name string) string { return name + " fails as it should" }

func (p *program) line(name string, n int) string {
	return fmt.Sprintf("%s leader stdout %06d\n", name, n)
}

// whole is all that it says.
func (p *program) whole(name string) string {
	if p.text != "" {
		return p.says
	}
	var all strings.Builder
	for n := range p.lines {
		all.WriteString(p.line(name, n+1))
	}
	return all.String()
}

// handsOut reports whether its structured output is as foretold.
func (p *program) handsOut(name string, output map[string]any) bool {
	switch {
	case p.agent:
		return output["result"] == strings.TrimSuffix(p.line(name, 1), "\n")
	case p.text != "":
		return len(output) == 0
	}
	return output["name"] == name && output["sum"] == p.sum()
}

func (p *program) sum() float64 { return float64(p.lines * (p.lines + 1) / 2) }

// newProc makes up a process with a name of its own.
func (w *world) newProc(prefix string, body map[string]any) *proc {
	w.count++
	p := &proc{name: fmt.Sprintf("%s%d", prefix, w.count), body: body}
	body["label"] = p.name
	w.procs = append(w.procs, p)
	return p
}

// command makes up a command of a kind that writes a number of lines in about
// the given time.
func (w *world) command(kind Kind, lines int, lasting time.Duration) *proc {
	settings := map[string]any{"grace": 150, "drain": 50}
	body := map[string]any{"environment": "command", "options": settings}
	p := w.newProc(string(kind), body)
	p.job = &Job{Name: p.name, Mark: w.mark, Ledger: w.ledger.file, Kind: kind, Lines: lines, Pace: lasting / time.Duration(lines)}
	command := map[string]any{"program": suite.job, "args": []string{p.job.String(), Leader}}
	switch kind {
	case Family:
		command["leftovers"] = "wait"
	case Fed:
		var stdin strings.Builder
		for n := range lines {
			stdin.WriteString(Line(p.name, Leader, "stdout", n+1))
		}
		command["stdin"] = stdin.String()
	}
	body["command"] = command
	switch w.rand.IntN(6) {
	case 0:
		body["rawOutput"] = "persist-gzip"
	case 1:
		body["interpreter"] = "none"
	}
	return p
}

// script makes up a program.
func (w *world) script(lines int, lasting time.Duration) *proc {
	body := map[string]any{"environment": "typescript", "options": map[string]any{"timeout": 300_000, "grace": 150}}
	p := w.newProc("script", body)
	p.program = &program{lines: lines, pace: lasting / time.Duration(lines), fails: w.rand.IntN(4) == 0}
	body["code"] = p.program.code(p.name)
	return p
}

// chatty makes up a command that talks for a while.
func (w *world) chatty() *proc {
	kinds := []Kind{Plain, Plain, Plain, Stubborn, Family, Litter, Endless}
	lines := 20 + w.rand.IntN(180)
	return w.command(kinds[w.rand.IntN(len(kinds))], lines, time.Duration(lines)*2*time.Millisecond+w.upTo(2*time.Second))
}

// quick makes up something small, of any sort.
func (w *world) quick() *proc {
	switch w.rand.IntN(10) {
	case 0, 1, 2:
		p := w.command(Plain, 3, 0)
		p.body["autorun"], p.never = false, true
		return p
	case 3, 4, 5:
		return w.script(3, 0)
	default:
		return w.command(Plain, 1+w.rand.IntN(5), 0)
	}
}

func (w *world) upTo(d time.Duration) time.Duration { return time.Duration(w.rand.Int64N(int64(d))) }
