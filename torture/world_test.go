//go:build linux

package torture

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// world is one run of the harness: a daemon, what was asked of it, and what
// was seen from outside.
type world struct {
	t       testing.TB
	seed    int
	rand    *rand.Rand
	mark    string
	daemon  *daemon
	ledger  *ledger
	witness *witness
	figures figures

	stops  bool // daemons are stopped, too, and may refuse what comes then
	count  int
	procs  []*proc
	wrongs atomic.Int64
}

func newWorld(t *testing.T, flags ...string) *world {
	t.Helper()
	dir, err := os.MkdirTemp(suite.dir, "w")
	if err != nil {
		t.Fatal(err)
	}
	seed := setting(t, "SEED", int(time.Now().UnixNano()%1_000_000))
	t.Logf("REEVE_TORTURE_SEED=%d", seed)
	w := &world{t: t, seed: seed, rand: rand.New(rand.NewPCG(uint64(seed), 0)), mark: dir, ledger: newLedger(t, dir), witness: newWitness(t)}
	w.daemon = newDaemon(t, dir, "--tools", dir+"/tools.yaml", "--concurrency", "command=64", "--concurrency", "typescript=64", "--drain", "50ms")
	w.daemon.flags = append(w.daemon.flags, flags...)
	t.Cleanup(w.sweep)
	w.daemon.launch()
	w.daemon.ready()
	ctx, cancel := context.WithCancel(context.Background())
	var following sync.WaitGroup
	following.Go(func() { w.witness.follow(ctx, w.daemon) })
	t.Cleanup(func() { cancel(); following.Wait() })
	return w
}

// wrong reports what should not be. The first ones tell enough.
func (w *world) wrong(format string, args ...any) {
	w.t.Helper()
	if w.wrongs.Add(1) <= 40 {
		w.t.Errorf(format, args...)
	}
}

// together calls f for each process, at most n at a time, and waits.
func together(procs []*proc, n int, f func(*proc)) {
	var all sync.WaitGroup
	slots := make(chan struct{}, n)
	for _, p := range procs {
		slots <- struct{}{}
		all.Go(func() { defer func() { <-slots }(); f(p) })
	}
	all.Wait()
}

// create asks for a process under its name as the key. Without an answer it is
// not known whether there is one.
func (w *world) create(p *proc) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	w.createIn(ctx, p)
}

func (w *world) createIn(ctx context.Context, p *proc) {
	key := p.name
	if p.body["ref"] != nil {
		key = "" // that is known by its reference
	}
	status, answer, err := w.daemon.ask(ctx, "POST", "/processes", p.body, key)
	if err != nil || w.refused(status, answer) {
		return
	}
	if status == 409 && p.id == 0 && strings.Contains(string(answer), `"ref_conflict"`) {
		w.find(p)
		return
	}
	var rec record
	if err := json.Unmarshal(answer, &rec); err != nil || status != 200 && status != 201 {
		w.wrong("create %s: %d %.300s", p.name, status, answer)
		return
	}
	if p.id != 0 && (p.id != rec.ID || status != 200) {
		w.wrong("create %s again: %d and process %d, want 200 and process %d", p.name, status, rec.ID, p.id)
	}
	if p.body["block"] != nil && rec.State != "idle" {
		w.wrong("it was to be waited for: %v", rec)
	}
	p.id = rec.ID
}

// find looks for a process by its reference, which says that it exists.
func (w *world) find(p *proc) {
	var page struct {
		Processes []record `json:"processes"`
	}
	err := w.daemon.get("/processes?ref="+p.name, &page)
	if len(page.Processes) > 1 {
		w.wrong("%d processes have the reference %s", len(page.Processes), p.name)
	}
	if err == nil && len(page.Processes) == 1 { // else it is being made: the next time
		p.id = page.Processes[0].ID
	}
}

// refused reports whether a daemon that is being stopped said no.
func (w *world) refused(status int, answer []byte) bool {
	return w.stops && status == 503 && strings.Contains(string(answer), `"shutting_down"`)
}

// signal sends a signal and reports whether it was acknowledged.
func (w *world) signal(p *proc, name string, body map[string]any) (record, bool) {
	status, answer, err := w.daemon.do("POST", fmt.Sprintf("/processes/%d/signals/%s", p.id, name), body, "")
	if err != nil {
		return record{}, false
	}
	var signaled struct {
		record
		Process *record `json:"process"`
	}
	switch {
	case status == 503 && (p.shaken.Load() || w.refused(status, answer)): // nobody holds it at the moment
		return record{}, false
	case status == 409 && (strings.Contains(string(answer), `"already_idle"`) || strings.Contains(string(answer), `"not_running"`)):
		return record{}, false
	case status != 200 || json.Unmarshal(answer, &signaled) != nil:
		w.wrong("%s %s: %d %.300s", name, p.name, status, answer)
		return record{}, false
	case signaled.Process != nil:
		return *signaled.Process, true
	}
	return signaled.record, true
}

func (w *world) kill(p *proc, now bool) {
	p.killTried = true
	if rec, ok := w.signal(p, "kill", map[string]any{"now": now}); ok {
		p.killed = true
		if rec.State == "running" { // queued: its start takes long and is not waited for
			w.wrong("after its kill: %v", rec)
		}
	}
}

func (w *world) pause(p *proc) {
	p.pauseTried = true
	if rec, ok := w.signal(p, "pause", map[string]any{}); ok {
		p.paused, p.pausedOnce = rec.Paused, true
		if !rec.Paused && rec.State == "running" { // it may have been ended by now
			w.wrong("after its pause: %v", rec)
		}
	}
}

// resume lets a process go on that is, or may be, paused. The daemon is up. One
// that is paused still is resumed the next time.
func (w *world) resume(p *proc) {
	rec, ok := w.signal(p, "resume", map[string]any{})
	if ok && rec.Paused {
		w.wrong("after its resume: %v", rec)
	}
	p.paused, p.bytes = false, 0
	p.pauseTried = !ok
}

// living are those that may still do something.
func (w *world) living() []*proc {
	return w.which(func(p *proc) bool { return p.id != 0 && !p.never && !p.finished })
}

// unacknowledged are those whose create was cut off.
func (w *world) unacknowledged() []*proc { return w.which(func(p *proc) bool { return p.id == 0 }) }

func (w *world) acknowledged() []*proc { return w.which(func(p *proc) bool { return p.id != 0 }) }

func (w *world) which(is func(*proc) bool) (some []*proc) {
	for _, p := range w.procs {
		if is(p) {
			some = append(some, p)
		}
	}
	return some
}
