package kernel

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/reeverun/reeve/env"
	"github.com/reeverun/reeve/interpret"
	"github.com/reeverun/reeve/process"
	"github.com/reeverun/reeve/rawlog"
	"github.com/reeverun/reeve/store"
)

// proc is one run of a process in the table, from queued to reaped.
//
//	            Spawn/Run          slot              Execute returns    reap
//	(store) ──▶ created/queued ──▶ running/running ──▶ zombie/idle ──▶ dead ──▶ (store)
//	                 │                  │ stop
//	                 │ stop             ▼
//	                 │             running/terminating
//	                 └──▶ all four in one lock hold: never executed
type proc struct {
	id   process.ID
	k    *Kernel
	env  *environment
	feed *feed
	view atomic.Pointer[process.Process] // the record as committed
	done chan struct{}                   // closed when finalized is committed
	gone chan struct{}                   // closed when the run has left the table

	interpreter interpret.Interpreter // given in Go; nil: by name
	payload     any                   // given in Go, for the environment
	earlier     map[string]any        // structured output of the run before

	kin        *kin          // its place in the tree; set when it enters the table
	parent     *proc         // who is to wait for it; nil: the kernel's init; guarded by table.mu
	generation int           // how many are above it that lived when the next was born; set when it enters
	tree       *atomic.Int64 // how many of its tree are in the table, itself included; set when it enters

	tracers atomic.Pointer[tracers] // nil: nobody traces it; changed under mu

	seat    seat          // where it is accounted for; set before it enters the table
	metered time.Duration // of processor time that was charged; guarded by ledger.mu
	pulse   *pulse        // nil: it has no heartbeat
	series  *series       // what it used so far; nil: nobody has looked; guarded by mu

	born   <-chan struct{} // closed when its creation is stored, or could not be; nil: it was before it began
	unborn atomic.Bool     // it could not be

	ending  sync.Once      // over
	leaving sync.Once      // leave
	calls   sync.WaitGroup // of the environment's Kill, Signal, Pause and Resume
	pausing sync.Mutex     // one pause or resume at a time; held while it calls the environment

	remembering   sync.Mutex // one at a time adds to the transcript; guards the next two
	messagesKnown bool       // lastMessage is known
	lastMessage   int64      // of the transcript

	reattached  bool     // an earlier host had this run
	held        env.Held // with reattached: what its environment had of it, if it goes on without a host
	intent      *intent  // what an earlier host had begun to do to it; nil: nothing
	foundPaused bool     // with reattached: it was paused
	seen        int64    // with reattached: up to here its output was told
	resumed     bool     // it goes on from the transcript of those before it
	requeued    bool     // an earlier host has queued it

	mu          sync.Mutex
	rec         process.Process         // the record as it will be once the journal caught up
	cancel      context.CancelCauseFunc // of the run's context; nil before it starts
	canceled    bool                    // a cancel was asked for
	timedOut    bool                    // the clock ran out
	overspent   string                  // a budget was used up: this one
	flooding    bool                    // it wrote more than it may, and is being killed
	killTree    bool                    // canceled with all that is below it
	killed      bool                    // Kill was called
	cause       error                   // why it is being ended; nil: it is not
	asked       bool                    // the program was asked to end: its context is cancelled
	sig         *dispositions           // of its signals; nil: the defaults
	reserved    int64                   // numbers up to here may have been seen, says the store
	resolved    bool                    // Execute has answered, or was given up
	hung        bool                    // it was given up
	reaped      bool                    // it is being reaped, or was
	waiters     int                     // who wait for this run
	dropped     bool                    // left to the next host
	left        func()                  // with dropped: called when the run is gone from its environment; nil: it was not there
	slot        bool                    // holds one of its environment's slots
	halted      bool                    // killed while it was paused
	stopped     bool                    // ended with its host, though its supervisor goes on
	giveUp      context.CancelFunc      // of a pause that is under way
	begun       chan struct{}           // closed when it starts; nil: nobody waits for that
	reattaching bool                    // its environment has not taken it up yet
	clock       stopwatch
	deadline    *time.Timer   // of the timeout; nil: none
	timers      []*time.Timer // timeout, kill and give-up
	log         *rawlog.Log
	pump        *pump
	partials    [2]partial                  // unterminated lines on show
	exited      *process.Exit               // what the OS reported of the leader
	errands     map[*errand]struct{}        // what it waits for
	lent        bool                        // its slot was given back while it waits
	unindexed   bool                        // its lines could not be indexed; the journal's alone
	called      int64                       // tools so far
	asks        map[process.ApprovalID]*ask // approvals that are pending, or whose decision is not stored yet
	asking      int                         // how many are pending
}

func newProc(k *Kernel, rec *process.Process, e *environment) *proc {
	p := &proc{id: rec.ID, k: k, env: e, rec: *rec, done: make(chan struct{}), gone: make(chan struct{}),
		feed: newFeed(k.cfg.SubscriberBuffer, rec.LastSeq, 0), pulse: newPulse(rec.Options.Heartbeat)}
	p.view.Store(rec)
	return p
}

// record appends events to the process's log and stores the record that
// results. p.mu is held. done runs after the commit, in the journal's
// goroutine; it must not block.
func (p *proc) record(done func(error), payloads ...process.Payload) {
	p.append(&entry{done: done}, true, payloads...)
}

// unwatched reports whether nobody reads the process's events as they come.
func (p *proc) unwatched() bool { return !p.feed.wanted() && !p.k.events.wanted() }

