package kernel

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/reeverun/reeve/process"
	"github.com/reeverun/reeve/store"
)

// askAlways is a registry that asks about every call.
func askAlways() *tools {
	return &tools{check: func(process.ToolCall) (process.Permission, error) { return process.Ask, nil }}
}

// pendingOf returns the approvals a process waits for, oldest first.
func (f *fixture) pendingOf(t testingT, id process.ID) []process.Approval {
	t.Helper()
	list, err := f.Approvals(context.Background(), process.ApprovalQuery{State: process.ApprovalPending, Process: id})
	if err != nil {
		t.Fatal(err)
	}
	slices.Reverse(list)
	return list
}

func (f *fixture) decideAs(t testingT, id process.ApprovalID, approve bool, reason string) *process.Approval {
	t.Helper()
	a, err := f.Decide(context.Background(), id, approve, "anna", reason)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func (f *fixture) approval(t testingT, id process.ApprovalID) *process.Approval {
	t.Helper()
	a, err := f.Approval(context.Background(), id)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestApprovalFromAskToAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := askAlways()
		f := newTooled(t, 1, s)
		defer f.shut(t)
		start := time.Now().UTC()
		id := f.spawn(t, `call pets remove {"id":7}`+"\n"+`call pets remove {"id":8}`+"\n"+`call pets remove`)
		synctest.Wait()
		time.Sleep(time.Minute)
		if s.made.Load() != 0 {
			t.Fatal("the tool was called before anybody decided")
		}
		want := process.Approval{ID: 1, Process: id, Run: 1, Call: 1, Service: "pets", Tool: "remove",
			Params: json.RawMessage(`{"id":7}`), State: process.ApprovalPending,
			RequestedAt: start, ExpiresAt: start.Add(DefaultApprovalLife)}
		list := f.pendingOf(t, id)
		if got, _ := json.Marshal(list); string(got) != jsonOf(t, []process.Approval{want}) {
			t.Fatalf("pending: %s", got)
		}
		a := f.decideAs(t, 1, true, "")
		if a.State != process.ApprovalApproved || *a.DecidedBy != "anna" || a.Reason != nil || !a.DecidedAt.Equal(start.Add(time.Minute)) {
			t.Errorf("%+v", a)
		}
		synctest.Wait()
		f.decideAs(t, 2, false, "not this one")
		synctest.Wait()
		f.decideAs(t, 3, false, "")
		f.wait(t, id)
		if got := f.stdout(t, id); got != "{\"id\":7}\ndenied: pets/remove was denied: not this one\ndenied: pets/remove was denied (approval 3)\n" {
			t.Errorf("printed %q", got)
		}
		if s.made.Load() != 1 {
			t.Errorf("%d calls were made", s.made.Load())
		}
		if got := f.kinds(t, id); !slices.Equal(got[:7], []process.Kind{"process_created", "process_queued", "process_started",
			"tool_called", "approval_requested", "approval_decided", "tool_returned"}) {
			t.Errorf("events %v", got)
		}
		decided := payloads[process.ApprovalDecided](t, f, id)
		if d := decided[1]; d.Approval != 2 || d.Call != 2 || d.State != process.ApprovalDenied || d.By != "anna" || d.Reason != "not this one" {
			t.Errorf("%+v", d)
		}
		if r := payloads[process.ToolReturned](t, f, id)[0]; !r.OK || r.DurationMS != 0 {
			t.Errorf("a person's minute counts as the tool's: %+v", r)
		}
		if n := len(f.pendingOf(t, id)); n != 0 {
			t.Errorf("%d are pending", n)
		}
	})
}

