//go:build linux

package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// Whatever clients do, and however often the daemon stops or dies meanwhile:
// no illegal state or transition, no acknowledged process lost, none run twice.
func TestRandomLives(t *testing.T) {
	t.Parallel()
	did := map[string]int{}
	defer func() { t.Logf("%v", did) }()
	rapid.Check(t, func(rt *rapid.T) {
		w := newWorld(rt, did)
		defer w.close()
		rt.Repeat(map[string]func(*rapid.T){
			"create":  w.create,
			"create2": w.create, // more often than the others
			"run":     w.run,
			"kill":    w.kill,
			"delete":  w.delete,
			"restart": w.restart,
			"":        w.check,
		})
		w.settle(rt)
	})
}

// world is a daemon and what is known about it from its answers.
type world struct {
	d           *daemon
	base, marks string
	known       map[int64]*life
	gone        []int64
	last        int64          // the highest id
	did         map[string]int // what was acknowledged, over all worlds
}

// life is one acknowledged process as last seen.
type life struct {
	id        int64
	hangs     bool
	accepted  int64 // runs that were acknowledged
	run       int64
	rank      int // how far the run has come
	exitState string
	stopped   bool // a stop or crash of the daemon may have ended it
	killed    bool
}

func newWorld(rt *rapid.T, did map[string]int) *world {
	base, err := os.MkdirTemp(suite.dir, "w")
	if err != nil {
		rt.Fatal(err)
	}
	w := &world{base: base, marks: filepath.Join(base, "marks"), known: map[int64]*life{}, did: did}
	if err := os.MkdirAll(w.marks, 0o700); err != nil {
		rt.Fatal(err)
	}
	if w.d, err = launch(suite.binary, base, nil, "--concurrency", "command=2", "--grace", "200ms"); err != nil {
		rt.Fatal(err)
	}
	return w
}

func (w *world) close() {
	_ = w.d.end()
	_ = os.RemoveAll(w.base)
}

// call makes a request and wants one of several statuses.
func (w *world) call(rt *rapid.T, method, path string, body any, statuses ...int) answer {
	a, err := w.d.try(request{method: method, path: path, body: body})
	if err != nil {
		rt.Fatalf("%s %s: %v", method, path, err)
	}
	if !slices.Contains(statuses, a.status) {
		rt.Fatalf("%v, want %v", a, statuses)
	}
	return a
}

func (w *world) create(rt *rapid.T) {
	l := &life{hangs: rapid.Bool().Draw(rt, "hangs")}
	autorun := rapid.Bool().Draw(rt, "autorun")
	name := filepath.Join(w.marks, fmt.Sprint(len(w.known)+len(w.gone)+1))
	script := "echo x >> " + name
	if l.hangs {
		script += "; exec sleep 1000"
	}
	rec := w.call(rt, "POST", "/processes", m{"environment": "command", "code": script, "autorun": autorun, "tags": []string{filepath.Base(name)}}, 201)
	l.id = objectOf(rt, rec).id()
	if l.id <= w.last {
		rt.Fatalf("id %d after %d", l.id, w.last)
	}
	if autorun {
		l.accepted = 1
	}
	w.last, w.known[l.id] = l.id, l
	w.did["created"]++
}

func objectOf(rt *rapid.T, a answer) (got m) {
	defer func() {
		if got == nil {
			rt.Fatalf("%v: not an object", a)
		}
	}()
	return a.object()
}

// pick chooses a known process, or nil.
func (w *world) pick(rt *rapid.T) *life {
	if len(w.known) == 0 {
		return nil
	}
	var ids []int64
	for id := range w.known {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return w.known[rapid.SampledFrom(ids).Draw(rt, "process")]
}

func (w *world) run(rt *rapid.T) {
	if l := w.pick(rt); l != nil {
		force := rapid.Bool().Draw(rt, "force")
		if w.call(rt, "POST", path(l.id, "/signals/run"), m{"force": force}, 200, 409).status == 200 {
			l.accepted++
			w.did["run"]++
			l.killed, l.stopped = false, false
		}
	}
}

func (w *world) kill(rt *rapid.T) {
	if l := w.pick(rt); l != nil {
		body := m{"now": rapid.Bool().Draw(rt, "now"), "block": rapid.Bool().Draw(rt, "block")}
		a := w.call(rt, "POST", path(l.id, "/signals/kill"), body, 200, 409)
		if a.status == 200 {
			l.killed = true
			w.did["killed"]++
		}
		if rec := a.object(); a.status == 200 && body["block"] == true && rec.state() != "idle" {
			rt.Fatalf("a blocking kill answered %s", rec.state())
		}
	}
}

func (w *world) delete(rt *rapid.T) {
	if l := w.pick(rt); l != nil && w.call(rt, "DELETE", path(l.id, ""), nil, 200, 409).status == 200 {
		delete(w.known, l.id)
		w.gone = append(w.gone, l.id)
		w.did["deleted"]++
	}
}

func (w *world) restart(rt *rapid.T) {
	if rapid.Bool().Draw(rt, "crash") {
		w.d.crash()
		w.did["crashed"]++
	} else if problems := w.d.end(); len(problems) > 0 {
		rt.Fatal(strings.Join(problems, "\n"))
	}
	w.did["restarted"]++
	for _, l := range w.known {
		l.stopped = true
	}
	d, err := launch(suite.binary, w.base, nil, "--concurrency", "command=2", "--grace", "200ms")
	if err != nil {
		rt.Fatal(err)
	}
	w.d = d
}
