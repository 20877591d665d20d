//go:build linux

package torture

import (
	"fmt"
	"time"
)

// rest has everything come to its end, and judges all of it.
func (s *soak) rest() {
	s.t.Helper()
	for end := time.Now().Add(patience); len(s.unacknowledged()) > 0; time.Sleep(10 * time.Millisecond) {
		together(s.unacknowledged(), clients, s.create)
		if time.Now().After(end) {
			s.wrong("%d creates are not acknowledged", len(s.unacknowledged()))
			break
		}
		s.progress()
	}
	s.end()
	s.check(s.which(func(p *proc) bool { return p.never }))
	for _, p := range s.which(func(p *proc) bool { return p.nurse }) {
		s.judgeNursery(p)
	}
	s.caughtUp()
	var left map[int]string
	s.until("no command is left", func() bool { left = s.strays(true); return len(left) == 0 })
	if len(left) > 0 {
		s.wrong("still alive: %v", left)
	}
	s.progress()
}

// retire deletes what is old, prunes the rest, and checks that nothing else
// exists: the records that are kept, and the output of those that are pinned.
func (s *soak) retire() {
	s.t.Helper()
	for _, p := range s.procs {
		if p.nurse {
			s.delete("supervisors", p)
			continue
		}
		s.kept = append(s.kept, p)
		if p.body["tags"] != nil && !p.never {
			rec, _ := s.daemon.record(p.id)
			s.logs[p.id] = rec.StdoutBytes
		}
	}
	s.procs = nil
	s.ledger.forget()
	old := s.kept[:max(0, len(s.kept)-atMost)]
	s.kept = s.kept[len(old):]
	together(old, 8, func(p *proc) { s.delete("processes", p) })
	for _, p := range old {
		delete(s.logs, p.id)
	}
	status, answer, err := s.daemon.do("POST", "/prune", map[string]any{"events": 0, "logs": 0}, "")
	if err != nil || status != 200 {
		s.wrong("prune: %d %.300s %v", status, answer, err)
	}
	s.tally.add("pruned")
	s.onlyKept()
}

// delete removes one that is over, and sees that it has gone.
func (s *soak) delete(kind string, p *proc) {
	path := fmt.Sprintf("/%s/%d", kind, p.id)
	status, answer, err := s.daemon.do("DELETE", path, nil, "")
	if err != nil || status != 200 {
		s.wrong("DELETE %s: %d %.300s %v", path, status, answer, err)
	}
	if status, answer, err = s.daemon.do("GET", path, nil, ""); err != nil || status != 404 {
		s.wrong("after its deletion, GET %s: %d %.300s %v", path, status, answer, err)
	}
	s.witness.forget(p.id)
	s.tally.add("deleted")
}

// onlyKept compares the list with what is kept, and the output of what is
// pinned with what it was.
func (s *soak) onlyKept() {
	want := map[int64]*proc{}
	for _, p := range s.kept {
		want[p.id] = p
	}
	var page struct {
		Processes []record `json:"processes"`
	}
	if err := s.daemon.get("/processes?limit=1000", &page); err != nil {
		s.wrong("list: %v", err)
		return
	}
	for _, rec := range page.Processes {
		if p := want[rec.ID]; p == nil || rec.Label != p.name || rec.finished() != p.finished {
			s.wrong("nobody keeps it, or not so: %v", rec)
		}
		delete(want, rec.ID)
	}
	for id, p := range want {
		s.wrong("%s, process %d, was acknowledged and not deleted, and is not listed", p.name, id)
	}
	for id, size := range s.logs {
		if content, err := s.daemon.bytes(id, "stdout"); err != nil || int64(len(content)) != size {
			s.wrong("process %d is pinned, and of %d bytes of its stdout %d are left: %v", id, size, len(content), err)
		}
	}
}