func jsonOf(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// The clock runs only while the run is not paused and nobody is asked, in
// whatever order that begins and ends.
func TestClockStandsWhilePausedOrAsked(t *testing.T) {
	for _, order := range []string{"approve", "pause resume approve", "pause approve resume", "deny", "pause deny resume"} {
		t.Run(order, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := newTooled(t, 0, askAlways())
				defer f.shut(t)
				id := f.timed(t, "sleep 5s\ncall s t\nsleep 5s", 11*time.Second)
				synctest.Wait()
				time.Sleep(2 * time.Second)
				f.pause(t, id)
				time.Sleep(time.Minute)
				f.resume(t, id)
				time.Sleep(3 * time.Second)
				synctest.Wait() // asked, after 5 s
				stood := time.Minute
				for step := range strings.FieldsSeq(order) {
					time.Sleep(time.Hour)
					stood += time.Hour
					f.table.get(id).timeout() // fired as the clock was stopped
					if u := f.record(t, id).Usage; u.WallMS != 5000 || u.PausedMS != stood.Milliseconds() {
						t.Errorf("before %s: %+v", step, u)
					}
					switch step {
					case "pause":
						f.pause(t, id)
					case "resume":
						f.resume(t, id)
					default:
						f.decideAs(t, 1, step == "approve", "")
					}
				}
				time.Sleep(4 * time.Second)
				if u := f.record(t, id).Usage; u.WallMS != 9000 {
					t.Errorf("4 s later: %+v", u)
				}
				rec := f.wait(t, id)
				if u := rec.Usage; rec.ExitState != process.ExitSuccess || u.WallMS != 10_000 || u.PausedMS != stood.Milliseconds() {
					t.Errorf("%s, %+v, want 10 s and %v", rec.ExitState, u, stood)
				}
			})
		})
	}
}

func TestClockStandsUntilTheLastIsDecided(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newTooled(t, 0, askAlways())
		defer f.shut(t)
		id := f.timed(t, "calls 3 s t\nhang", 10*time.Second)
		synctest.Wait()
		for _, a := range f.pendingOf(t, id) {
			time.Sleep(time.Hour)
			if rec := f.record(t, id); rec.Usage.WallMS != 0 || rec.State != process.Running {
				t.Errorf("%s, %+v", rec.State, rec.Usage)
			}
			f.decideAs(t, a.ID, true, "")
		}
		rec := f.wait(t, id) // the timeout has all that it had
		if rec.ExitState != process.ExitTimeout || rec.Usage.WallMS != 10_000 || rec.Usage.PausedMS != 3*3600_000 {
			t.Errorf("%s, %+v", rec.ExitState, rec.Usage)
		}
	})
}

func TestApprovalExpires(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := askAlways()
		f := newFixtureWith(t, 0, func(c *Config) { c.Tools, c.ApprovalLife = s, time.Hour })
		defer f.shut(t)
		id := f.timed(t, "call s t\nout on", time.Second)
		synctest.Wait()
		time.Sleep(time.Hour - time.Millisecond)
		if n := len(f.pendingOf(t, id)); n != 1 {
			t.Fatalf("%d are pending", n)
		}
		rec := f.wait(t, id)
		if got := f.stdout(t, id); got != "expired: nobody decided on s/t in time (approval 1)\non\n" || rec.ExitState != process.ExitSuccess {
			t.Errorf("%s, printed %q", rec.ExitState, got)
		}
		if a := f.approval(t, 1); a.State != process.ApprovalExpired || a.DecidedBy != nil || !a.DecidedAt.Equal(a.ExpiresAt) {
			t.Errorf("%+v", a)
		}
		_, err := f.Decide(t.Context(), 1, true, "anna", "")
		if !errors.Is(err, process.ErrDecided) || !strings.Contains(err.Error(), "has expired") {
			t.Errorf("decided: %v", err)
		}
		if s.made.Load() != 0 {
			t.Error("the tool was called")
		}
	})
}

// A timer can be late where the clock of the wall is not: the machine slept.
func TestDecisionAfterItsTime(t *testing.T) {
	f := newTooled(t, 0, askAlways())
	defer f.shut(t)
	id := f.spawn(t, "call s t")
	if !eventually(func() bool { return len(f.pendingOf(t, id)) == 1 }) {
		t.Fatal("nobody is asked")
	}
	p := f.table.get(id)
	p.mu.Lock()
	p.asks[1].rec.ExpiresAt = time.Now().Add(-time.Second)
	p.mu.Unlock()
	if _, err := f.Decide(t.Context(), 1, true, "anna", ""); !errors.Is(err, process.ErrDecided) {
		t.Errorf("decided: %v", err)
	}
	f.wait(t, id)
	if a := f.approval(t, 1); a.State != process.ApprovalExpired {
		t.Errorf("%+v", a)
	}
}

