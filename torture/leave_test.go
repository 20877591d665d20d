//go:build linux

package torture

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// listed checks that the list has each process that was asked for exactly once,
// and nothing else.
func (w *world) listed() {
	names := map[string]int64{}
	for cursor := ""; ; {
		var page struct {
			Processes  []record `json:"processes"`
			NextCursor *string  `json:"nextCursor"`
		}
		if err := w.daemon.get("/processes?limit=1000"+cursor, &page); err != nil {
			w.t.Error(err)
			return
		}
		for _, rec := range page.Processes {
			if before, twice := names[rec.Label]; twice {
				w.wrong("%s was created twice, as %d and as %d", rec.Label, before, rec.ID)
			}
			names[rec.Label] = rec.ID
		}
		if page.NextCursor == nil {
			break
		}
		cursor = "&cursor=" + *page.NextCursor
	}
	for _, p := range w.procs {
		if p.id == 0 || names[p.name] != p.id {
			w.wrong("%s was acknowledged as %d and is listed as %d", p.name, p.id, names[p.name])
		}
	}
	if len(names) != len(w.procs) {
		w.wrong("%d processes are listed, want %d", len(names), len(w.procs))
	}
	w.figures.acknowledged = len(w.procs)
}

// caughtUp checks that the live stream, through all crashes, has brought every
// event there is. It may be behind, as long as it comes nearer.
func (w *world) caughtUp() {
	before := int64(0)
	for end := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
		behind := w.which(func(p *proc) bool { return w.witness.heard(p.id) < p.judged })
		if len(behind) == 0 {
			return
		}
		if live, _ := w.witness.tally(); live > before {
			before, end = live, time.Now().Add(patience)
		}
		if time.Now().After(end) {
			p := behind[0]
			w.wrong("%d processes have events that the live stream did not bring, among them %s (%d): %d of %d", len(behind), p.name, p.id, w.witness.heard(p.id), p.judged)
			return
		}
	}
}

// leave checks that nothing is left of any command, stops the daemon and checks
// that nothing is left of that.
func (w *world) leave() {
	left := w.strays(true)
	w.figures.strays = len(left)
	if len(left) > 0 {
		w.wrong("still alive: %v", left)
	}
	w.daemon.stop()
	for _, pid := range w.keepers() {
		_ = syscall.Kill(pid, syscall.SIGTERM) // it has no job
	}
	w.until("nothing is left of the daemon", func() bool { left = w.strays(false); return len(left) == 0 })
	if len(left) > 0 {
		w.wrong("left of the daemon: %v", left)
	}
	var groups map[string]bool
	w.until("no cgroup is left", func() bool { groups = w.cgroupsLeft(); return len(groups) == 0 })
	for path := range groups {
		inside, _ := filepath.Glob(path + "/*/")
		events, _ := os.ReadFile(path + "/cgroup.events")
		w.wrong("left of the cgroups: %s, with %d in it %v, %s", path, len(inside), inside, strings.Join(strings.Fields(string(events)), " "))
	}
}

// until waits a moment for something.
func (w *world) until(what string, come func() bool) {
	w.t.Helper()
	for end := time.Now().Add(5 * time.Second); !come(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			w.wrong("in vain: %s", what)
			return
		}
	}
}
