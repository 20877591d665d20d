//go:build linux

package docs_test

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"
)

var route = regexp.MustCompile("`(GET|POST|PUT|DELETE) (/[^ `?]*)[^`]*`")

// handover is a route between daemons, on the socket only, and not for clients.
const handover = "/handover"

// Routes that are mentioned are routes of a daemon, as it describes itself.
func TestRoutesThatAreMentionedExist(t *testing.T) {
	s := &session{t: t, doc: &document{name: "routes"}}
	out, code := s.execute("reeve serve --detach 2>/dev/null && curl -s http://127.0.0.1:7338/openapi.json\n")
	var described struct {
		Paths map[string]map[string]any
	}
	if err := json.Unmarshal([]byte(out), &described); err != nil || code != 0 {
		t.Fatalf("%v, exit code %d: %.200s", err, code, out)
	}
	found := 0
	for _, d := range documents(t) {
		for _, m := range route.FindAllStringSubmatch(strings.Join(d.prose, "\n"), -1) {
			found++
			if m[2] != handover && !has(described.Paths, strings.ToLower(m[1]), m[2]) {
				t.Errorf("%s: there is no route %s %s", d.name, m[1], m[2])
			}
		}
	}
	if found < 20 {
		t.Errorf("only %d routes were found", found)
	}
}

// has looks for a route; what is in braces in the description may be anything.
func has(paths map[string]map[string]any, method, path string) bool {
	for pattern, methods := range paths {
		shape := regexp.MustCompile(`\\\{[^/]*\\\}`).ReplaceAllString(regexp.QuoteMeta(pattern), `[^/]+`)
		if methods[method] != nil && regexp.MustCompile(`^`+shape+`$`).MatchString(path) {
			return true
		}
	}
	return false
}
