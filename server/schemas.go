package server

import (
	"encoding/json"
	"reflect"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/reeverun/reeve/api"
	"github.com/reeverun/reeve/process"
)

// What the domain writes as JSON by itself, described. Each type stands for the
// one of its name without Doc.
type (
	exitDoc struct {
		Code   int     `json:"code"`
		Reason string  `json:"reason"`
		Signal *string `json:"signal"`
	}
	outcomeDoc struct {
		Kind      string             `json:"kind" enum:"succeeded,failed,cancelled"`
		Reason    *reasonDoc         `json:"reason,omitempty" doc:"Why it failed."`
		Summary   *string            `json:"summary,omitempty" nullable:"true"`
		Findings  []process.Finding  `json:"findings" nullable:"false"`
		Survivors []process.Survivor `json:"survivors" nullable:"false" doc:"Processes still alive after the kill; normally none."`
	}
	reasonDoc struct {
		_    struct{} `additionalProperties:"true"`
		Kind string   `json:"kind" enum:"spawn_failed,timeout,known_error,signal,non_zero_exit"`
	}
	progressDoc struct {
		Kind  string   `json:"kind" enum:"unknown,indeterminate,determinate"`
		Hint  *string  `json:"hint,omitempty"`
		Unit  *string  `json:"unit,omitempty" enum:"fraction,count,bytes"`
		Value *float64 `json:"value,omitempty"`
		Done  *int64   `json:"done,omitempty"`
		Total *int64   `json:"total,omitempty" nullable:"true"`
	}
	runOptionsDoc struct {
		TimeoutMS *int64        `json:"timeoutMs" doc:"null: no limit."`
		Grace     int64         `json:"grace,omitempty"`
		Drain     int64         `json:"drain,omitempty"`
		Limits    *api.Limits   `json:"limits,omitempty" doc:"Those that were named."`
		Budget    *runBudgetDoc `json:"budget,omitempty" doc:"As far as those above it allowed it."`
		Heartbeat *int64        `json:"heartbeat,omitempty" doc:"0: never."`
		Sandbox   string        `json:"sandbox,omitempty" enum:"trusted,confined,sandbox"`
		Require   []string      `json:"require,omitempty" nullable:"false" doc:"What it must not run without."`
		JIT       *bool         `json:"jit,omitempty" doc:"Only if it is false."`
		Tools     []string      `json:"tools,omitempty" nullable:"false" doc:"If it was named."`
		Model     string        `json:"model,omitempty"`
		Provider  string        `json:"provider,omitempty"`
		MaxSteps  int           `json:"maxSteps,omitempty"`
		System    string        `json:"system,omitempty"`
	}
	runBudgetDoc struct {
		Tokens     int64  `json:"tokens,omitempty"`
		WallMS     int64  `json:"wallMs,omitempty"`
		CPUMS      int64  `json:"cpuMs,omitempty"`
		Children   int64  `json:"children,omitempty" doc:"-1: none; nothing was left to those above it."`
		Depth      int64  `json:"depth,omitempty" doc:"The same."`
		OnExceeded string `json:"onExceeded,omitempty" enum:"stop,ask"`
	}
	approvalDoc struct {
		ID          int64           `json:"id" example:"3"`
		Process     int64           `json:"process" doc:"Whose program waits."`
		Run         int             `json:"run"`
		Call        int64           `json:"call" doc:"The number of the call in its run, as in the events."`
		Service     string          `json:"service" example:"pets"`
		Tool        string          `json:"tool" example:"delete_pet"`
		Params      json.RawMessage `json:"params" doc:"What the tool would be called with. Stored encrypted."`
		State       string          `json:"state" enum:"pending,approved,denied,expired,canceled" doc:"canceled: its run ended before somebody decided."`
		RequestedAt time.Time       `json:"requestedAt"`
		ExpiresAt   time.Time       `json:"expiresAt" doc:"Then the call fails."`
		DecidedAt   *time.Time      `json:"decidedAt" nullable:"true"`
		DecidedBy   *string         `json:"decidedBy" doc:"The name of the token, or its id if it has none."`
		Reason      *string         `json:"reason"`
	}
	eventDoc struct {
		_       struct{}  `additionalProperties:"true"`
		Seq     int64     `json:"seq" doc:"From 1, without gaps. 0: live only."`
		Cursor  string    `json:"cursor"`
		Process int64     `json:"process"`
		Run     int       `json:"run"`
		At      time.Time `json:"at"`
		Kind    string    `json:"kind" doc:"What it tells. Further fields depend on it."`
	}
)

// spanDoc is written by people, too.
type spanDoc struct{}

// Schema describes both ways to write it.
func (spanDoc) Schema(huma.Registry) *huma.Schema {
	least := 0.0
	return &huma.Schema{OneOf: []*huma.Schema{{Type: huma.TypeInteger, Minimum: &least}, {Type: huma.TypeString}},
		Description: "Milliseconds, or a duration such as 500ms, 5s or 1m30s.", Examples: []any{"5s"}}
}

func newRegistry() huma.Registry {
	r := huma.NewMapRegistry("#/components/schemas/", func(t reflect.Type, hint string) string {
		return strings.TrimSuffix(huma.DefaultSchemaNamer(t, hint), "Doc")
	})
	alias := func(of, to reflect.Type) { r.RegisterTypeAlias(of, to) }
	alias(typeOf[process.Exit](), typeOf[exitDoc]())
	alias(typeOf[process.Outcome](), typeOf[outcomeDoc]())
	alias(typeOf[process.Progress](), typeOf[progressDoc]())
	alias(typeOf[process.Options](), typeOf[runOptionsDoc]())
	alias(typeOf[process.Event](), typeOf[eventDoc]())
	alias(typeOf[process.Approval](), typeOf[approvalDoc]())
	alias(typeOf[process.Stamp](), typeOf[time.Time]())
	alias(typeOf[api.Millis](), typeOf[int64]())
	alias(typeOf[api.Span](), typeOf[spanDoc]())
	return r
}

// nullableObjects lets fields be null that are pointers to structs and always
// written: huma describes that for scalars only.
func nullableObjects(r huma.Registry) {
	for name, s := range r.Map() {
		t := r.TypeFromRef("#/components/schemas/" + name)
		for t != nil && t.Kind() == reflect.Pointer {
			t = t.Elem()
		}
		if t == nil || t.Kind() != reflect.Struct {
			continue
		}
		for _, f := range reflect.VisibleFields(t) {
			tag := f.Tag.Get("json")
			field, _, _ := strings.Cut(tag, ",")
			p := s.Properties[field]
			if p != nil && p.Ref != "" && f.Type.Kind() == reflect.Pointer && !strings.Contains(tag, "omit") {
				s.Properties[field] = &huma.Schema{AnyOf: []*huma.Schema{p, {Type: "null"}}}
			}
		}
	}
}
