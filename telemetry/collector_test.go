package telemetry_test

import (
	"compress/gzip"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
)

// fakeCollector takes spans as an OpenTelemetry collector does: it decodes the
// JSON form of OTLP by its own types, strictly.
type fakeCollector struct {
	*httptest.Server
	t       *testing.T
	arrived chan struct{} // after each request

	mu       sync.Mutex
	answers  []int // statuses of the next requests; then 200
	paths    []string
	headers  []http.Header
	resource map[string]any
	spans    []span
}

type span struct {
	TraceID, SpanID, ParentSpanID, TraceState, Name string
	Flags                                           uint32
	Kind                                            int
	StartTimeUnixNano, EndTimeUnixNano              int64 `json:",string"`
	Attributes                                      []attr
	Events                                          []struct {
		TimeUnixNano int64 `json:",string"`
		Name         string
		Attributes   []attr
	}
	Links  []struct{ TraceID, SpanID string }
	Status struct {
		Code    int
		Message string
	}
}

type attr struct {
	Key   string
	Value struct {
		StringValue *string
		IntValue    *int64 `json:",string"`
		BoolValue   *bool
		DoubleValue *float64
	}
}

func newCollector(t *testing.T, answers ...int) *fakeCollector {
	c := &fakeCollector{t: t, answers: answers, arrived: make(chan struct{}, 1000)}
	c.Server = httptest.NewServer(c)
	t.Cleanup(c.Close)
	return c
}

// ServeHTTP implements http.Handler.
func (c *fakeCollector) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	defer func() { c.arrived <- struct{}{} }()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.paths, c.headers = append(c.paths, r.URL.Path), append(c.headers, r.Header)
	var body io.Reader = r.Body
	if r.Header.Get("Content-Encoding") == "gzip" {
		packed, err := gzip.NewReader(body)
		if err != nil {
			c.t.Error(err)
			return
		}
		body = packed
	}
	spans, resource, err := decode(body)
	if err != nil {
		c.t.Error(err)
	}
	if len(c.answers) > 0 {
		status := c.answers[0]
		c.answers = c.answers[1:]
		w.WriteHeader(status)
		return
	}
	c.resource, c.spans = resource, append(c.spans, spans...)
	_, _ = io.WriteString(w, "{}")
}

func decode(r io.Reader) ([]span, map[string]any, error) {
	var in struct {
		ResourceSpans []struct {
			Resource   struct{ Attributes []attr }
			ScopeSpans []struct {
				Scope struct{ Name, Version string }
				Spans []span
			}
		}
	}
	dec := json.NewDecoder(r)
	dec.DisallowUnknownFields()
	if err := dec.Decode(&in); err != nil {
		return nil, nil, err
	}
	rs := in.ResourceSpans[0]
	return rs.ScopeSpans[0].Spans, asMap(rs.Resource.Attributes), nil
}

func asMap(all []attr) map[string]any {
	out := map[string]any{}
	for _, a := range all {
		switch v := a.Value; {
		case v.StringValue != nil:
			out[a.Key] = *v.StringValue
		case v.IntValue != nil:
			out[a.Key] = *v.IntValue
		case v.BoolValue != nil:
			out[a.Key] = *v.BoolValue
		case v.DoubleValue != nil:
			out[a.Key] = *v.DoubleValue
		}
	}
	return out
}

// named returns the one span of a name.
func (c *fakeCollector) named(name string) span {
	c.t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	var found []span
	for _, s := range c.spans {
		if s.Name == name {
			found = append(found, s)
		}
	}
	if len(found) != 1 {
		c.t.Fatalf("%d spans are named %q among %+v", len(found), name, c.spans)
	}
	return found[0]
}

func (c *fakeCollector) count() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.spans)
}
