package kernel

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/reeverun/reeve/env"
	"github.com/reeverun/reeve/interpret"
	"github.com/reeverun/reeve/process"
	"github.com/reeverun/reeve/rawlog"
	"github.com/reeverun/reeve/store"
)

// Defaults of [Config].
const (
	DefaultGrace            = 5 * time.Second
	DefaultDrain            = time.Second
	DefaultSubscriberBuffer = 4096
	DefaultApprovalLife     = 24 * time.Hour
	DefaultMaxTree          = 256
)

// giveUpAfter bounds how long a run may take to end after it was killed. A
// keeper reports survivors before that; it is for environments that hang.
const giveUpAfter = 20 * time.Second

// Config is what a kernel drives. Zero fields take the defaults above.
type Config struct {
	Store        store.Store
	Logs         *rawlog.Logs
	Interpreters *interpret.Registry
	Environments map[string]Environment

	RawOutput        process.RawOutput // default Persist
	Grace            time.Duration     // between SIGTERM and SIGKILL
	Drain            time.Duration     // for descendants that outlive their leader
	MaxActive        int               // processes that are not idle; 0: no limit
	MaxTree          int               // processes of a tree that a program may have live by starting children
	SubscriberBuffer int               // events a subscriber may fall behind
	KeepQueue        bool              // queued processes survive Close (a durable store)
	EndRunning       bool              // Close ends what runs, also what could go on without a host
	SameLogs         bool              // the logs are those of the last host, and the machine has not been restarted since
	Retention        Retention
	Tools            Tools                                           // nil: there are none
	ToolTimeout      time.Duration                                   // of a tool call; 0: none but the run's own
	ApprovalLife     time.Duration                                   // until an approval that nobody decides expires
	Observe          func(context.Context, Moment, *process.Process) // may be nil
	Notify           func(process.Notification)                      // hears of those that were stored, and must not block; may be nil
	Logger           *slog.Logger

	reaping func(process.ID, string) // sees each step of a reap as it is done, under locks; for tests
	wall    func() time.Time         // the clock that people set; for tests
}

// Environment is an environment with its slots.
type Environment struct {
	env.Environment
	Slots   int           // runs at a time; 0: no limit
	Timeout time.Duration // of runs that name none; 0: none

	Heartbeat time.Duration // of runs that name none; 0: none
}

type environment struct {
	name string
	Environment
	pool *pool
}

// Kernel is the process table with what drives it.
type Kernel struct {
	cfg     Config
	log     *slog.Logger
	envs    map[string]*environment
	table   *table
	ledger  *ledger
	epoch   time.Time // of the heartbeats
	journal *journal
	events  *feed // of all processes
	census  *census
	tags    tagCounts
	sampler *sampler
	nextID  atomic.Int64
	active  atomic.Int64 // runs that are queued or executing

	nextApproval atomic.Int64
	outside      sync.WaitGroup // tool calls, also those their runs have given up, and signal handlers

	blocks    sync.Pool // read buffers of pumps
	closing   atomic.Bool
	followed  atomic.Bool   // another host takes its place: Finish
	closed    chan struct{} // closed when Stop begins
	stopping  sync.Once     // Stop
	releasing sync.Once     // Close
	runs      sync.WaitGroup
	services  sync.WaitGroup
	creating  sync.WaitGroup // creates and re-runs on their way into the table

	spawning sync.Mutex // guards refs, keys and the active cap while a create is under way
	refs     map[string]bool
	keys     map[string]chan struct{} // closed when the create is over
}

// Open sets the environments up, settles what an earlier host left behind and
// starts the queue. The kernel owns neither store nor logs: the caller closes
// them after Close.
func Open(ctx context.Context, cfg Config) (*Kernel, error) {
	cfg.Grace = cmp.Or(cfg.Grace, DefaultGrace)
	cfg.Drain = cmp.Or(cfg.Drain, DefaultDrain)
	cfg.SubscriberBuffer = cmp.Or(cfg.SubscriberBuffer, DefaultSubscriberBuffer)
	cfg.RawOutput = cmp.Or(cfg.RawOutput, process.Persist)
	cfg.ApprovalLife = cmp.Or(cfg.ApprovalLife, DefaultApprovalLife)
	cfg.MaxTree = cmp.Or(cfg.MaxTree, DefaultMaxTree)
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	if cfg.wall == nil {
		cfg.wall = time.Now
	}
	marks, err := cfg.Store.Marks(ctx)
	if err != nil {
		return nil, fmt.Errorf("read marks: %w", err)
	}
	k := &Kernel{cfg: cfg, log: cfg.Logger, envs: map[string]*environment{}, table: newTable(), ledger: newLedger(), census: newCensus(), sampler: newSampler(), epoch: time.Now(),
		closed: make(chan struct{}), refs: map[string]bool{}, keys: map[string]chan struct{}{},
		blocks: sync.Pool{New: func() any { b := make([]byte, blockSize); return &b }}}
	k.nextID.Store(int64(marks.ID))
	k.nextApproval.Store(int64(marks.Approval))
	if err := k.setup(ctx); err != nil {
		return nil, err
	}
	rec, err := k.findUnsettled(ctx, marks.Cursor)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("settle interrupted processes: %w", err), k.teardown(ctx))
	}
	k.events = newFeed(cfg.SubscriberBuffer, 0, rec.cursor)
	k.journal = newJournal(cfg.Store, k.events, k.census, rec.cursor, k.backlog, k.log)
	if err := k.settle(ctx, rec); err != nil {
		return nil, errors.Join(fmt.Errorf("settle approvals: %w", err), k.Close())
	}
	k.startRetention(ctx)
	k.startSampler()
	return k, nil
}

