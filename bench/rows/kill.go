package rows

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/reeverun/reeve/bench/lab"
	"github.com/reeverun/reeve/bench/measure"
)

func killTree(l *lab.Lab) measure.Row {
	n := l.Size(999, 60) // and their parent
	killed := func(kind string) opener {
		return served(l, func(ctx context.Context, d *lab.Daemon) (float64, error) { return killOne(ctx, d, newTree(kind, n)) })
	}
	return measure.Row{
		ID: "kill-tree", Title: fmt.Sprintf("kill at once of %d processes, to the last one's end, over HTTP", n+1), Unit: "ms", Better: measure.Lower, Rounds: 7,
		Subjects: []measure.Subject{
			{Name: "bare tree", Role: measure.Floor, Open: always(func(ctx context.Context) (float64, error) {
				return killBare(ctx, newTree("plain", n))
			})},
			{Name: "plain tree", Role: measure.Reeve, Open: killed("plain")},
			{Name: "stubborn tree", Role: measure.Reeve, Open: killed("stubborn")},
			{Name: "escaping tree", Role: measure.Reeve, Open: killed("escaping")},
		},
		Targets: []measure.Target{{Subject: "plain tree", Of: "bare tree", Limit: 1.3}},
	}
}

// tree is a shell with many sleeping descendants, known by how long they sleep.
type tree struct {
	kind  string
	n     int
	sleep string
}

func newTree(kind string, n int) tree {
	return tree{kind, n, fmt.Sprintf("86399.%09d", rand.N(1_000_000_000))}
}

// script grows the tree: of plain children, of children that ignore signals, or
// of children that leave group, session, parent and environment.
func (t tree) script() string {
	loop := func(times int, body string) string {
		return fmt.Sprintf("i=0; while [ $i -lt %d ]; do %s; i=$((i+1)); done; wait; exec sleep 86399", times, body)
	}
	switch t.kind {
	case "stubborn":
		return `trap "" TERM INT HUP QUIT; ` + loop(t.n, "sleep "+t.sleep+" & true")
	case "escaping":
		return loop(t.n/3, fmt.Sprintf("setsid sleep %[1]s & (setsid sleep %[1]s & true); env -i setsid sleep %[1]s & true", t.sleep))
	default:
		return loop(t.n, "sleep "+t.sleep+" & true")
	}
}

// alive counts the descendants.
func (t tree) alive() int {
	return len(lab.Arguments(func(args []string) bool { return len(args) == 2 && args[0] == "sleep" && args[1] == t.sleep }))
}

// grown waits until all of them are there.
func (t tree) grown(ctx context.Context) error {
	if err := lab.Until(ctx, time.Minute, func() bool { return t.alive() == t.n }); err != nil {
		return fmt.Errorf("the %s tree has %d of %d descendants: %w", t.kind, t.alive(), t.n, err)
	}
	return nil
}

func killOne(ctx context.Context, d *lab.Daemon, t tree) (float64, error) {
	id, err := d.Create(ctx, fmt.Sprintf(`{"environment":"command","command":{"program":"sh","args":["-c",%q]}}`, t.script()))
	if err != nil {
		return 0, err
	}
	if err := t.grown(ctx); err != nil {
		return 0, err
	}
	begin := time.Now()
	err = d.KillNow(ctx, id)
	took := time.Since(begin)
	if left := t.alive(); err == nil && left > 0 {
		err = fmt.Errorf("%d of %d descendants of the %s tree survived", left, t.n, t.kind)
	}
	return millis(took), err
}