// unread is unwatched for its lines.
func (p *proc) unread() bool { return !p.feed.wantsLines() && !p.k.events.wantsLines() }

// append numbers events and hands them to the journal; p.mu is held.
func (p *proc) append(e *entry, update bool, payloads ...process.Payload) {
	e.p = p
	e.change.ID = p.id
	if len(payloads) > 0 {
		e.items = append(e.items, p.numbered(payloads))
	}
	if update {
		e.view = p.snapshot()
		if e.create {
			e.change.Insert = e.view
		} else {
			e.change.Update = p.stored(e.view)
		}
	}
	if len(e.items) > 0 && !e.items[len(e.items)-1].live {
		e.items = append(e.items, p.shown()...)
	}
	p.k.journal.add(e)
}

// stored is what the store keeps of a snapshot: of a run whose lines leave no
// trace on disk, a seq above all that may have been seen.
func (p *proc) stored(rec *process.Process) *process.Process {
	if p.reserved <= rec.LastSeq || rec.State == process.Idle {
		return rec
	}
	ahead := *rec
	ahead.LastSeq = p.reserved
	return &ahead
}

// numbered makes an item of payloads, giving each the next seq.
func (p *proc) numbered(payloads []process.Payload) *item {
	it := &item{p: p, seq: p.rec.LastSeq + 1, count: len(payloads)}
	now := p.k.now()
	it.events = make([]process.Event, len(payloads))
	for i, d := range payloads {
		ev := process.New(d)
		p.rec.LastSeq++
		ev.Seq, ev.Process, ev.Run, ev.At = p.rec.LastSeq, p.id, p.rec.Number, now
		it.events[i] = ev
	}
	return it
}

// shown repeats the partial lines on show with the number their finished
// lines will have now; other events have taken the one they were shown with.
func (p *proc) shown() []*item {
	var items []*item
	for s, l := range p.partials {
		if l.text != "" {
			items = append(items, p.partialItem(rawlog.Stream(s), l))
		}
	}
	return items
}

// partial is an unterminated line that is on show.
type partial struct {
	text   string
	offset int64
}

func (p *proc) partialItem(s rawlog.Stream, l partial) *item {
	ev := process.New(process.OutputAppended{Stream: streamName(s), Line: l.text,
		Offset: l.offset, Partial: true})
	ev.Seq, ev.Process, ev.Run, ev.At = p.rec.LastSeq+1, p.id, p.rec.Number, p.k.now()
	return &item{p: p, seq: ev.Seq, live: true, events: []process.Event{ev}}
}

// snapshot copies the record. Everything it points to is replaced, never
// changed, so that a shallow copy is enough.
func (p *proc) snapshot() *process.Process {
	rec := p.rec
	return &rec
}

// current is the committed record with the live figures of a running one.
func (p *proc) current() *process.Process {
	rec := *p.view.Load()
	if rec.State == process.Running || rec.State == process.Terminating {
		p.mu.Lock()
		p.readClock(&rec.Usage)
		rec.StdoutBytes, rec.StderrBytes = p.rec.StdoutBytes, p.rec.StderrBytes
		rec.Usage.Tokens = p.rec.Usage.Tokens
		if p.series != nil {
			rec.Usage.CPUMS = max(rec.Usage.CPUMS, p.series.cpu)
		}
		if p.log != nil {
			rec.StdoutBytes, rec.StderrBytes = p.log.Size(rawlog.Stdout), p.log.Size(rawlog.Stderr)
		}
		p.mu.Unlock()
	}
	return &rec
}

// move takes the run one step through its lifecycle; p.mu is held.
func (p *proc) move(to process.Lifecycle) error {
	if err := p.rec.Lifecycle.Next(to); err != nil {
		return err
	}
	p.rec.Lifecycle = to
	return nil
}

// readClock fills in how long the run has executed and was paused; p.mu is
// held.
func (p *proc) readClock(u *process.Usage) {
	now := time.Now()
	u.WallMS, u.PausedMS = p.clock.elapsed(now).Milliseconds(), p.clock.inPauses(now).Milliseconds()
}

// later runs f after d unless the run is over by then; p.mu is held.
func (p *proc) later(d time.Duration, f func()) *time.Timer {
	t := time.AfterFunc(d, func() {
		p.mu.Lock()
		over := p.resolved
		p.mu.Unlock()
		if !over {
			f()
		}
	})
	p.timers = append(p.timers, t)
	return t
}

func (p *proc) stopTimers() {
	for _, t := range p.timers {
		t.Stop()
	}
	p.timers = nil
}

// input is what the environment gets.
func (p *proc) input() env.Input {
	earlier := p.earlier
	if p.reattached {
		earlier = p.rec.Output
	}
	return env.Input{EID: p.id, Run: p.rec.Number, Spec: &p.rec.Spec, Earlier: earlier, Payload: p.payload,
		Resume: p.rec.Resumed || p.reattached && p.env.resumable(), Reattach: p.reattached && p.env.reattaches(),
		Paused: p.foundPaused}
}

// archive is the change that keeps the run before the newest one.
func archive(run process.Run) store.Change { return store.Change{Archive: &run} }

func streamName(s rawlog.Stream) process.Stream {
	if s == rawlog.Stderr {
		return process.Stderr
	}
	return process.Stdout
}

// StreamOf is the log of a stream.
func StreamOf(s process.Stream) rawlog.Stream {
	if s == process.Stderr {
		return rawlog.Stderr
	}
	return rawlog.Stdout
}
