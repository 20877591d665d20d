package kernel

import (
	"context"
	"errors"
	"reflect"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/reeverun/reeve/process"
)

// The cases of seed 003 that the contract keeps, and where they are shown. What
// is not named is a test of this package.
//
//	Process     legal chain, 8 illegal moves, INTERNAL     process: TestLifecycleGoesForwardOneStep
//	            1 of 100 concurrent moves succeeds         TestOneOfManyTransitionsSucceeds
//	            ids unique, increasing, 100 at once        TestConcurrentSpawnsHaveUniqueIDs
//	            exit code, reason and error kept           reeve: TestEnvironmentFailures, TestNonZeroExitFails
//	Table       mixed operations, nothing left             TestRandomSequences
//	            after 10 spawns none runs, all have exits  TestNoneRunsAndAllHaveExits
//	Wait, reap  normal, kill then wait, both at once       TestWaitAgainAndAgain, TestKillAndWaitAtOnce
//	            unknown is NOT_FOUND of "Wait"             TestSyscallErrors
//	            second and later wait, 4 waiters equal     TestWaitAgainAndAgain, TestWaitersAreEqual
//	            wait with a timeout, again and again       TestWaitWithATimeout
//	            entry and completion are traced            TestTraceOfWhatIsDoneToIt, TestTraceOfAZombiesWait
//	            order of the release, by instrumentation   TestReapDoesItsSteps, TestReapOfTheHung
//	            running, zombie and dead children          TestReapOfAParentWithMixedChildren
//	            PID 0 reaps what it inherits               TestReapOfAParentWithMixedChildren, TestGrandchildZombieIsReaped
//	            10 concurrent reaps are one                TestConcurrentReapsAreOne
//	            killed in the queue                        TestReapOfTheQueued
//	            shutdown, three times                      TestCloseAgainAndAgain
//	Signals     TERM and INT cancel                        TestSignalWithoutSignalerCancels; reeve: TestPauseOfAFunction
//	            OS signal to the tree; AbortSignal         reeve: TestSignalsOfACommand; env/typescript: TestSignals
//	            bad number, missing, zombie, idle          TestSyscallErrors, TestSignalOfWhatDoesNotRun
//	            pause and resume, again is no change       TestPauseIsIdempotent
//	            blocked is pending, and coalesces          TestBlockedSignalIsPendingAndCoalesces
//	            unblocking delivers, or does nothing       TestUnblockDeliversToTheHandler, TestUnblockWithoutPendingDoesNothing
//	            handlers                                   TestHandlerReplacesTheDefault and those after it
//	            SIGKILL is absolute                        TestSIGKILLCanBeNeitherBlockedNorHandled
//	            kill of what blocks or handles SIGTERM     TestKillOfWhatIsNotAsked, TestUnblockOfAKillsSIGTERM
//	            a reap clears all of it                    TestReapClearsDispositions
//	            100 of block, signal, unblock              TestDispositionRaces
//	            calls are traced with arguments            TestTraceOfWhatARunAsks
//	Pause       elapsed time freezes, does not jump        TestPauseHoldsClockAndProgram, TestTimeoutHasWhatThePauseLeftIt
//	            killed while paused                        TestKilledWhilePaused, TestKillWhilePausedAndBlocked
//	Subtree     reaches below the dead and the newborn     TestSignalTree, TestTreeBelowTheIdle, TestSignalTreeReachesTheNewborn
//	            never above or beside, strict counts       TestPauseTreeStaysBelow
//	            8 parallel resumes                         TestParallelTreeResumes
//	            many, linear                               TestSignalTreeOfMany, TestWalkIsLinear
//	            unknown root                               TestPauseTreeStaysBelow

