//go:build linux

package e2e

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

func itoa(n int64) string { return strconv.FormatInt(n, 10) }

// observed is every (method, path, status) that any test met.
var observed sync.Map

type sight struct {
	method, path string
	status       int
}

func observe(method, path string, status int) {
	path, _, _ = strings.Cut(path, "?")
	observed.Store(sight{method, path, status}, true)
}

// spec is the part of the description the suite looks at.
type spec struct {
	OpenAPI string
	Paths   map[string]map[string]json.RawMessage
}

func description(d *daemon) (s spec, err error) {
	a, err := d.try(request{method: "GET", path: "/openapi.json"})
	if err == nil {
		err = json.Unmarshal(a.body, &s)
	}
	return s, err
}

// undescribed returns the answers that the description does not know.
func undescribed(d *daemon) (problems []string) {
	s, err := description(d)
	if err != nil {
		return []string{"openapi.json: " + err.Error()}
	}
	observed.Range(func(k, _ any) bool {
		if p := s.missing(k.(sight)); p != "" && !slices.Contains(problems, p) {
			problems = append(problems, p)
		}
		return true
	})
	slices.Sort(problems)
	return problems
}

// missing says what the description lacks of an answer. Paths that are no
// route, methods that are refused and HEAD, which follows GET, need none.
func (s spec) missing(seen sight) string {
	for template, item := range s.Paths {
		if !fits(template, seen.path) {
			continue
		}
		raw, ok := item[strings.ToLower(seen.method)]
		if !ok {
			if seen.status < 400 && seen.method != "HEAD" && seen.method != "OPTIONS" {
				return fmt.Sprintf("openapi.json does not describe %s %s", seen.method, template)
			}
			return ""
		}
		var op struct{ Responses map[string]any }
		_ = json.Unmarshal(raw, &op)
		class := strconv.Itoa(seen.status/100) + "XX"
		for _, key := range []string{strconv.Itoa(seen.status), class, "default"} {
			if op.Responses[key] != nil {
				return ""
			}
		}
		return fmt.Sprintf("openapi.json does not describe the answer %d of %s %s", seen.status, seen.method, template)
	}
	if seen.status < 400 && seen.path != "/" {
		return fmt.Sprintf("openapi.json does not describe the path %s", seen.path)
	}
	return ""
}

func fits(template, path string) bool {
	want, got := strings.Split(template, "/"), strings.Split(path, "/")
	if len(want) != len(got) {
		return false
	}
	for i := range want {
		plain, _ := url.PathUnescape(got[i])
		parameter := strings.HasPrefix(want[i], "{") && strings.Trim(plain, "./") != "" // those are resolved before routing
		if want[i] != got[i] && !parameter {
			return false
		}
	}
	return true
}

// The description is OpenAPI 3.1 and has every route of the contract that is
// built so far.
func TestOpenAPIHasEveryRoute(t *testing.T) {
	t.Parallel()
	d := shared(t)
	d.get(t, "/openapi.json").want(t, 200).typed(t, "application/")
	s, err := description(d)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(s.OpenAPI, "3.1") {
		t.Errorf("openapi: %q, want 3.1", s.OpenAPI)
	}
	for _, route := range strings.Fields(`get:/processes post:/processes get:/processes/1 delete:/processes/1
		get:/processes/1/code get:/processes/1/output get:/processes/1/stdout get:/processes/1/stderr
		get:/processes/1/runs get:/processes/1/runs/1 get:/processes/1/runs/1/output get:/processes/1/runs/1/stdout
		get:/processes/1/runs/1/stderr get:/processes/1/tree get:/processes/1/events get:/events
		post:/processes/1/signals/run post:/processes/1/signals/kill post:/processes/1/signals/term
		post:/processes/1/signals/int post:/processes/1/signals/pause post:/processes/1/signals/resume
		get:/services get:/tools get:/tools/a/b get:/approvals get:/approvals/1 post:/approvals/1/approve post:/approvals/1/deny
		get:/environments get:/environments/fake/docs get:/health get:/ready get:/metrics get:/openapi.json
		post:/mci/processes get:/mci/processes get:/mci/processes/1 delete:/mci/processes/1
		get:/mci/processes/1/code get:/mci/processes/1/output get:/mci/processes/1/stdout get:/mci/processes/1/stderr
		post:/mci/processes/1/signals/run post:/mci/processes/1/signals/kill`) {
		method, path, _ := strings.Cut(route, ":")
		if !slices.ContainsFunc(slices.Collect(maps.Keys(s.Paths)), func(template string) bool {
			return fits(template, path) && s.Paths[template][method] != nil
		}) {
			t.Errorf("openapi.json lacks %s %s", method, path)
		}
	}
}
