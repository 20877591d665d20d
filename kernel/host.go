package kernel

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"time"

	"github.com/reeverun/reeve/env"
	"github.com/reeverun/reeve/process"
	"github.com/reeverun/reeve/rawlog"
)

// host is one run's side of the environment contract. A run is one proc, so a
// late call from an earlier run reaches that run's proc, which is resolved.
type host struct{ p *proc }

var _ env.Host = (*host)(nil)

func (h *host) Started(pid int, e process.Enforced) {
	p := h.p
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.reattaching && !p.resolved {
		p.reattaching = false
		p.begin()
		p.carryOn()
		return
	}
	if p.resolved || p.move(process.LifecycleRunning) != nil {
		return
	}
	now := p.k.notBefore(p.rec.CreatedAt)
	p.clock.start(time.Now())
	if p.reattached { // its start was not stored
		now = p.held.Started
		p.clock.takeUp(process.Usage{}, now, time.Now())
	}
	p.begin()
	p.rec.StartedAt = now
	p.rec.Enforced = &e
	p.rec.State = process.Running
	if p.shallEnd() {
		p.rec.State = process.Terminating
	}
	p.rec.Claimed, p.rec.Ahead = false, false
	p.append(&entry{lazy: p.unwatched(), done: p.observeStart}, true, process.ProcessStarted{PID: pid})
	if p.reattached {
		p.append(&entry{}, false, p.takenUpEvents()...)
		p.carryOn()
	}
	if p.pump != nil {
		p.pump.start()
	}
	p.armDeadline()
	p.startPulse()
	p.armWall()
	p.tick()
	p.holdStarted()
	p.armSampler()
}

func (h *host) Exited(e process.Exit) {
	p := h.p
	p.hear()
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.resolved || p.exited != nil {
		return
	}
	p.exited = &e
	ev := process.Exited{Code: e.Code}
	if e.Signal != "" {
		ev.Signal = &e.Signal
	}
	p.append(&entry{lazy: p.unwatched()}, false, ev)
}

func (h *host) File(s process.Stream) (*os.File, error) {
	log := h.output()
	if log == nil {
		return nil, process.ErrClosed
	}
	return log.File(StreamOf(s))
}

func (h *host) Write(s process.Stream, chunk []byte) error {
	log := h.output()
	if log == nil || len(chunk) == 0 {
		return nil
	}
	h.p.hear()
	return log.Append(StreamOf(s), chunk)
}

// output returns the run's log, made on first use: a run that never writes
// costs no file. It is nil once the run is over.
func (h *host) output() *rawlog.Log {
	p := h.p
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.resolved {
		return nil
	}
	if p.log == nil {
		p.log = p.k.cfg.Logs.Create(int64(p.id), p.rec.Number, policy(p.rec.RawOutput))
		p.pump = newPump(p)
		if p.rec.Lifecycle == process.LifecycleRunning {
			p.pump.start()
		}
	}
	return p.log
}

func (h *host) Output(data map[string]any) {
	if len(data) == 0 {
		return
	}
	p := h.p
	p.hear()
	p.keepPace()
	data, err := asJSON(data)
	if err != nil {
		p.note(process.WarningDetected{Code: "reeve.output_invalid",
			Message: "structured output was dropped, it is not JSON: " + err.Error()})
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.resolved {
		return
	}
	merged := maps.Clone(p.rec.Output)
	if merged == nil {
		merged = map[string]any{}
	}
	maps.Copy(merged, data)
	p.rec.Output = merged
	p.record(nil, process.OutputMerged{Output: data})
}

// asJSON copies data by way of JSON: what is stored and shown later must be
// storable, and nobody else's to change.
func asJSON(data map[string]any) (out map[string]any, err error) {
	b, err := json.Marshal(data)
	if err == nil {
		err = json.Unmarshal(b, &out)
	}
	if err == nil && deeper(out, maxDepth) {
		err = fmt.Errorf("it is nested deeper than %d levels", maxDepth)
	}
	return out, err
}

// maxDepth bounds structured output: readers of JSON have a limit, Go's own is
// 10 000, and a record or an event nobody can read would spoil every list it is in.
const maxDepth = 500

func deeper(v any, limit int) bool {
	switch v := v.(type) {
	case map[string]any:
		for _, e := range v {
			if limit == 0 || deeper(e, limit-1) {
				return true
			}
		}
	case []any:
		for _, e := range v {
			if limit == 0 || deeper(e, limit-1) {
				return true
			}
		}
	}
	return false
}

func (h *host) Timing() env.Timing {
	o := h.p.rec.Options // a Spec does not change
	return env.Timing{Grace: cmp.Or(o.Grace, h.p.k.cfg.Grace), Drain: cmp.Or(o.Drain, h.p.k.cfg.Drain)}
}

func policy(r process.RawOutput) rawlog.Policy {
	switch r {
	case process.PersistGzipOnFinalize:
		return rawlog.KeepGzip
	case process.MemoryOnly:
		return rawlog.KeepMemory
	case process.Disabled:
		return rawlog.KeepNothing
	default:
		return rawlog.KeepFile
	}
}
