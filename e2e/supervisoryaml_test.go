//go:build linux

package e2e

import (
	"strings"
	"testing"
)

func (d *daemon) yaml(t *testing.T, text string, header ...m) answer {
	t.Helper()
	return d.do(t, request{method: "POST", path: "/supervisors", body: text, header: with(m{"Content-Type": "application/yaml"}, header...)})
}

// What reeve up reads can be sent, and errors say on which line they are.
func TestSupervisorFromYAML(t *testing.T) {
	t.Parallel()
	d := shared(t)
	ref := unique("yaml")
	text := lines("# a tree", "name: site", "ref: "+ref, "tags: [web]", "children:", "  - &one", "    name: one", "    command: {program: sh, args: [-c, 'echo $PORT; pwd; sleep 60']}",
		"    cwd: /tmp", "    env: {PORT: 8080}", "  - <<: *one", "    name: two", "    restart: temporary", "    shutdown: 1s")
	key := m{"Idempotency-Key": ref}
	made := d.yaml(t, text, key).want(t, 201).json(t)
	if made.str("name") != "site" || len(made.list("children")) != 2 || made.obj("process").str("ref") != ref {
		t.Errorf("%v", made)
	}
	if again := d.yaml(t, text, key, m{"Content-Type": "application/x-yaml; charset=utf-8"}).want(t, 200).json(t); again.id() != made.id() {
		t.Errorf("made twice: %v", again)
	}
	d.yaml(t, text+"\n", key).want(t, 409, "idempotency_conflict")
	d.yaml(t, text).want(t, 409, "ref_conflict")
	one := made.list("children")[0].num("process")
	waitFor(t, "its output", func() bool { return d.record(t, one).str("stdout") == "8080\n/tmp\n" })
	d.do(t, request{method: "DELETE", path: "/supervisors/" + itoa(made.id())}).want(t, 200)
	for body, want := range map[string]string{
		"": "empty", "children:\n  - {name: a, comand: 1}": "line 2", "children:\n\t- x": "line", "- 1": "body",
		"children:\n  - name: a\n    cwd: here\n    command: {program: make}": "line 3: children[0].cwd", "children: [{name: a, environment: nowhere, code: x}]": "nowhere",
		"a: &a [*a]": "nested", "\x00": "control", strings.Repeat("[", 20000): "",
	} {
		a := d.yaml(t, body)
		if strings.Contains(body, "environment: nowhere") {
			a.want(t, 503, "environment_unavailable")
			continue
		}
		a.want(t, 400, "invalid_request").naming(t, want)
	}
	d.yaml(t, strings.Repeat("#", 1<<20+1)).want(t, 413, "too_large")
	d.do(t, request{method: "POST", path: "/supervisors", body: "children: [{name: a, command: {program: b}}]"}).want(t, 400, "invalid_request").naming(t, "JSON")
}
