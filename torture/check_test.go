//go:build linux

package torture

import (
	"strings"
	"sync"
)

// sight is what Reeve says of a process at one time.
type sight struct {
	p              *proc
	rec            record
	after          int64   // what of it was judged before; all of one that has finished is, again
	events         []event // after that
	stdout, stderr []byte  // once it has finished
}

// check looks at processes and judges what it sees. One that has finished is
// held against the ledger, which is read after all records.
func (w *world) check(procs []*proc) {
	var mu sync.Mutex
	var sights []*sight
	seen := map[*proc]bool{}
	var distinct []*proc
	for _, p := range procs {
		if !seen[p] && p.id != 0 {
			seen[p] = true
			distinct = append(distinct, p)
		}
	}
	together(distinct, 8, func(p *proc) {
		if s := w.look(p); s != nil {
			mu.Lock()
			defer mu.Unlock()
			sights = append(sights, s)
		}
	})
	began := w.ledger.read().began
	for _, s := range sights {
		w.judge(s, began[s.p.name])
	}
}

// look reads all there is of a process.
func (w *world) look(p *proc) *sight {
	s := &sight{p: p}
	var err error
	if s.rec, err = w.daemon.record(p.id); err != nil {
		w.wrong("acknowledged process %s: %v", p.name, err)
		return nil
	}
	if !s.rec.finished() && !p.never {
		s.after = p.judged
	}
	if s.events, err = w.daemon.events(p.id, s.after); err != nil {
		w.wrong("events of %v: %v", s.rec, err)
		return nil
	}
	if !s.rec.finished() {
		return s
	}
	if s.stdout, err = w.daemon.bytes(p.id, "stdout"); err == nil {
		s.stderr, err = w.daemon.bytes(p.id, "stderr")
	}
	if err != nil {
		w.wrong("output of %v: %v", s.rec, err)
		return nil
	}
	return s
}

func (w *world) judge(s *sight, ran int) {
	if s.rec.Label != s.p.name {
		w.wrong("process %d was acknowledged as %s and is %v", s.p.id, s.p.name, s.rec)
		return
	}
	if ran > 1 {
		w.wrong("it ran %d times: %v\n%s", ran, s.rec, w.ledger.of(s.p.name))
	}
	w.judgeEvents(s)
	switch {
	case s.p.never:
		if s.rec.State != "idle" || s.rec.Run != 0 || ran != 0 || len(s.events) != 1 {
			w.wrong("created idle, and now it has %d events and ran %d times: %v", len(s.events), ran, s.rec)
		}
	case s.rec.finished():
		s.p.finished = true
		w.judgeEnd(s, ran)
	case s.rec.State == "idle":
		w.wrong("it was never run: %v", s.rec)
	case s.p.finished:
		w.wrong("it was finished before: %v", s.rec)
	}
}

// judgeEvents checks numbers, order, and that nothing has changed since it was
// last seen.
func (w *world) judgeEvents(s *sight) {
	kinds := map[string]int{}
	for i, ev := range s.events {
		if ev.Seq != s.after+int64(i+1) || ev.Process != s.p.id || ev.Run > 1 {
			w.wrong("event %d of %v is %+v", s.after+int64(i+1), s.rec, ev)
			return
		}
		w.witness.see(ev, "replayed")
		kinds[ev.Kind]++
	}
	s.p.judged = s.after + int64(len(s.events))
	if s.after == 0 && (len(s.events) == 0 || s.events[0].Kind != "process_created") {
		w.wrong("the first of %d events is not process_created: %v", len(s.events), s.rec)
		return
	}
	for _, once := range []string{"process_created", "process_queued", "process_started", "exited", "finalized"} {
		if kinds[once] > 1 {
			w.wrong("%d events %s: %v", kinds[once], once, s.rec)
		}
	}
	if !s.rec.finished() {
		return
	}
	if known := w.witness.known(s.p.id); known > int64(len(s.events)) {
		w.wrong("%d events were seen before, %d are left: %v", known, len(s.events), s.rec)
	}
	if last := s.events[len(s.events)-1]; last.Kind != "finalized" {
		w.wrong("the last event is %s: %v", last.Kind, s.rec)
	}
	w.judgeLines(s, "stdout", s.stdout)
	w.judgeLines(s, "stderr", s.stderr)
	w.figures.events += len(s.events)
	w.figures.reattached += kinds["reattached"]
}

// judgeLines holds the lines among the events against the bytes that are kept.
func (w *world) judgeLines(s *sight, stream string, content []byte) {
	var lines strings.Builder
	for _, ev := range s.events {
		if ev.Kind != "output_appended" || ev.Stream != stream {
			continue
		}
		if ev.Offset != int64(lines.Len()) {
			w.wrong("a line of %s is said to be at %d, but is at %d: %v", stream, ev.Offset, lines.Len(), s.rec)
			return
		}
		lines.WriteString(ev.Line + "\n")
	}
	if strings.TrimSuffix(lines.String(), "\n") != strings.TrimSuffix(string(content), "\n") {
		w.wrong("the events have %d bytes of %s, the log %d, and they differ: %v", lines.Len(), stream, len(content), s.rec)
	}
	w.figures.bytes += int64(len(content))
}

func (s *sight) has(kind string) bool {
	for _, ev := range s.events {
		if ev.Kind == kind {
			return true
		}
	}
	return false
}