func TestOneDecisionOfMany(t *testing.T) {
	s := askAlways()
	f := newTooled(t, 0, s)
	defer f.shut(t)
	id := f.spawn(t, "call s t")
	if !eventually(func() bool { return len(f.pendingOf(t, id)) == 1 }) {
		t.Fatal("nobody is asked")
	}
	var won atomic.Pointer[process.Approval]
	var wg sync.WaitGroup
	for i := range 50 {
		wg.Go(func() {
			a, err := f.Decide(t.Context(), 1, i%2 == 0, fmt.Sprint("person ", i), "")
			switch {
			case err == nil && !won.CompareAndSwap(nil, a):
				t.Error("a second decision was taken")
			case err != nil && !errors.Is(err, process.ErrDecided):
				t.Error(err)
			case err != nil:
				if a := f.approval(t, 1); a.State == process.ApprovalPending {
					t.Error("somebody was told of a decision that is not stored")
				}
			}
		})
	}
	wg.Wait()
	f.wait(t, id)
	a := won.Load()
	if a == nil || *f.approval(t, 1).DecidedBy != *a.DecidedBy || (a.State == process.ApprovalApproved) != (s.made.Load() == 1) {
		t.Errorf("%+v, %d calls", a, s.made.Load())
	}
	if n := len(payloads[process.ApprovalDecided](t, f, id)); n != 1 {
		t.Errorf("%d decisions among the events", n)
	}
}

func TestDecideOfTheUnknown(t *testing.T) {
	f := newFixture(t, 0)
	defer f.shut(t)
	if _, err := f.Decide(t.Context(), 7, true, "", ""); !errors.Is(err, process.ErrNotFound) || !strings.Contains(err.Error(), "approval") {
		t.Errorf("decide: %v", err)
	}
	if _, err := f.Approval(t.Context(), 7); !errors.Is(err, process.ErrNotFound) {
		t.Errorf("approval: %v", err)
	}
	if _, err := f.Decide(t.Context(), 7, true, "", strings.Repeat("x", maxReason+1)); !errors.Is(err, process.ErrInvalid) {
		t.Errorf("a long reason: %v", err)
	}
	for _, q := range []process.ApprovalQuery{{Limit: -1}, {Limit: 1001}, {State: "maybe"}} {
		if _, err := f.Approvals(t.Context(), q); !errors.Is(err, process.ErrInvalid) {
			t.Errorf("%+v: %v", q, err)
		}
	}
}

// Who kills a run that waits for a person does not wait for that person.
func TestKillWhileAsked(t *testing.T) {
	for name, end := range map[string]func(*fixture, process.ID) error{
		"grace": func(f *fixture, id process.ID) error { return f.Kill(context.Background(), id, KillOptions{}) },
		"now":   func(f *fixture, id process.ID) error { return f.Kill(context.Background(), id, KillOptions{Now: true}) },
		"paused": func(f *fixture, id process.ID) error {
			if _, err := f.Signal(context.Background(), id, process.SIGPAUSE, SignalOptions{}); err != nil {
				return err
			}
			return f.Kill(context.Background(), id, KillOptions{Now: true})
		},
		"stop": func(f *fixture, id process.ID) error { f.Stop(); return nil },
		"term": func(f *fixture, id process.ID) error {
			_, err := f.Signal(context.Background(), id, process.SIGTERM, SignalOptions{})
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := askAlways()
				f := newTooled(t, 1, s)
				defer f.shut(t)
				id := f.spawn(t, "calls 2 s t\nout never")
				synctest.Wait()
				time.Sleep(time.Hour)
				begun := time.Now()
				if err := end(f, id); err != nil {
					t.Fatal(err)
				}
				rec := f.wait(t, id)
				if took := time.Since(begun); rec.ExitState == process.ExitSuccess || took > 100*time.Millisecond {
					t.Errorf("%s after %v", rec.ExitState, took)
				}
				if want := process.ExitCanceled; name != "term" && rec.ExitState != want {
					t.Errorf("%s", rec.ExitState)
				}
				for id := process.ApprovalID(1); id <= 2; id++ {
					if a := f.approval(t, id); a.State != process.ApprovalCanceled || a.DecidedBy != nil || a.Reason == nil {
						t.Errorf("%+v", a)
					}
				}
				if n := len(payloads[process.ApprovalDecided](t, f, id)); n != 2 {
					t.Errorf("%d decisions among the events", n)
				}
				if _, err := f.Decide(t.Context(), 1, true, "anna", ""); !errors.Is(err, process.ErrDecided) {
					t.Errorf("decided after the end: %v", err)
				}
				if got := f.kinds(t, id); got[len(got)-1] != process.KindFinalized || s.made.Load() != 0 {
					t.Errorf("%d calls, events %v", s.made.Load(), got)
				}
				if n := f.used("fake"); n != 0 {
					t.Errorf("%d slots are taken", n)
				}
				checkLog(t, f, id)
			})
		})
	}
}