func TestNoneRunsAndAllHaveExits(t *testing.T) {
	f := newFixture(t, 0)
	defer f.shut(t)
	scripts := []string{"", "out a", "exit 3", "fail no", "panic x", "goexit", "spawnfail y", "hang", "sleep 1ms", "stubborn"}
	var ended sync.WaitGroup
	for _, script := range scripts {
		ended.Go(func() {
			id := f.spawn(t, script)
			if script == "hang" || script == "stubborn" {
				wantNil(t, f.Kill(context.Background(), id, KillOptions{}))
			}
			if _, err := f.Wait(context.Background(), id); err != nil {
				t.Error(err)
			}
		})
	}
	ended.Wait()
	page, err := f.Processes(t.Context(), process.Query{})
	if err != nil || len(page.Processes) != len(scripts) {
		t.Fatalf("%d processes, %v", len(page.Processes), err)
	}
	for _, rec := range page.Processes {
		if rec.Lifecycle < process.LifecycleZombie || rec.State != process.Idle || rec.Exit == nil || rec.Exit.Reason == "" || rec.Outcome == nil {
			t.Errorf("process %d, %q: %s, %s, %+v", rec.ID, rec.Code, rec.Lifecycle, rec.State, rec.Exit)
		}
		if rec.Code == "goexit" && (rec.Exit.Code != 1 || rec.Exit.Reason != "unexpected exit") {
			t.Errorf("%+v", rec.Exit)
		}
	}
}

// The second wait, and every later one, answers as the first did: while the run
// is a zombie, after it was reaped, and from the store.
func TestWaitAgainAndAgain(t *testing.T) {
	f := newFixture(t, 0)
	defer f.shut(t)
	parent := f.begun(t, "hang")
	child, err := f.Spawn(t.Context(), Request{Spec: process.Spec{Environment: "fake", Code: "exit 7", Parent: parent}})
	if err != nil {
		t.Fatal(err)
	}
	first := f.wait(t, child)
	if first.Exit.Code != 7 || first.Lifecycle != process.LifecycleDead {
		t.Errorf("%s, %+v", first.Lifecycle, first.Exit)
	}
	for range 3 {
		again := f.wait(t, child)
		if !reflect.DeepEqual(again.Outcome, first.Outcome) || *again.Exit != *first.Exit || again.Lifecycle != first.Lifecycle {
			t.Errorf("%+v, then %+v", first.Outcome, again.Outcome)
		}
	}
}

func TestWaitersAreEqual(t *testing.T) {
	f := newFixture(t, 0)
	defer f.shut(t)
	id := f.begun(t, "gate go\nexit 7")
	const n = 4
	recs := make(chan *process.Process, n)
	for range n {
		go func() {
			rec, err := f.Wait(context.Background(), id)
			if err != nil {
				t.Error(err)
			}
			recs <- rec
		}()
	}
	p := f.table.get(id)
	if !eventually(func() bool { p.mu.Lock(); defer p.mu.Unlock(); return p.waiters == n }) {
		t.Fatal("they do not wait")
	}
	f.fake.Open("go")
	for range n {
		if rec := <-recs; rec.Exit == nil || rec.Exit.Code != 7 || rec.Lifecycle != process.LifecycleDead {
			t.Errorf("%+v", rec)
		}
	}
}

func TestWaitWithATimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t, 0)
		defer f.shut(t)
		id := f.begun(t, "sleep 10s")
		for range 5 {
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			if _, err := f.Wait(ctx, id); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("%v", err)
			}
			cancel()
		}
		if rec := f.record(t, id); rec.State != process.Running {
			t.Errorf("the wait has changed it: %s", rec.State)
		}
		if rec := f.wait(t, id); rec.ExitState != process.ExitSuccess || rec.Usage.WallMS != 10_000 {
			t.Errorf("%s after %d ms", rec.ExitState, rec.Usage.WallMS)
		}
	})
}

