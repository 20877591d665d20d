package kernel

import (
	"runtime"
	"time"

	"github.com/reeverun/reeve/env"
)

// How often the CPU time of a budget is looked at: not before it could be used
// up, within these bounds.
const (
	sampleLeast = 25 * time.Millisecond
	sampleMost  = time.Second
)

// armSampler begins to look at the CPU time of what an account bounds, if it
// bounds that.
func (k *Kernel) armSampler(a *account) {
	k.ledger.mu.Lock()
	defer k.ledger.mu.Unlock()
	if a.bound.CPUMS <= 0 || a.state != accountOpen || !a.alive() {
		return
	}
	left := (millis(a.bound.CPUMS) - a.cpu) / time.Duration(runtime.NumCPU())
	wait := min(max(left, sampleLeast), sampleMost)
	if a.sampler == nil {
		a.sampler = time.AfterFunc(wait, func() { k.sample(a) })
		return
	}
	a.sampler.Reset(wait)
}

// armSampler does so for the run's own account, if it has one.
func (p *proc) armSampler() {
	if p.seat.account != nil && p.seat.generation == 0 {
		p.k.armSampler(p.seat.account)
	}
}

// sample charges what the runs of an account have computed since the last time.
func (k *Kernel) sample(a *account) {
	for _, p := range k.ledger.members(a) {
		if used, ok := p.cpuSoFar(); ok {
			k.chargeCPU(p, used)
		}
	}
	k.armSampler(a)
}

// cpuSoFar asks the environment, if it knows and the run executes.
func (p *proc) cpuSoFar() (time.Duration, bool) {
	m, ok := p.env.Environment.Environment.(env.Meter)
	if !ok {
		return 0, false
	}
	p.mu.Lock()
	if p.executing() != nil {
		p.mu.Unlock()
		return 0, false
	}
	p.calls.Add(1)
	p.mu.Unlock()
	defer p.calls.Done()
	return m.CPU(p.id), true
}