// A person is not asked about a run that is being ended, however long that
// takes.
func TestQuestionsEndWithTheKill(t *testing.T) {
	f := newFixtureWith(t, 0, func(c *Config) { c.Tools, c.Grace = askAlways(), time.Hour })
	id := f.spawn(t, "stubborn")
	h := f.hostOf(t, id)
	ended := make(chan error, 1)
	go func() {
		_, err := h.Call(context.Background(), "s", "t", nil)
		ended <- err
	}()
	if !eventually(func() bool { return len(f.pendingOf(t, id)) == 1 }) {
		t.Fatal("nobody is asked")
	}
	if err := f.Kill(t.Context(), id, KillOptions{}); err != nil {
		t.Fatal(err)
	}
	if te := (*process.ToolError)(nil); !errors.As(<-ended, &te) || te.Code != process.ToolCanceled {
		t.Errorf("%v", te)
	}
	if rec := f.record(t, id); rec.State != process.Terminating {
		t.Errorf("%s", rec.State)
	}
	if a := f.approval(t, 1); a.State != process.ApprovalCanceled || *a.Reason != "the run is being ended" {
		t.Errorf("%+v", a)
	}
	if err := f.Kill(t.Context(), id, KillOptions{Now: true}); err != nil {
		t.Fatal(err)
	}
	f.wait(t, id)
	f.shut(t)
}

// A run that shall end asks nobody any more.
func TestNoQuestionsOfTheDying(t *testing.T) {
	release := make(chan struct{})
	s := &tools{check: func(process.ToolCall) (process.Permission, error) { <-release; return process.Ask, nil }}
	f := newFixtureWith(t, 0, func(c *Config) { c.Tools, c.Grace = s, time.Minute })
	defer f.shut(t)
	id := f.spawn(t, "hang")
	if !eventually(func() bool { return f.record(t, id).State == process.Running }) {
		t.Fatal("it does not run")
	}
	p := f.table.get(id)
	p.mu.Lock()
	p.canceled = true
	p.mu.Unlock()
	close(release)
	_, err := (&host{p}).Call(t.Context(), "s", "t", nil)
	if te := (*process.ToolError)(nil); !errors.As(err, &te) || te.Code != process.ToolCanceled {
		t.Errorf("called: %v", err)
	}
	p.mu.Lock()
	p.canceled = false
	p.mu.Unlock()
}

// The programs of a host die with it, and what they waited for.
func TestApprovalsOfADeadHost(t *testing.T) {
	s := askAlways()
	first := newRig(t, 0, func(c *Config) { c.KeepQueue, c.Tools = true, s })
	id := first.start(t, 0, "calls 2 s t")
	pending := func(k *Kernel) int {
		list, err := k.Approvals(t.Context(), process.ApprovalQuery{State: process.ApprovalPending})
		if err != nil {
			t.Fatal(err)
		}
		return len(list)
	}
	if !eventually(func() bool { return pending(first.Kernel) == 2 }) {
		t.Fatal("nobody is asked")
	}
	second := newRig(t, 0, func(c *Config) { c.KeepQueue, c.Tools, c.Store = true, s, first.st.Store })
	if n := pending(second.Kernel); n != 0 {
		t.Errorf("%d are pending", n)
	}
	for a := process.ApprovalID(1); a <= 2; a++ {
		got, err := second.Approval(t.Context(), a)
		if err != nil || got.State != process.ApprovalCanceled || *got.Reason != process.ErrHostExited {
			t.Errorf("%+v, %v", got, err)
		}
	}
	events, err := second.Events(t.Context(), id, 0, 100)
	if err != nil {
		t.Fatal(err)
	}
	var kinds []process.Kind
	for _, ev := range events[len(events)-4:] {
		kinds = append(kinds, ev.Kind)
	}
	if !slices.Equal(kinds, []process.Kind{"approval_decided", "approval_decided", "reaped", "finalized"}) {
		t.Errorf("events end with %v", kinds)
	}
	if _, err := second.Decide(t.Context(), 1, true, "anna", ""); !errors.Is(err, process.ErrDecided) {
		t.Errorf("decided: %v", err)
	}
	next := second.start(t, 0, "call s t")
	if !eventually(func() bool { return pending(second.Kernel) == 1 }) {
		t.Fatal("nobody is asked")
	}
	if a, err := second.Approval(t.Context(), 3); err != nil || a.Process != next {
		t.Errorf("numbers are used again: %+v, %v", a, err)
	}
	first.st.apply = func(func() error) error { return nil } // the dead write nothing
}

