package server

import (
	"encoding/json"
	"fmt"
	"math"
	"net/url"
	"strings"
	"testing"

	"github.com/reeverun/reeve/api"
	"github.com/reeverun/reeve/rawlog"
)

func createRoute(t testing.TB) (*description, *route) {
	t.Helper()
	d, err := describe(routes(), "test")
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range d.routes {
		if r.name == "createProcess" {
			return d, r
		}
	}
	t.Fatal("no create")
	return nil, nil
}

// Whatever bytes arrive: no panic, an error of the client's or a body that
// means the same when it is written again.
func FuzzCreate(f *testing.F) {
	for _, s := range []string{`{"code":"x"}`, `{"code":"x","options":{"timeout":null}}`, `{"environment":"command","command":{"program":"x","args":["a"],"env":{"K":"V"},"stdinBase64":"aGk="}}`,
		`{"code":1}`, `[]`, `{"code":"\ud800"}`, `{"code":"x","priority":1e19}`, `{"code":"","tags":[null]}`, `{"options":{"grace":-1}}`, `{"code":"x","code":2}`,
		`{"code":"x","options":{"limits":{"memoryBytes":1,"cpuMs":0},"jit":false,"tools":[]}}`, `{"code":"x","options":{"tools":["*","a/b*"],"limits":null,"jit":null}}`} {
		f.Add([]byte(s))
	}
	d, r := createRoute(f)
	s := api.Specs{Environment: "typescript"}
	f.Fuzz(func(t *testing.T, b []byte) {
		var body api.Create
		if err := d.decode(r, b, &body); err != nil {
			if !strings.Contains(err.Error(), ":") {
				t.Fatalf("%q: the error names no field: %v", b, err)
			}
			return
		}
		if spec, err := s.Make(&body); err == nil && spec.Options.Timeout < -1 {
			t.Fatalf("%q: timeout %v", b, spec.Options.Timeout)
		}
		again, err := json.Marshal(body)
		if err != nil {
			t.Fatal(err)
		}
		var second api.Create
		if err := d.decode(r, again, &second); err != nil {
			t.Fatalf("%q was taken and came back as %q, which is not: %v", b, again, err)
		}
	})
}

// Cursors come from clients, too: in after=, limit= and Last-Event-ID.
func FuzzQuery(f *testing.F) {
	for _, s := range []string{"after=1", "after=-1", "after=9223372036854775808", "after=1&after=2", "limit=%31", "after=%zz", "kind=exited&tag=a", "after=+1", "after=1e3"} {
		f.Add(s)
	}
	all := eventRoutes()
	f.Fuzz(func(t *testing.T, query string) {
		u := &url.URL{RawQuery: query}
		for _, r := range all {
			if err := r.checkQuery(u); err != nil {
				continue
			}
			if v := strings.TrimSpace(u.Query().Get("after")); v != "" {
				var n int64
				if _, err := fmt.Sscan(v, &n); err != nil || n < 0 {
					t.Fatalf("%q was taken as after=%q", query, v)
				}
			}
		}
	})
}

func FuzzRange(f *testing.F) {
	f.Add("bytes=0-1,-5", int64(10))
	f.Add("bytes=9223372036854775807-", int64(10))
	f.Fuzz(func(t *testing.T, header string, size int64) {
		if size < 0 || size > math.MaxInt64/2 {
			return
		}
		ranges, _ := parseRange(header, size)
		for _, r := range ranges {
			if r.From < 0 || r.To > size || r.Len() <= 0 {
				t.Fatalf("%q of %d bytes gave %v", header, size, r)
			}
		}
	})
}

func TestRanges(t *testing.T) {
	for header, want := range map[string]string{
		"": "[] false", "bytes=0-4": "[{0 5}] true", "bytes=5-": "[{5 10}] true", "bytes=-3": "[{7 10}] true", "bytes=-99": "[{0 10}] true",
		"bytes=0-99": "[{0 10}] true", "bytes=10-": "[] true", "bytes=4-2": "[] false", "lines=1-2": "[] false", "bytes=a-b": "[] false",
		"bytes=0-0,9-": "[{0 1} {9 10}] true", "bytes=-0": "[] true",
	} {
		ranges, asked := parseRange(header, 10)
		if got := fmt.Sprint(ranges, asked); got != want {
			t.Errorf("%q: %s, want %s", header, got, want)
		}
	}
	if !touches([]rawlog.Span{{From: 0, To: 5}}, []rawlog.Span{{From: 4, To: 6}}) || touches([]rawlog.Span{{From: 0, To: 4}}, []rawlog.Span{{From: 4, To: 6}}) {
		t.Error("holes are not found")
	}
}

// Each route says what it does, and each operation has a name of its own.
func TestRoutesAreDescribed(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range routes() {
		if seen[r.name] {
			t.Errorf("two operations are called %s", r.name)
		}
		seen[r.name] = true
		if r.summary != "" && (len(r.answers) == 0 || r.handle == nil) {
			t.Errorf("%s %s is not described", r.method, r.path)
		}
	}
}
