//go:build linux

package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"pgregory.net/rapid"
)

// check looks at every process and compares it with how it was seen before.
func (w *world) check(rt *rapid.T) {
	for _, l := range w.known {
		w.look(rt, l)
	}
	for _, id := range w.gone {
		w.call(rt, "GET", path(id, ""), nil, 404)
	}
}

func (w *world) look(rt *rapid.T, l *life) {
	rec := objectOf(rt, w.call(rt, "GET", path(l.id, ""), nil, 200))
	rank := slices.Index([]string{"queued", "running", "terminating", "idle"}, rec.state())
	over := rec["exitState"] != nil
	switch {
	case rank < 0, over && rec.state() != "idle", (rec["completedAt"] != nil) != over, (rec["outcome"] != nil) != over, (rec["exit"] != nil) != over,
		rec.state() == "idle" && !over && rec.num("run") != 0, rec.state() != "idle" && rec.num("run") == 0,
		(rec.state() == "running" || rec.state() == "terminating") && rec["startedAt"] == nil:
		rt.Fatalf("process %d is in no legal state: %v", l.id, rec)
	case rec.num("run") != l.accepted:
		rt.Fatalf("process %d is at run %d, %d were accepted", l.id, rec.num("run"), l.accepted)
	case rec.num("run") == l.run && rank < l.rank && l.run > 0:
		rt.Fatalf("process %d went back to %s in run %d", l.id, rec.state(), l.run)
	case rec.num("run") == l.run && l.exitState != "" && rec.exitState() != l.exitState:
		rt.Fatalf("process %d ended %s, then %s", l.id, l.exitState, rec.exitState())
	case rec.exitState() == "canceled" && !l.killed && !l.stopped:
		rt.Fatalf("process %d was canceled by nobody", l.id)
	case rec.exitState() == "failed" && !l.stopped:
		rt.Fatalf("process %d failed: %v", l.id, rec["error"])
	case rec.exitState() == "failed" && rec.str("error") != "host process exited":
		rt.Fatalf("process %d failed after a crash: %v", l.id, rec["error"])
	case rec.exitState() == "success" && l.hangs:
		rt.Fatalf("process %d hangs and succeeded", l.id)
	}
	l.run, l.rank, l.exitState = rec.num("run"), rank, rec.exitState()
	marks, _ := os.ReadFile(filepath.Join(w.marks, tagOf(rec)))
	if n := int64(strings.Count(string(marks), "x")); n > l.accepted || n == 0 && l.accepted == 1 && rec.exitState() == "success" {
		rt.Fatalf("process %d was executed %d times in %d runs", l.id, n, l.accepted)
	}
}

func tagOf(rec m) string {
	tags, _ := rec["tags"].([]any)
	return fmt.Sprint(tags...)
}

// settle ends what still runs and reads every history.
func (w *world) settle(rt *rapid.T) {
	for _, l := range w.known {
		w.call(rt, "POST", path(l.id, "/signals/kill"), m{"now": true, "block": true}, 200, 409)
		l.killed = true
	}
	w.check(rt)
	for _, l := range w.known {
		events := objectOf(rt, w.call(rt, "GET", path(l.id, "/events"), nil, 200)).list("events")
		count := map[string]int64{}
		for i, ev := range events {
			if ev.num("seq") != int64(i+1) {
				rt.Fatalf("process %d: event %d has seq %d", l.id, i+1, ev.num("seq"))
			}
			count[ev.str("kind")]++
		}
		if count["process_created"] != 1 || count["process_queued"] != l.accepted || count["finalized"] != l.accepted || count["process_started"] > l.accepted {
			rt.Fatalf("process %d with %d runs: %v", l.id, l.accepted, count)
		}
	}
	if problems := w.d.end(); len(problems) > 0 {
		rt.Fatal(strings.Join(problems, "\n"))
	}
}
