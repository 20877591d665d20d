package memory

import (
	"maps"
	"reflect"
	"slices"

	"github.com/reeverun/reeve/process"
)

// The copies below share nothing with their originals. They are written out
// because spawning pays for them; storetest finds a reference they forget.

func cloneProcess(p *process.Process) process.Process {
	c := *p
	c.Tags = slices.Clone(p.Tags)
	c.Options.Tools = slices.Clone(p.Options.Tools)
	c.Options.Require = slices.Clone(p.Options.Require)
	c.Command = cloneCommand(p.Command)
	c.Notify = clonePtr(p.Notify)
	c.Run = cloneRun(&p.Run)
	return c
}

func cloneCommand(c *process.Command) *process.Command {
	if c == nil {
		return nil
	}
	d := *c
	d.Args = slices.Clone(c.Args)
	d.Env = maps.Clone(c.Env)
	d.SuccessCodes = slices.Clone(c.SuccessCodes)
	return &d
}

func cloneRun(r *process.Run) process.Run {
	c := *r
	c.Exit = clonePtr(r.Exit)
	c.Phase = clonePtr(r.Phase)
	if r.Outcome != nil {
		o := cloneOutcome(*r.Outcome)
		c.Outcome = &o
	}
	if r.Output != nil {
		c.Output = cloneValue(r.Output).(map[string]any)
	}
	if r.Enforced != nil {
		c.Enforced = clonePtr(r.Enforced)
		c.Enforced.Missing = slices.Clone(r.Enforced.Missing)
		c.Enforced.Confined = slices.Clone(r.Enforced.Confined)
	}
	return c
}

func cloneOutcome(o process.Outcome) process.Outcome {
	o.Reason = clonePtr(o.Reason)
	o.Survivors = slices.Clone(o.Survivors)
	o.Findings = slices.Clone(o.Findings)
	for i := range o.Findings {
		o.Findings[i] = cloneFinding(o.Findings[i])
	}
	return o
}

func cloneFinding(f process.Finding) process.Finding {
	f.Action = clonePtr(f.Action)
	f.Related = clonePtr(f.Related)
	return f
}

func clonePtr[T any](p *T) *T {
	if p == nil {
		return nil
	}
	v := *p
	return &v
}

// cloneValue copies structured output. JSON's own types need no reflection.
func cloneValue(v any) any {
	switch v := v.(type) {
	case nil, bool, string, float64, int, int64:
		return v
	case map[string]any:
		c := make(map[string]any, len(v))
		for k, e := range v {
			c[k] = cloneValue(e)
		}
		return c
	case []any:
		c := make([]any, len(v))
		for i, e := range v {
			c[i] = cloneValue(e)
		}
		return c
	}
	return deepCopy(reflect.ValueOf(v)).Interface()
}

// cloneEvent copies an event. The payloads of every run that hold no reference
// are told apart by type; any other goes the long way, new kinds included.
func cloneEvent(e *process.Event) process.Event {
	c := *e
	switch d := e.Data.(type) {
	case process.ProcessQueued, process.ProcessStarted, process.PhaseEntered, process.PhaseUpdated,
		process.PhaseExited, process.ProgressUpdated, process.SignalDelivered, process.Cancelled,
		process.ToolCalled, process.ToolReturned, process.ApprovalRequested, process.ApprovalDecided:
	case process.ProcessCreated:
		d.Label, d.Tags, d.Parent = clonePtr(d.Label), slices.Clone(d.Tags), clonePtr(d.Parent)
		c.Data = d
	case process.Finalized:
		d.Outcome = cloneOutcome(d.Outcome)
		c.Data = d
	case process.Reaped:
		d.Steps = slices.Clone(d.Steps)
		c.Data = d
	case process.Exited:
		d.Signal = clonePtr(d.Signal)
		c.Data = d
	default:
		c.Data = deepCopy(reflect.ValueOf(d)).Interface().(process.Payload)
	}
	return c
}

// deepCopy copies any value made of exported fields. Structs with unexported
// ones (time.Time) are taken as they are: they are values.
func deepCopy(v reflect.Value) reflect.Value {
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			return v
		}
		c := reflect.New(v.Type().Elem())
		c.Elem().Set(deepCopy(v.Elem()))
		return c
	case reflect.Interface:
		if v.IsNil() {
			return v
		}
		c := reflect.New(v.Type()).Elem()
		c.Set(deepCopy(v.Elem()))
		return c
	case reflect.Slice:
		if v.IsNil() {
			return v
		}
		c := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
		for i := range v.Len() {
			c.Index(i).Set(deepCopy(v.Index(i)))
		}
		return c
	case reflect.Array:
		c := reflect.New(v.Type()).Elem()
		for i := range v.Len() {
			c.Index(i).Set(deepCopy(v.Index(i)))
		}
		return c
	case reflect.Map:
		if v.IsNil() {
			return v
		}
		c := reflect.MakeMapWithSize(v.Type(), v.Len())
		for it := v.MapRange(); it.Next(); {
			c.SetMapIndex(it.Key(), deepCopy(it.Value()))
		}
		return c
	case reflect.Struct:
		c := reflect.New(v.Type()).Elem()
		c.Set(v)
		for i := range v.NumField() {
			if f := c.Field(i); f.CanSet() {
				f.Set(deepCopy(v.Field(i)))
			}
		}
		return c
	}
	return v
}
