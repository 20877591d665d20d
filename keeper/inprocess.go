package keeper

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"

	"github.com/reeverun/reeve/process"
)

// Options say how an in-process spawner holds its jobs. The zero value is
// usable.
type Options struct {
	// Name identifies the data directory and is the same after a restart: it
	// is how a new host finds what a dead one left running.
	Name string
	// Tier forces one; empty is the best that works here.
	Tier Tier
	// NoGroup leaves jobs in the host's session and process group (Unix), so
	// that a terminal's signals reach them.
	NoGroup bool
	// Keep says which cgroups that dead hosts of this Name left behind are
	// not ended, because their trees will be adopted. Nil keeps none.
	Keep func(cgroup string) bool
	// PIDs is how many processes and threads a job may have that does not say
	// itself; 0 is DefaultPIDs, less than 0 no limit.
	PIDs int

	without []string // features that a test wants to see missing
}

// TierReport says whether a tier works on this machine, for this user.
type TierReport struct {
	Tier      Tier
	Available bool
	Reason    string // why not; empty when it is
}

// holder starts programs and holds their trees by one tier.
type holder interface {
	start(c *command) (tree, int, error)
	// close is called once, when every tree has been freed.
	close() error
}

// NewInProcess returns a spawner whose jobs are children of this process. The
// tier is tried out before it is chosen. Jobs end with Close; if the host dies
// without it, the next spawner of the same Name ends what is left (cgroup2) or
// the jobs end by themselves (subreaper, jobobject).
//
// From now on no descriptor this process inherited from its own parent is
// passed on to a child, and signals it ignores are not ignored by its children
// (it drops them itself).
func NewInProcess(o Options) (Spawner, error) {
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return nil, fmt.Errorf("open the null device: %w", err)
	}
	s := &spawner{null: null, jobs: make(map[*job]struct{}), undo: shield()}
	for _, t := range tiers() {
		if o.Tier != "" && o.Tier != t {
			continue
		}
		h, err := open(t, o)
		if err == nil {
			s.tier, s.holder = t, h
			return s, nil
		}
		s.reasons = append(s.reasons, fmt.Sprintf("%s: %v", t, err))
	}
	s.undo()
	null.Close()
	if len(s.reasons) == 0 {
		return nil, fmt.Errorf("tier %q does not exist on this system", o.Tier)
	}
	return nil, fmt.Errorf("no way to hold process trees: %v", s.reasons)
}

// Probe tries every tier of this system, strongest first.
func Probe() []TierReport {
	var out []TierReport
	for _, t := range tiers() {
		r := TierReport{Tier: t, Available: true}
		h, err := open(t, Options{Name: "probe"})
		if err == nil {
			err = h.close()
		}
		if err != nil {
			r.Available, r.Reason = false, err.Error()
		}
		out = append(out, r)
	}
	return out
}

// spawner is the Spawner of every tier.
type spawner struct {
	tier    Tier
	reasons []string
	holder  holder
	null    *os.File
	undo    func() // of shield

	running sync.WaitGroup // the jobs' goroutines

	life   sync.RWMutex // held for reading while a start is under way
	closed bool         // guarded by life

	mu   sync.Mutex
	jobs map[*job]struct{} // not yet freed; guarded by mu
}

// Tier is how trees are held.
func (s *spawner) Tier() Tier { return s.tier }

// Reasons says why not better.
func (s *spawner) Reasons() []string { return append([]string(nil), s.reasons...) }

// Spawn starts a program. The context is looked at before the start only: a
// start takes a millisecond and is not given up half way.
func (s *spawner) Spawn(ctx context.Context, spec Spec) (Job, error) {
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	con, err := openConsole(&spec)
	if err != nil {
		return nil, err
	}
	j, err := s.start(spec, con)
	if err != nil {
		con.close()
	}
	return j, err
}

// start starts a program, with a console or nil.
func (s *spawner) start(spec Spec, con *console) (Job, error) {
	c, err := newCommand(spec, s.null)
	if err != nil {
		return nil, err
	}
	c.tty = spec.PTY != nil
	s.life.RLock()
	defer s.life.RUnlock()
	if s.closed {
		return nil, process.ErrClosed
	}
	t, pid, err := s.holder.start(c)
	if err != nil {
		return nil, err
	}
	j := s.hold(newJob(s, con.start(t), pid, c), con)
	if c.limits.CPU > 0 {
		j.watchCPU(c.limits.CPU)
	}
	return j, nil
}

// hold takes a job that has just begun into the books.
func (s *spawner) hold(j *job, con *console) *job {
	if con != nil {
		j.input = con.input
	}
	s.mu.Lock()
	s.jobs[j] = struct{}{}
	s.mu.Unlock()
	s.running.Add(1) // the follower's; see job.follow
	return j
}

func (s *spawner) forget(j *job) {
	s.mu.Lock()
	delete(s.jobs, j)
	s.mu.Unlock()
}

func (s *spawner) list() []*job {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := make([]*job, 0, len(s.jobs))
	for j := range s.jobs {
		out = append(out, j)
	}
	return out
}

// Close kills what still runs, waits until it is gone or the kill has given
// up, and releases the rest. Its error names what survived. A second call does
// nothing.
func (s *spawner) Close() error {
	s.life.Lock()
	again := s.closed
	s.closed = true
	s.life.Unlock()
	if again {
		return nil
	}
	jobs := s.list()
	for _, j := range jobs {
		j.Kill()
	}
	ctx, cancel := context.WithTimeout(context.Background(), killFor)
	defer cancel()
	var errs []error
	for _, j := range jobs {
		if j.WaitEmpty(ctx) == nil {
			continue
		}
		for _, m := range j.Members() {
			errs = append(errs, fmt.Errorf("process %d outlived its kill: %s", m.PID, m.Command))
		}
	}
	for _, j := range s.list() {
		j.tree.abandon()
	}
	s.running.Wait()
	for _, j := range s.list() { // those nobody released
		j.free()
	}
	errs = append(errs, s.holder.close(), s.null.Close())
	s.undo()
	return errors.Join(errs...)
}
