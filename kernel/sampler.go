package kernel

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/reeverun/reeve/env"
	"github.com/reeverun/reeve/process"
)

// How often runs are looked at, and for how long after somebody has listed
// processes all of them are, not only those that are due.
const (
	sampleEvery   = time.Second
	sampleWatched = 10 * time.Second
)

// sampleShare is which part of the time looking may take, at most.
const sampleShare = 20

// sampler looks at what runs use, those whose environment can tell. It is one
// goroutine for all of them, and none while there is nothing to look at.
type sampler struct {
	wake    chan struct{}
	watched atomic.Int64 // when somebody last listed processes, since the kernel's epoch

	mu   sync.Mutex
	runs map[*proc]struct{}
	next time.Time // when it looks; zero: when there is something to look at
}

func newSampler() *sampler {
	return &sampler{wake: make(chan struct{}, 1), runs: map[*proc]struct{}{}}
}

// sampled reports whether the sampler looks at the run.
func (p *proc) sampled() bool {
	_, ok := p.env.Environment.Environment.(env.Sampler)
	return ok
}

// join has a run looked at.
func (s *sampler) join(p *proc) {
	if !p.sampled() {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.runs[p] = struct{}{}
	if s.next.IsZero() || time.Until(s.next) > sampleEvery {
		s.poke()
	}
}

func (s *sampler) leave(p *proc) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.runs, p)
}

func (s *sampler) poke() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// watch notes that somebody looks at processes.
func (k *Kernel) watch() {
	now := int64(time.Since(k.epoch))
	if last := k.sampler.watched.Swap(now); last == 0 || now-last > int64(sampleWatched) {
		k.sampler.poke()
	}
}

func (k *Kernel) isWatched() bool {
	at := k.sampler.watched.Load()
	return at > 0 && time.Since(k.epoch)-time.Duration(at) < sampleWatched
}

// startSampler looks at runs until the kernel closes.
func (k *Kernel) startSampler() {
	k.services.Go(func() {
		var timer <-chan time.Time
		for {
			select {
			case <-k.closed:
				return
			case <-timer:
			case <-k.sampler.wake:
			}
			timer = nil
			if wait, ok := k.sampleRuns(); ok {
				timer = time.After(wait)
			}
		}
	})
}

// sampleRuns looks at the runs that are due, and returns when to come again; not
// ok: when it is woken.
func (k *Kernel) sampleRuns() (wait time.Duration, ok bool) {
	s, begun, watched := k.sampler, time.Now(), k.isWatched()
	var next time.Time
	for _, p := range s.list() {
		if due := p.sample(begun, watched); next.IsZero() || due.Before(next) {
			next = due
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.runs) == 0 {
		s.next = time.Time{}
		return 0, false
	}
	if watched || next.IsZero() {
		next = begun.Add(sampleEvery)
	}
	wait = max(next.Sub(begun), sampleEvery, sampleShare*time.Since(begun))
	s.next = begun.Add(wait)
	return wait, true
}

func (s *sampler) list() []*proc {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := make([]*proc, 0, len(s.runs))
	for p := range s.runs {
		all = append(all, p)
	}
	return all
}

// sample looks at a run, if a sample is due or somebody watches, and returns when
// the next one is. Nobody looks at one that is paused.
func (p *proc) sample(now time.Time, watched bool) (due time.Time) {
	p.findSeries()
	p.mu.Lock()
	s := p.series
	if s.due.IsZero() {
		s.due = now.Add(s.step)
	}
	switch {
	case p.executing() != nil || p.rec.Paused:
		defer p.mu.Unlock()
		return now.Add(s.step)
	case now.Before(s.due) && !watched:
		defer p.mu.Unlock()
		return s.due
	}
	p.calls.Add(1)
	p.mu.Unlock()
	defer p.calls.Done()
	u, ok := p.env.Environment.Environment.(env.Sampler).Sample(p.id)
	p.mu.Lock()
	defer p.mu.Unlock()
	if ok && p.executing() == nil {
		p.keepSample(u, now)
	}
	return s.due
}

// keepSample notes what was seen; p.mu is held. Less processor time than before
// is no news but an end.
func (p *proc) keepSample(u env.Sample, now time.Time) {
	s, cpu := p.series, u.CPU.Milliseconds()
	if cpu < s.cpu {
		return
	}
	s.cpu = cpu
	if now.Before(s.due) {
		return
	}
	s.add(process.UsageSample{At: process.Stamp{Time: p.k.now()}, CPUMS: cpu, RSSBytes: u.RSS, PIDs: u.PIDs, Tokens: p.rec.Usage.Tokens})
	s.due = now.Add(s.step)
}
