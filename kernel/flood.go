package kernel

import (
	"fmt"

	"github.com/reeverun/reeve/process"
)

// A run that may write so much and no more is killed when the pump, which looks
// as often as it reads, finds that it has written more: what it wrote until
// then is kept. An environment that passes output on by itself may stop it to
// the byte, and sooner.

// watchFlood ends a run that has written more than it may.
func (u *pump) watchFlood() {
	limit := u.p.rec.Options.Limits.OutputBytes // a Spec does not change
	if limit == 0 || u.flooded || u.written() <= limit {
		return
	}
	u.flooded = true
	u.p.flood()
}

// written is how much the run has written, read or not.
func (u *pump) written() (n int64) {
	for _, s := range streams {
		n += u.log.Size(s)
	}
	return n
}

// flood kills the run, unless it is being ended already.
func (p *proc) flood() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.resolved || p.dropped || p.shallEnd() {
		return
	}
	p.flooding = true
	p.rec.State = process.Terminating
	p.record(nil)
	go p.kill()
}

// drown adds to a verdict that the run has written more than it may; p.mu is
// held.
func (p *proc) drown(v *verdict) {
	limit := p.rec.Options.Limits.OutputBytes
	if limit == 0 || p.pump == nil {
		return
	}
	written := p.pump.written()
	if written <= limit {
		return
	}
	f := process.LimitFinding(process.Warning, "output", "outputBytes",
		fmt.Sprintf("it wrote %s, more than its limit of %s", process.SizeText(written), process.SizeText(limit)))
	if p.flooding && !p.shallEnd() && v.state != process.ExitSuccess && v.err == "" {
		v.state, v.err = process.ExitFailed, "killed by the output limit of "+process.SizeText(limit)
		f.Severity = process.ErrorSeverity
	}
	v.findings = append(v.findings, f)
}