func TestKillAndWaitAtOnce(t *testing.T) {
	f := newFixture(t, 0)
	defer f.shut(t)
	parent := f.begun(t, "hang")
	for i := range 50 {
		id, err := f.Spawn(t.Context(), Request{Spec: process.Spec{Environment: "fake", Code: "hang", Parent: parent}})
		if err != nil {
			t.Fatal(err)
		}
		var wg sync.WaitGroup
		wg.Go(func() { wantNil(t, f.Cancel(context.Background(), id)) })
		for range 2 {
			wg.Go(func() {
				if rec, err := f.Wait(context.Background(), id); err != nil || rec.ExitState != process.ExitCanceled {
					t.Errorf("round %d: %+v, %v", i, rec, err)
				}
			})
		}
		wg.Wait()
		if rec := f.record(t, id); rec.Lifecycle != process.LifecycleDead {
			t.Errorf("round %d: %s", i, rec.Lifecycle)
		}
	}
}

func TestCloseAgainAndAgain(t *testing.T) {
	f := newFixture(t, 0)
	parent := f.begun(t, "hang")
	for _, script := range []string{"", "hang", "stubborn"} {
		if _, err := f.Spawn(t.Context(), Request{Spec: process.Spec{Environment: "fake", Code: script, Parent: parent}}); err != nil {
			t.Fatal(err)
		}
	}
	for range 3 {
		wantNil(t, f.Close())
	}
	if n := f.table.len(); n != 0 {
		t.Errorf("%d are left in the table", n)
	}
	f.shut(t)
}

// root ─ target ─ child ─ grandchild
//
//	└ sibling
func TestPauseTreeStaysBelow(t *testing.T) {
	r := newRig(t, 0, nil)
	below := func(parent process.ID) process.ID {
		id := r.start(t, parent, "hang")
		r.await(t, id, "running", isRunning)
		return id
	}
	root := below(0)
	target, sibling := below(root), below(root)
	child := below(target)
	grandchild := below(child)
	wantPaused := func(paused ...process.ID) {
		t.Helper()
		is := map[process.ID]bool{}
		for _, id := range paused {
			is[id] = true
		}
		for _, id := range []process.ID{root, target, sibling, child, grandchild} {
			if r.rec(t, id).Paused != is[id] {
				t.Errorf("process %d is paused: %v", id, !is[id])
			}
		}
	}
	if n := r.signalTree(t, target, process.SIGPAUSE); n != 3 {
		t.Errorf("%d paused", n)
	}
	wantPaused(target, child, grandchild)
	if n := r.signalTree(t, target, process.SIGPAUSE); n != 0 {
		t.Errorf("%d paused again", n)
	}
	if n, err := r.Signal(t.Context(), child, process.SIGRESUME, SignalOptions{}); n != 1 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
	wantPaused(target, grandchild)
	if n := r.signalTree(t, root, process.SIGRESUME); n != 2 { // a running root: only who is paused is affected
		t.Errorf("%d resumed", n)
	}
	wantPaused()
	n, err := r.Signal(t.Context(), 99, process.SIGPAUSE, SignalOptions{Tree: true})
	if n != 0 {
		t.Errorf("%d below an unknown root", n)
	}
	wantSyscall(t, err, "Signal", 99, process.CodeSyscallNotFound, process.ErrNotFound)
}

func TestParallelTreeResumes(t *testing.T) {
	r := newRig(t, 0, nil)
	root := r.start(t, 0, "hang")
	r.await(t, root, "running", isRunning)
	const members = 41
	for i := range members - 1 {
		parent := root
		if i%2 == 1 {
			parent = root + process.ID(i)
		}
		r.await(t, r.start(t, parent, "hang"), "running", isRunning)
	}
	for range 5 {
		if n := r.signalTree(t, root, process.SIGPAUSE); n != members {
			t.Fatalf("%d paused", n)
		}
		var wg sync.WaitGroup
		var mu sync.Mutex
		resumed := 0
		for range 8 {
			wg.Go(func() {
				n, err := r.Signal(context.Background(), root, process.SIGRESUME, SignalOptions{Tree: true})
				wantNil(t, err)
				mu.Lock()
				defer mu.Unlock()
				resumed += n
			})
		}
		wg.Wait()
		if resumed != members {
			t.Errorf("%d of %d were resumed", resumed, members)
		}
	}
}
