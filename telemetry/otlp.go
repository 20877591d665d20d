package telemetry

import (
	"strconv"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
)

// These types are the JSON form of OTLP's ExportTraceServiceRequest: ids in
// hexadecimal, 64-bit numbers as strings, enumerations as numbers.
type (
	otlpRequest struct {
		ResourceSpans []otlpResourceSpans `json:"resourceSpans"`
	}
	otlpResourceSpans struct {
		Resource   otlpResource     `json:"resource"`
		ScopeSpans []otlpScopeSpans `json:"scopeSpans"`
	}
	otlpResource struct {
		Attributes []otlpAttribute `json:"attributes"`
	}
	otlpScopeSpans struct {
		Scope otlpScope  `json:"scope"`
		Spans []otlpSpan `json:"spans"`
	}
	otlpScope struct {
		Name    string `json:"name"`
		Version string `json:"version,omitempty"`
	}
	otlpSpan struct {
		TraceID      string          `json:"traceId"`
		SpanID       string          `json:"spanId"`
		TraceState   string          `json:"traceState,omitempty"`
		ParentSpanID string          `json:"parentSpanId,omitempty"`
		Flags        uint32          `json:"flags,omitempty"`
		Name         string          `json:"name"`
		Kind         int             `json:"kind"`
		Start        nanos           `json:"startTimeUnixNano"`
		End          nanos           `json:"endTimeUnixNano"`
		Attributes   []otlpAttribute `json:"attributes,omitempty"`
		Events       []otlpEvent     `json:"events,omitempty"`
		Links        []otlpLink      `json:"links,omitempty"`
		Status       otlpStatus      `json:"status"`
	}
	otlpEvent struct {
		At         nanos           `json:"timeUnixNano"`
		Name       string          `json:"name"`
		Attributes []otlpAttribute `json:"attributes,omitempty"`
	}
	otlpLink struct {
		TraceID string `json:"traceId"`
		SpanID  string `json:"spanId"`
	}
	otlpStatus struct {
		Message string `json:"message,omitempty"`
		Code    int    `json:"code,omitempty"`
	}
	otlpAttribute struct {
		Key   string         `json:"key"`
		Value map[string]any `json:"value"`
	}
)

// nanos is a time in nanoseconds since 1970, as a string.
type nanos time.Time

// MarshalText implements encoding.TextMarshaler.
func (n nanos) MarshalText() ([]byte, error) {
	return strconv.AppendInt(nil, time.Time(n).UnixNano(), 10), nil
}

// toOTLP wraps a batch; all spans are of one program and one scope.
func toOTLP(batch []sdk.ReadOnlySpan) otlpRequest {
	spans := make([]otlpSpan, len(batch))
	for i, s := range batch {
		spans[i] = toSpan(s)
	}
	in := batch[0].InstrumentationScope()
	return otlpRequest{[]otlpResourceSpans{{
		Resource:   otlpResource{toAttributes(batch[0].Resource().Attributes())},
		ScopeSpans: []otlpScopeSpans{{otlpScope{in.Name, in.Version}, spans}},
	}}}
}

func toSpan(s sdk.ReadOnlySpan) otlpSpan {
	sc, parent := s.SpanContext(), s.Parent()
	out := otlpSpan{
		TraceID: sc.TraceID().String(), SpanID: sc.SpanID().String(), TraceState: sc.TraceState().String(),
		Flags: flagsOf(sc, parent), Name: s.Name(), Kind: int(s.SpanKind()), // OTLP numbers kinds alike
		Start: nanos(s.StartTime()), End: nanos(s.EndTime()),
		Attributes: toAttributes(s.Attributes()), Status: toStatus(s.Status()),
	}
	if parent.HasSpanID() {
		out.ParentSpanID = parent.SpanID().String()
	}
	for _, e := range s.Events() {
		out.Events = append(out.Events, otlpEvent{nanos(e.Time), e.Name, toAttributes(e.Attributes)})
	}
	for _, l := range s.Links() {
		out.Links = append(out.Links, otlpLink{l.SpanContext.TraceID().String(), l.SpanContext.SpanID().String()})
	}
	return out
}

// flagsOf says, beside the trace's own flags, whether the parent is remote.
func flagsOf(sc, parent trace.SpanContext) uint32 {
	const known, remote = 0x100, 0x200
	f := uint32(sc.TraceFlags()) | known
	if parent.IsRemote() {
		f |= remote
	}
	return f
}

// toStatus: OTLP and the API number codes differently.
func toStatus(s sdk.Status) otlpStatus {
	switch s.Code {
	case codes.Ok:
		return otlpStatus{Code: 1}
	case codes.Error:
		return otlpStatus{Code: 2, Message: s.Description}
	}
	return otlpStatus{}
}

func toAttributes(all []attribute.KeyValue) []otlpAttribute {
	out := make([]otlpAttribute, 0, len(all))
	for _, kv := range all {
		out = append(out, otlpAttribute{string(kv.Key), toValue(kv.Value)})
	}
	return out
}

// toValue knows the types Reeve uses; any other is written as text.
func toValue(v attribute.Value) map[string]any {
	switch v.Type() {
	case attribute.BOOL:
		return map[string]any{"boolValue": v.AsBool()}
	case attribute.INT64:
		return map[string]any{"intValue": strconv.FormatInt(v.AsInt64(), 10)}
	case attribute.FLOAT64:
		return map[string]any{"doubleValue": v.AsFloat64()}
	case attribute.STRING:
		return map[string]any{"stringValue": v.AsString()}
	}
	return map[string]any{"stringValue": v.String()}
}
