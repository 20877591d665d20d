//go:build linux

package torture

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"time"
)

// judgeEnd checks that the record tells the truth about how a process ended.
func (w *world) judgeEnd(s *sight, ran int) {
	p, rec := s.p, s.rec
	if rec.Lifecycle != "dead" || rec.Exit == nil || rec.Outcome == nil || len(rec.Outcome.Survivors) > 0 || rec.Run != 1 {
		w.wrong("it is not ended as it should be: %v, outcome %+v, lifecycle %s", rec, rec.Outcome, rec.Lifecycle)
		return
	}
	if int64(len(s.stdout)) != rec.StdoutBytes || int64(len(s.stderr)) != rec.StderrBytes {
		w.wrong("%d and %d bytes are kept: %v", len(s.stdout), len(s.stderr), rec)
	}
	if !s.has("process_started") && ran > 0 && !rec.interrupted() && !p.shaken.Load() { // else even that may be unknown
		w.wrong("it has not started, and ran: %v", rec)
	}
	switch {
	case text(rec.ExitState) == "canceled":
		w.figures.canceled++
		if !p.killTried && (!p.stopped.Load() || p.job != nil) {
			w.wrong("nobody killed it: %v", rec)
		}
		w.judgeOutput(s, false)
	case rec.interrupted():
		if w.figures.interrupted++; p.job != nil {
			w.figures.lost++
		}
		if rec.Outcome.Reason == nil || rec.Outcome.Reason.Kind != "spawn_failed" || !w.mayBeInterrupted(p) {
			w.wrong("nothing interrupted it: %v", rec)
		}
		w.judgeOutput(s, false)
	case p.killTried && !p.killed && rec.Exit.Signal != nil:
		// The kill reached it, and its daemon died before it could say so.
		w.figures.finished++
		w.judgeOutput(s, false)
	default:
		w.figures.finished++
		if ran != 1 && (p.program != nil || p.job != nil) {
			w.wrong("it has finished and ran %d times: %v", ran, rec)
		}
		if p.killed {
			w.wrong("its kill was acknowledged: %v", rec)
		}
		w.judgeResult(s)
		w.judgeOutput(s, true)
	}
}

// mayBeInterrupted: programs end with their daemon, commands with nothing but
// their keeper, supervisors with neither alone.
func (w *world) mayBeInterrupted(p *proc) bool {
	switch {
	case p.nurse:
		return p.orphaned.Load() && p.shaken.Load()
	case p.job == nil:
		return p.orphaned.Load()
	}
	return p.shaken.Load()
}

// judgeResult checks the verdict on one that came to its own end.
func (w *world) judgeResult(s *sight) {
	p, rec := s.p, s.rec
	state, code := "success", 0
	switch {
	case p.nurse:
		w.wrong("it ends when it is killed: %v", rec)
		return
	case p.hostile:
		if state := text(rec.ExitState); state != "success" && state != "failed" && state != "timeout" {
			w.wrong("a hostile program ends as %s: %v", state, rec)
		}
		return
	case p.job != nil:
		if code = p.job.Code(); code != 0 {
			state = "failed"
		}
	case p.program.fails:
		state, code = "failed", 1
		if !strings.Contains(text(rec.Error), failure(p.name)) {
			w.wrong("its error is another: %v", rec)
		}
	}
	if text(rec.ExitState) != state || rec.Exit.Code != code {
		w.wrong("want %s with code %d: %v", state, code, rec)
	}
	if p.program != nil && !p.program.handsOut(p.name, rec.Output) {
		w.wrong("its output is %v: %v", rec.Output, rec)
	}
}

// judgeOutput checks that no byte is missing: up to the end, or up to where it
// was ended.
func (w *world) judgeOutput(s *sight, complete bool) {
	if s.p.hostile || s.p.nurse {
		return // nobody knows it beforehand
	}
	if s.p.program != nil {
		whole := s.p.program.whole(s.p.name)
		if got := string(s.stdout); complete && got != whole || !strings.HasPrefix(whole, got) {
			w.wrong("its output is not as foretold: %v\n%.500s", s.rec, got)
		}
		return
	}
	if s.p.job.Kind == Family && s.p.shaken.Load() {
		complete = false // a child that outlives the leader is ended with its keeper, whatever the leader's end was
	}
	for stream, content := range map[string][]byte{"stdout": s.stdout, "stderr": s.stderr} {
		if err := s.p.job.verify(stream, string(content), complete); err != nil {
			w.wrong("%s: %v: %v", stream, err, s.rec)
		}
	}
}

// verify checks that each writer's lines are there, in order, from the first
// on, and all of them if the job is said to have come to its end.
func (j *Job) verify(stream, content string, complete bool) error {
	next := map[string]int{}
	for _, writer := range j.Writers() {
		next[writer] = 1
	}
	for line := range strings.Lines(content) {
		fields := strings.Fields(line)
		if len(fields) < 3 || next[fields[1]] == 0 {
			return fmt.Errorf("a line that nobody wrote: %q", line)
		}
		if want := Line(j.Name, fields[1], stream, next[fields[1]]); line != want {
			return fmt.Errorf("%q where %q was due", line, want)
		}
		next[fields[1]]++
	}
	for writer, n := range next {
		if complete && j.Finite(writer) && n != j.Lines+1 {
			return fmt.Errorf("%d lines of the %s, want %d", n-1, writer, j.Lines)
		}
	}
	return nil
}

// stillPaused checks that a pause which was acknowledged holds.
func (w *world) stillPaused(p *proc) {
	before, err := w.daemon.record(p.id)
	if err != nil || !p.paused || before.finished() || p.killTried || p.program != nil && (p.orphaned.Load() || p.stopped.Load()) {
		return
	}
	if !before.Paused {
		w.wrong("its pause was acknowledged: %v", before)
		return
	}
	path := fmt.Sprintf("%s/logs/%d/1.stdout", w.daemon.data(), p.id)
	log, err := os.Stat(path)
	if err != nil {
		// A program has one when it has written, and what has ended just before
		// its pause is being packed.
		packed := p.body["rawOutput"] == "persist-gzip"
		if p.job != nil && !packed || !errors.Is(err, os.ErrNotExist) {
			w.wrong("the log of %v: %v", before, err)
		}
		return
	}
	size := log.Size()
	if p.bytes != 0 && p.bytes != size && (p.program == nil || !comesToRest(path)) {
		w.wrong("it is paused and has written %d bytes since: %v", size-p.bytes, before)
	}
	p.bytes = size
}

// comesToRest reports whether a log stops growing. What a program wrote before
// its pause may reach the log behind it, by way of a daemon that was busy, or
// stood still; one that is not paused goes on and on.
func comesToRest(path string) bool {
	const quiet = 300 * time.Millisecond // many times what is between two lines
	last, since := int64(-1), time.Now()
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		log, err := os.Stat(path)
		switch {
		case err != nil:
			return false
		case log.Size() != last:
			last, since = log.Size(), time.Now()
		case time.Since(since) > quiet:
			return true
		}
	}
	return false
}
