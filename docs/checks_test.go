//go:build linux

package docs_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/reeverun/reeve/api"
	"github.com/reeverun/reeve/interpret"
	"github.com/reeverun/reeve/process"
	"github.com/reeverun/reeve/settings"
	"github.com/reeverun/reeve/tool/file"
	"go.yaml.in/yaml/v3"
)

// checkYAML has a file read by what reads it, which its keys tell.
func checkYAML(t *testing.T, where, text string) {
	t.Helper()
	var keys map[string]any
	if err := yaml.Unmarshal([]byte(text), &keys); err != nil {
		t.Errorf("%s: %v", where, err)
		return
	}
	has := func(name string) bool { return keys[name] != nil }
	path := filepath.Join(t.TempDir(), "example.yaml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	var err error
	switch {
	case has("children"):
		_, err = api.ParseTree("", []byte(text), api.Specs{Environment: process.EnvTypeScript})
	case has("services"), has("policy"):
		_, err = file.Load(path, func(string) (string, bool) { return "x", true })
	case has("rules"):
		_, err = interpret.LoadRules("example", []byte(text))
	case has("scrape_configs"), has("openapi"): // not ours; the daemon reads an OpenAPI document
	default:
		_, err = settings.Load(settings.Sources{Flags: map[string][]string{"data": {"/data"}, "config": {path}}})
	}
	if err != nil {
		t.Errorf("%s: %v", where, err)
	}
}

// checkJSON takes an object for the body of a create: nothing else is shown alone.
func checkJSON(t *testing.T, where, text string) {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(new(api.Create)); err != nil {
		t.Errorf("%s: %v", where, err)
	}
}

// checkUnit holds lines of a unit against the one that is shipped.
func checkUnit(t *testing.T, where, text string) {
	t.Helper()
	unit, err := os.ReadFile("../packaging/systemd/reeve.service")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(text) {
		if !strings.Contains("\n"+string(unit), "\n"+strings.TrimSpace(line)+"\n") {
			t.Errorf("%s: the unit has no line %q", where, line)
		}
	}
}

// checkQueries looks for the metrics of queries in the table of their document,
// which another test holds against what the daemon has.
func checkQueries(t *testing.T, where, document, text string) {
	t.Helper()
	names := regexp.MustCompile(`\breeve_\w+`).FindAllString(text, -1)
	if len(names) == 0 {
		t.Errorf("%s: no metric of ours", where)
	}
	for _, name := range names {
		if name = strings.TrimSuffix(name, "_bucket"); !strings.Contains(document, "\n| `"+name+"` |") {
			t.Errorf("%s: there is no metric %s", where, name)
		}
	}
}

// The README counts the attacks of the table in security.md, which the tests of
// package keeper hold against what happens.
func TestAttacksOfTheReadme(t *testing.T) {
	table, err := os.ReadFile("security.md")
	if err != nil {
		t.Fatal(err)
	}
	readme, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rows, _ := strings.Cut(string(table), "| attack | trusted | confined | sandbox |\n|---|---|---|---|\n")
	rows, _, _ = strings.Cut(rows, "\n\n")
	tried, stopped := strings.Count(rows, "\n")+1, strings.Count(rows+"\n", "| no |\n")
	if want := fmt.Sprintf("%d of [%d attacks]", stopped, tried); !strings.Contains(string(readme), want) {
		t.Errorf("README.md does not say %q", want)
	}
}
