package api_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/reeverun/reeve/api"
)

// Errors say where they are, in a file and in what was sent.
func TestParseTreeSaysWhere(t *testing.T) {
	bomb := "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n"
	for i := 1; i < 9; i++ {
		bomb += fmt.Sprintf("a%d: &a%d [%s]\n", i, i, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*a%d, ", i-1), 10), ", "))
	}
	deep := strings.Repeat("{"+strings.Repeat("k", 300)+": ", 20) + "[1, 2]" + strings.Repeat("}", 20)
	for text, want := range map[string]string{
		"":             "is empty",
		"children: [":  "did not find expected",
		"a: 1\n\tb: 2": "tab",
		"children:\n  - name: x\n    comand: {program: y}":                                   "3: children[0].comand: is not a field here",
		"children:\n  - name: x\n    name: y":                                                "3: children[0].name: is given twice",
		"children:\n  - name: x\n    restart: never\n    environment: command\n    code: sh": "3: children[0].restart",
		"name: a\nchildren: &c\n  - name: x\n    supervisor: {children: *c}":                 "nested too deep",
		bomb:                       "too many values",
		deep:                       "too long",
		strings.Repeat("#", 1<<21): "want at most 1048576",
		"[1, 2]":                   "object",
		"children: []":             "children",
	} {
		for _, name := range []string{"app.yaml", ""} {
			_, err := api.ParseTree(name, []byte(text), api.Specs{Environment: "command"})
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%.60q: %v, want %q", text, err, want)
				continue
			}
			at := map[string]string{"app.yaml": "app.yaml:", "": "line "}[name]
			if !strings.HasPrefix(err.Error(), at) && !strings.HasPrefix(err.Error(), "body: ") {
				t.Errorf("%.60q: %v does not say where", text, err)
			}
		}
	}
}

// What is sent lies nowhere, so that its directories are whole paths.
func TestParseTreeThatWasSent(t *testing.T) {
	text := "children:\n  - name: a\n    supervisor:\n      children:\n        - name: x\n          cwd: %s\n          command: {program: make}\n"
	for dir, ok := range map[string]bool{"/srv": true, "srv": false, "./srv": false, "..": false} {
		body := []byte(fmt.Sprintf(text, dir))
		if _, err := api.ParseTree("", body, api.Specs{Environment: "command"}); (err == nil) != ok || err != nil && !strings.HasPrefix(err.Error(), "line 6: children[0].supervisor.children[0].cwd: ") {
			t.Errorf("%s: %v", dir, err)
		}
		if _, err := api.ParseTree("f", body, api.Specs{Environment: "command"}); err != nil {
			t.Errorf("%s in a file: %v", dir, err)
		}
	}
}

func FuzzParseTree(f *testing.F) {
	for _, seed := range []string{"children: [{name: a, command: {program: b}}]", "a: &a [*a]", "<<: {a: 1}", "{children: null}", "children:\n- &x\n  name: a\n  env: {A: 1}\n  <<: *x", "- 1", "!!binary x", "a: 2001-01-01"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		tree, err := api.ParseTree("", text, api.Specs{Environment: "command"})
		if err == nil && len(tree.Children) == 0 {
			t.Errorf("%q is a tree without children", text)
		}
	})
}
