package envfake

import (
	"strconv"
	"strings"
	"time"

	"github.com/reeverun/reeve/env"
	"github.com/reeverun/reeve/process"
)

// CPU is what a script has pretended to use.
func (e *Env) CPU(eid process.ID) time.Duration {
	if p := e.player(eid); p != nil {
		return time.Duration(p.burnt.Load())
	}
	return 0
}

// Sample is that and a memory of its own size.
func (e *Env) Sample(eid process.ID) (env.Sample, bool) {
	p := e.player(eid)
	if p == nil {
		return env.Sample{}, false
	}
	return env.Sample{CPU: time.Duration(p.burnt.Load()), RSS: 1 << 20, PIDs: 1}, true
}

// burn plays "burn DURATION".
func (p *player) burn(arg string) error {
	d, err := time.ParseDuration(arg)
	p.burnt.Add(int64(d))
	return err
}

// end plays "end CODE REASON".
func (p *player) end(arg string) (env.Result, error, bool) {
	text, reason, _ := strings.Cut(arg, " ")
	code, err := strconv.Atoi(text)
	return env.Result{State: process.ExitFailed, Exit: &process.Exit{Code: code, Reason: reason}}, err, true
}