func (k *Kernel) setup(ctx context.Context) error {
	for name, e := range k.cfg.Environments {
		if err := e.Setup(ctx); err != nil {
			return errors.Join(fmt.Errorf("set up environment %s: %w", name, err), k.teardown(ctx))
		}
		k.envs[name] = &environment{name: name, Environment: e,
			pool: &pool{limit: e.Slots, claim: k.claim, begin: k.begin, ahead: k.mayClaimAhead}}
	}
	return nil
}

// backlog reports whether a crowd waits for the slots of an environment.
func (k *Kernel) backlog() bool {
	for _, e := range k.envs {
		if e.pool.waiting() >= crowd {
			return true
		}
	}
	return false
}

func (k *Kernel) teardown(ctx context.Context) (err error) {
	for name, e := range k.envs {
		if terr := e.Teardown(ctx); terr != nil {
			err = errors.Join(err, fmt.Errorf("tear down environment %s: %w", name, terr))
		}
	}
	return err
}

// Drain stops accepting processes and waits until what runs has ended, or ctx
// is over. Queued processes stay queued where they survive Close, else they
// run too. Paused ones are not waited for, they would not end. Call Close
// afterwards.
func (k *Kernel) Drain(ctx context.Context) error {
	return k.drain(ctx, k.table.list, (*proc).isPaused)
}

// Finish is Drain for a host whose place another takes: it does not wait for
// supervisors and what they keep running, nor for what goes on under the next
// host, which Close then leaves alone, also with EndRunning.
func (k *Kernel) Finish(ctx context.Context) error {
	k.followed.Store(true)
	return k.drain(ctx, k.table.unsupervised, (*proc).endless)
}

func (k *Kernel) drain(ctx context.Context, all func() []*proc, endless func(*proc) bool) error {
	k.spawning.Lock()
	k.closing.Store(true)
	k.spawning.Unlock()
	if k.cfg.KeepQueue {
		for _, e := range k.envs {
			e.pool.close()
		}
	}
	k.creating.Wait()
	for _, p := range all() {
		if k.cfg.KeepQueue && p.waiting() || endless(p) {
			continue
		}
		select {
		case <-p.done:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return nil
}

// Stop stops accepting processes, ends what runs (SIGTERM, the grace, SIGKILL)
// and waits for it. Where they survive, queued processes stay queued, paused
// ones that can go on later stay paused, and those that go on without a host do
// so, unless EndRunning; else they are canceled, supervised ones by their
// supervisor, if that is ended. What there is can still be read, until Close. It
// may be called again, and waits then, too.
func (k *Kernel) Stop() { k.stopping.Do(k.stop) }

func (k *Kernel) stop() {
	k.spawning.Lock()
	k.closing.Store(true)
	close(k.closed)
	k.spawning.Unlock()
	k.journal.hurry.Store(true)
	k.creating.Wait()
	for _, e := range k.envs {
		e.pool.close()
	}
	k.shutdownAll()
	k.runs.Wait()
}

// Close is Stop, and releases everything. It may be called again.
func (k *Kernel) Close() (err error) {
	k.releasing.Do(func() {
		k.Stop()
		err = k.teardown(context.Background())
		k.awaitOutside()
		k.services.Wait()
		k.journal.close()
		for _, p := range k.table.list() {
			p.feed.end()
		}
		k.events.end()
	})
	return err
}

// Closing reports whether the kernel takes no more work.
func (k *Kernel) Closing() bool { return k.closing.Load() }

// Environments returns the names of what can be run.
func (k *Kernel) Environments() map[string]Environment { return k.cfg.Environments }

// now is the date. It may go back: see calendar.go.
func (k *Kernel) now() time.Time { return k.cfg.wall().UTC() }
