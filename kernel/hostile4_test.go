package kernel

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/reeverun/reeve/process"
)

// A tool is not called for a run that has ended: what it would do is no longer
// wanted by anybody, and may have been killed for just that.
func TestHostileNoCallAfterTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		looked := make(chan struct{})
		s := &tools{check: func(process.ToolCall) (process.Permission, error) {
			<-looked // a registry that takes its time, whatever its context says
			return process.Allow, nil
		}}
		f := newTooled(t, 1, s)
		defer f.shut(t)
		id := f.spawn(t, "call bank pay")
		synctest.Wait()
		if err := f.Kill(t.Context(), id, KillOptions{Now: true}); err != nil {
			t.Fatal(err)
		}
		if got := f.wait(t, id); got.ExitState != process.ExitCanceled {
			t.Fatalf("%+v", got)
		}
		close(looked)
		f.outside.Wait()
		if n := s.made.Load(); n != 0 {
			t.Errorf("%d calls were made for a run that was killed", n)
		}
	})
}

// A person says yes and somebody kills it in the same moment: one of them is
// first, and the record says which.
func TestHostileApprovedAndKilled(t *testing.T) {
	for range 100 {
		s := askAlways()
		f := newTooled(t, 1, s)
		id := f.spawn(t, "call bank pay")
		if !eventually(func() bool { return len(f.pendingOf(t, id)) == 1 }) {
			t.Fatal("nobody was asked")
		}
		asked := f.pendingOf(t, id)[0].ID
		done := make(chan struct{})
		go func() {
			defer close(done)
			_ = f.Kill(context.Background(), id, KillOptions{Now: true})
		}()
		_, err := f.Decide(t.Context(), asked, true, "anna", "")
		if err != nil && !errors.Is(err, process.ErrDecided) {
			t.Fatal(err)
		}
		<-done
		f.wait(t, id)
		f.outside.Wait()
		a := f.approval(t, asked)
		if (err == nil) != (a.State == process.ApprovalApproved) || a.State == process.ApprovalPending {
			t.Errorf("%v, and it is %s", err, a.State)
		}
		if a.State != process.ApprovalApproved && s.made.Load() != 0 {
			t.Errorf("called, and it is %s", a.State)
		}
		if f.used("fake") != 0 {
			t.Errorf("%d slots are taken", f.used("fake"))
		}
		checkLog(t, f, id)
		f.shut(t)
	}
}

// A program that starts the next one and ends is never more than two processes,
// and never over. There is an end to generations.
func TestHostileChainOfGenerations(t *testing.T) {
	f := newFixture(t, 0)
	defer f.shut(t)
	id := f.spawn(t, "gate next")
	for n := range 200 {
		h := f.hostOf(t, id)
		child, err := h.Spawn(t.Context(), process.Spec{Environment: "fake", Code: "hang"})
		if errors.Is(err, process.ErrTooMany) {
			if n < 16 {
				t.Errorf("only %d generations", n)
			}
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		f.hostOf(t, child)
		if err := f.Kill(t.Context(), id, KillOptions{Now: true, Alone: true}); err != nil {
			t.Fatal(err)
		}
		f.wait(t, id)
		id = child
	}
	t.Errorf("a chain of 200 generations, and %d ancestors", f.table.get(id).generation)
}

// The time a person takes is not the run's, however often somebody is asked; and
// it ends in time when all have answered.
func TestHostileManyQuestionsKeepTheClockRight(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newTooled(t, 1, askAlways())
		defer f.shut(t)
		id := f.timed(t, "calls 100 s t\nsleep 1s\ncalls 100 s t\nhang", 10*time.Second)
		begun := time.Now()
		for range 2 {
			for range 100 {
				time.Sleep(time.Second)
				synctest.Wait()
				f.decideAs(t, f.pendingOf(t, id)[0].ID, true, "")
			}
			time.Sleep(time.Second)
			synctest.Wait()
		}
		rec := f.wait(t, id)
		if got := time.Since(begun); rec.ExitState != process.ExitTimeout || got < 209*time.Second || got > 212*time.Second {
			t.Errorf("%s after %v", rec.ExitState, got)
		}
		if rec.Usage.WallMS < 10_000 || rec.Usage.WallMS > 10_200 || f.used("fake") != 0 {
			t.Errorf("%+v, %d slots", rec.Usage, f.used("fake"))
		}
	})
}

// A batch of many events of one process is merged in one go, not each with all
// before it: a program that calls without rest would stop the journal, and with
// it every other process, for good.
func TestHostileManyEventsOfOneProcess(t *testing.T) {
	batch := make([]*entry, 4000)
	for i := range batch {
		batch[i] = &entry{}
		batch[i].change.ID = 1
		batch[i].change.Events = []process.Event{{Seq: int64(i + 1)}}
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	changes := merge(batch)
	runtime.ReadMemStats(&after)
	if len(changes) != 1 || len(changes[0].Events) != len(batch) || changes[0].Events[3999].Seq != 4000 {
		t.Fatalf("%d changes", len(changes))
	}
	if n := after.TotalAlloc - before.TotalAlloc; n > 100<<20 {
		t.Errorf("%d MiB were allocated", n>>20)
	}
	if again := merge(batch[:1]); len(again[0].Events) != 1 {
		t.Errorf("an entry has changed: %d events", len(again[0].Events))
	}
}

// One that calls faster than events can be stored waits for the store, not the
// journal for memory.
func TestHostileCallsWithoutRest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newTooled(t, 0, &tools{})
		defer f.shut(t)
		id := f.spawn(t, "gate go\ncalls 20 s t\n"+strings.Repeat("call s t\n", 5000))
		synctest.Wait()
		time.Sleep(time.Second)
		f.st.failing.Store(true)
		f.fake.Open("go")
		time.Sleep(time.Minute)
		f.journal.mu.Lock()
		n := len(f.journal.queue)
		f.journal.mu.Unlock()
		if n > 4*callsAhead {
			t.Errorf("%d entries wait for the store", n)
		}
		f.st.failing.Store(false)
		f.wait(t, id)
		if n := len(payloads[process.ToolReturned](t, f, id)); n != 5020 {
			t.Errorf("%d returned", n)
		}
		checkLog(t, f, id)
	})
}
