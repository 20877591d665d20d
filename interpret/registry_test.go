package interpret

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/reeverun/reeve/process"
)

func TestRegistry(t *testing.T) {
	r := NewRegistry()
	for _, name := range []string{"", "generic"} {
		if i, err := r.New(name); i == nil || err != nil {
			t.Errorf("%q: %v %v", name, i, err)
		}
	}
	if i, err := r.New("none"); i != nil || err != nil {
		t.Errorf("none: %v %v", i, err)
	}
	_, err := r.New("nope")
	var pe *process.Error
	if !errors.As(err, &pe) || pe.Code != process.CodeInvalid || pe.Field != "interpreter" ||
		!strings.Contains(pe.Message, strings.Join(r.Names(), ", ")) {
		t.Errorf("unknown: %v", err)
	}
}

func TestRegister(t *testing.T) {
	r := NewRegistry()
	n := 0
	mine := func() Interpreter { n++; return hooks{} }
	for _, bad := range []string{"", "none", "a b", "../x", ".hidden"} {
		if err := r.Register(bad, mine); !errors.Is(err, process.ErrInvalid) {
			t.Errorf("%q: %v", bad, err)
		}
	}
	for _, good := range []string{"mine", "generic"} {
		if err := r.Register(good, mine); err != nil {
			t.Error(err)
		}
		if i, err := r.New(good); err != nil || i == nil {
			t.Error(err)
		}
	}
	if n != 2 {
		t.Errorf("made %d", n)
	}
	if NewRegistry(); slices.Contains(NewRegistry().Names(), "mine") {
		t.Error("registries share state")
	}
}

func TestLoadDir(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"deploy.yaml": "rules: [{kind: summary, match: '^deployed'}]",
		"other.yml":   "rules: []",
		"broken.yaml": "rules: [{kind: summary, match: '('}]",
		"notes.txt":   "not rules",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	r := NewRegistry()
	err := r.LoadDir(dir)
	if err == nil || !strings.Contains(err.Error(), `rules "broken": line 1: rule 1 (summary): match: error parsing`) {
		t.Errorf("%v", err)
	}
	i, err := r.New("deploy")
	if err != nil {
		t.Fatal(err)
	}
	expect(t, feed(newSession(i), process.Stdout, "deployed v3\n"), process.SummarySet{Summary: "deployed v3"})
	for _, name := range []string{"broken", "notes"} {
		if slices.Contains(r.Names(), name) {
			t.Errorf("%s was registered", name)
		}
	}
	if err := r.LoadDir(filepath.Join(dir, "absent")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v", err)
	}
}