// An approval without a run to say so in an event is canceled all the same.
func TestApprovalOfAnIdleProcess(t *testing.T) {
	first := newRig(t, 0, func(c *Config) { c.KeepQueue = true })
	id := first.start(t, 0, "out hi")
	if _, err := first.Wait(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	stray := process.Approval{ID: 9, Process: id, State: process.ApprovalPending}
	if err := first.st.Apply(t.Context(), []store.Change{{Approvals: []process.Approval{stray}}}); err != nil {
		t.Fatal(err)
	}
	second := newRig(t, 0, func(c *Config) { c.KeepQueue, c.Store = true, first.st.Store })
	if a, err := second.Approval(t.Context(), 9); err != nil || a.State != process.ApprovalCanceled {
		t.Errorf("%+v, %v", a, err)
	}
}

// Nobody sees an approval, and no call is made by one, before that is stored.
func TestApprovalIsStoredFirst(t *testing.T) {
	var hold atomic.Pointer[chan struct{}]
	s := askAlways()
	r := newRig(t, 0, func(c *Config) { c.Tools = s })
	r.st.apply = func(next func() error) error {
		if c := hold.Load(); c != nil {
			<-*c
		}
		return next()
	}
	id := r.start(t, 0, "gate go\ncall s t")
	r.await(t, id, "running", isRunning)
	gate := make(chan struct{})
	hold.Store(&gate)
	r.fake.Open("go")
	p := r.table.get(id)
	asked := func() bool {
		p.mu.Lock()
		defer p.mu.Unlock()
		return p.asking == 1
	}
	if !eventually(asked) {
		t.Fatal("nobody is asked")
	}
	if _, err := r.Decide(t.Context(), 1, true, "anna", ""); !errors.Is(err, process.ErrNotFound) {
		t.Errorf("decided before it was stored: %v", err)
	}
	hold.Store(nil)
	close(gate)
	if !eventually(func() bool { _, err := r.Approval(t.Context(), 1); return err == nil }) {
		t.Fatal("it is not stored")
	}
	gate = make(chan struct{})
	again := gate
	hold.Store(&again)
	ctx, cancel := context.WithCancelCause(t.Context())
	impatient := errors.New("impatient")
	decided := make(chan error, 1)
	go func() {
		_, err := r.Decide(ctx, 1, true, "anna", "")
		decided <- err
	}()
	if !eventually(func() bool { return !asked() }) {
		t.Fatal("it is not decided")
	}
	if a, err := r.Approval(t.Context(), 1); err != nil || a.State != process.ApprovalPending || s.made.Load() != 0 {
		t.Errorf("%+v, %v, %d calls", a, err, s.made.Load())
	}
	cancel(impatient)
	if err := <-decided; !errors.Is(err, impatient) {
		t.Errorf("answered before it was stored: %v", err)
	}
	hold.Store(nil)
	close(gate)
	if rec, err := r.Wait(t.Context(), id); err != nil || rec.ExitState != process.ExitSuccess || s.made.Load() != 1 {
		t.Errorf("%+v, %v, %d calls", rec, err, s.made.Load())
	}
}

// A program cannot ask without end.
func TestQuestionsAreBounded(t *testing.T) {
	f := newTooled(t, 0, askAlways())
	defer f.shut(t)
	id := f.spawn(t, fmt.Sprintf("calls %d s t\nout %s", maxAsking+5, "on"))
	refused := func() (n int) { // those who came too late have been told, and ask no more
		for _, k := range f.kinds(t, id) {
			if k == process.KindToolReturned {
				n++
			}
		}
		return n
	}
	if !eventually(func() bool { return len(f.pendingOf(t, id)) == maxAsking && refused() == 5 }) {
		t.Fatalf("%d are pending", len(f.pendingOf(t, id)))
	}
	for _, a := range f.pendingOf(t, id) {
		f.decideAs(t, a.ID, true, "")
	}
	f.wait(t, id)
	if n := strings.Count(f.stdout(t, id), "unavailable: the run waits for 100 approvals already"); n != 5 {
		t.Errorf("%d were refused", n)
	}
	big := f.spawn(t, `call s t "`+strings.Repeat("x", maxAsked)+`"`)
	f.wait(t, big)
	if got := f.stdout(t, big); !strings.HasPrefix(got, "invalid_params: s/t needs an approval") {
		t.Errorf("printed %q", got)
	}
}

func TestApprovalsArePruned(t *testing.T) {
	f := newTooled(t, 0, askAlways())
	defer f.shut(t)
	id := f.spawn(t, "call s t")
	if !eventually(func() bool { return len(f.pendingOf(t, id)) == 1 }) {
		t.Fatal("nobody is asked")
	}
	later := time.Now().Add(2 * DefaultKeepEvents)
	if n, err := f.Prune(t.Context(), later); err != nil || n.Approvals != 0 {
		t.Errorf("of a live process: %+v, %v", n, err)
	}
	f.decideAs(t, 1, true, "")
	f.wait(t, id)
	if n, err := f.Prune(t.Context(), later); err != nil || n.Approvals != 1 {
		t.Errorf("%+v, %v", n, err)
	}
	if _, err := f.Approval(t.Context(), 1); !errors.Is(err, process.ErrNotFound) {
		t.Errorf("it is still there: %v", err)
	}
}

// Whatever people and programs do, nothing stays pending, no slot is lost and
// every log is whole.
func TestRandomDecisions(t *testing.T) {
	scripts := []string{"call s ask", "calls 3 s ask\nout on", "call s allow\ncall s ask", "calls 2 s slow\nfail no",
		"spawn call s ask; out x\nawait", "call s deny\nhang"}
	rapid.Check(t, func(rt *rapid.T) {
		s := &tools{check: func(c process.ToolCall) (process.Permission, error) {
			if c.Tool == "slow" {
				return process.Allow, nil
			}
			return process.Permission(c.Tool), nil
		}, call: func(ctx context.Context, c process.ToolCall) (json.RawMessage, error) {
			if c.Tool == "slow" {
				<-ctx.Done()
			}
			return json.RawMessage("1"), nil
		}}
		f := newTooled(rt, rapid.IntRange(0, 2).Draw(rt, "slots"), s)
		defer f.shut(rt)
		ctx := context.Background()
		var all []process.ID
		for range rapid.IntRange(1, 25).Draw(rt, "steps") {
			switch op := rapid.SampledFrom([]string{"spawn", "spawn", "approve", "approve", "deny", "kill", "kill now", "pause", "resume"}).Draw(rt, "op"); op {
			case "spawn":
				all = append(all, f.spawn(rt, rapid.SampledFrom(scripts).Draw(rt, "script")))
			case "approve", "deny":
				list := f.pendingOf(rt, 0)
				if len(list) > 0 {
					_, err := f.Decide(ctx, rapid.SampledFrom(list).Draw(rt, "approval").ID, op == "approve", "", "")
					allow(rt, err, process.ErrDecided)
				}
			default:
				if len(all) == 0 {
					continue
				}
				id := rapid.SampledFrom(all).Draw(rt, "id")
				switch op {
				case "pause", "resume":
					sig := map[string]process.Signal{"pause": process.SIGPAUSE, "resume": process.SIGRESUME}[op]
					_, err := f.Signal(ctx, id, sig, SignalOptions{})
					allow(rt, err, process.ErrNotRunning)
				default:
					allow(rt, f.Kill(ctx, id, KillOptions{Now: op == "kill now"}), process.ErrAlreadyIdle)
				}
			}
		}
		for _, id := range all {
			allow(rt, f.Kill(ctx, id, KillOptions{Now: true}), process.ErrAlreadyIdle)
		}
		page, err := f.Processes(ctx, process.Query{})
		if err != nil {
			rt.Fatal(err)
		}
		for _, p := range page.Processes {
			checkRecord(rt, f.wait(rt, p.ID))
			checkLog(rt, f, p.ID)
			called, returned := payloads[process.ToolCalled](rt, f, p.ID), payloads[process.ToolReturned](rt, f, p.ID)
			if len(called) != len(returned) {
				rt.Fatalf("%d called, %d returned", len(called), len(returned))
			}
		}
		if n := len(f.pendingOf(rt, 0)); n != 0 || f.used("fake") != 0 {
			rt.Fatalf("%d are pending, %d slots are taken", n, f.used("fake"))
		}
	})
}
