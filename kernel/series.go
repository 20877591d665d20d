package kernel

import (
	"context"
	"slices"
	"time"

	"github.com/reeverun/reeve/process"
)

// series is what a run used as time went by, so far; its run's lock guards it.
type series struct {
	step    time.Duration // between two samples
	samples []process.UsageSample
	looks   int       // how many samples there would be if nothing stayed the same
	due     time.Time // of the next sample
	cpu     int64     // milliseconds of processor time, when last looked at
	found   bool      // what an earlier host knew was asked for
}

// add keeps a sample. When there are too many every other one goes, and the rest
// come half as often from then on. Of what stays the same the beginning and the
// end are kept, so that a process that sleeps has two samples.
func (s *series) add(u process.UsageSample) {
	if s.looks++; s.looks > process.MaxSamples {
		if len(s.samples) >= process.MaxSamples {
			kept := s.samples[:0]
			for i := 1; i < len(s.samples); i += 2 {
				kept = append(kept, s.samples[i])
			}
			s.samples = kept
		}
		s.looks = process.MaxSamples/2 + 1
		s.step *= 2
	}
	if n := len(s.samples); n > 1 && alike(&u, &s.samples[n-1]) && alike(&u, &s.samples[n-2]) {
		s.samples[n-1].At = u.At
		return
	}
	s.samples = append(s.samples, u)
}

// alike reports whether two samples differ in nothing but their time.
func alike(a, b *process.UsageSample) bool {
	return a.CPUMS == b.CPUMS && a.RSSBytes == b.RSSBytes && a.PIDs == b.PIDs && a.Tokens == b.Tokens
}

// shown is the series as it is told and stored.
func (s *series) shown(run int) process.UsageSeries {
	return process.UsageSeries{Run: run, StepMS: s.step.Milliseconds(), Samples: slices.Clone(s.samples)}
}

// takeUp goes on with what an earlier host knew.
func (s *series) takeUp(known process.UsageSeries) {
	s.found = true
	if len(known.Samples) == 0 {
		return
	}
	s.step = max(s.step, time.Duration(known.StepMS)*time.Millisecond)
	own := s.samples
	s.samples, s.looks = known.Samples, len(known.Samples)
	for _, u := range own {
		s.add(u)
	}
}

// findSeries begins the run's series, with what an earlier host knew of it.
func (p *proc) findSeries() {
	p.mu.Lock()
	s, run := p.usage(), p.rec.Number
	found := s.found
	p.mu.Unlock()
	if found {
		return
	}
	known, err := p.k.cfg.Store.Series(context.Background(), p.id, run)
	if err != nil {
		p.k.log.Error("read what a run has used", "process", p.id, "error", err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if !s.found {
		s.takeUp(known)
	}
}

// usage returns the run's series; p.mu is held.
func (p *proc) usage() *series {
	if p.series == nil {
		p.series = &series{step: sampleEvery, found: !p.reattached}
	}
	return p.series
}

// noteTokens keeps when an agent spent its tokens: nobody else looks at it.
// p.mu is held.
func (p *proc) noteTokens() {
	if p.sampled() {
		return
	}
	s, now := p.usage(), p.k.now()
	u := process.UsageSample{At: process.Stamp{Time: now}, Tokens: p.rec.Usage.Tokens}
	if n := len(s.samples); n > 0 && now.Sub(s.samples[n-1].At.Time) < s.step {
		u.At = s.samples[n-1].At
		s.samples[n-1] = u
		return
	}
	s.add(u)
}

// closeSeries adds what the run has used in all to its series; p.mu is held. Of
// a run that was over before anybody looked there is none.
func (p *proc) closeSeries() []process.UsageSeries {
	s := p.series
	if s == nil || len(s.samples) == 0 {
		return nil
	}
	at := p.rec.CompletedAt
	if last := s.samples[len(s.samples)-1].At.Time; at.Before(last) {
		at = last
	}
	s.add(process.UsageSample{At: process.Stamp{Time: at}, CPUMS: max(p.rec.Usage.CPUMS, s.cpu), Tokens: p.rec.Usage.Tokens})
	return []process.UsageSeries{s.shown(p.rec.Number)}
}
