// Package packaging_test checks what is shipped beside the program.
package packaging_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/reeverun/reeve/settings"
)

func units() map[string]string {
	return map[string]string{"--system": "systemd/reeve.service", "--user": "systemd/user/reeve.service"}
}

func read(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// The program itself is not installed where tests run; any other stands for it.
func TestUnitsAreValid(t *testing.T) {
	analyze, err := exec.LookPath("systemd-analyze")
	if err != nil {
		t.Skip("systemd-analyze is not installed")
	}
	for manager, path := range units() {
		unit := strings.ReplaceAll(read(t, path), "/usr/local/bin/reeve", os.Args[0])
		copied := filepath.Join(t.TempDir(), "reeve.service")
		if err := os.WriteFile(copied, []byte(unit), 0o600); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(analyze, "verify", manager, "--man=no", copied)
		cmd.Env = append(os.Environ(), "XDG_RUNTIME_DIR="+t.TempDir())
		if out, err := cmd.CombinedOutput(); err != nil || strings.Contains(string(out), "reeve.service:") {
			t.Errorf("%s: %v\n%s", path, err, out)
		}
	}
}

// systemd must not lose its patience before the daemon does.
func TestUnitsWaitLongerThanTheDaemon(t *testing.T) {
	s, err := settings.Load(settings.Sources{Flags: map[string][]string{"data": {"/data"}}})
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range units() {
		m := regexp.MustCompile(`(?m)^TimeoutStopSec=(\d+)$`).FindStringSubmatch(read(t, path))
		if m == nil {
			t.Fatalf("%s: no TimeoutStopSec", path)
		}
		if wait, _ := time.ParseDuration(m[1] + "s"); wait < s.StopTimeout+10*time.Second {
			t.Errorf("%s: %v for a stop-timeout of %v", path, wait, s.StopTimeout)
		}
	}
}

// The example is all comments, and true once they are taken away.
func TestExampleConfigIsValid(t *testing.T) {
	example := read(t, "config.yaml")
	_, keys, _ := strings.Cut(example, "\n\n")
	uncommented := filepath.Join(t.TempDir(), "config.yaml")
	if err := os.WriteFile(uncommented, []byte(strings.ReplaceAll(keys, "# ", "")), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"config.yaml", uncommented} {
		path, err := filepath.Abs(path)
		if err != nil {
			t.Fatal(err)
		}
		s, err := settings.Load(settings.Sources{Flags: map[string][]string{"data": {"/data"}, "config": {path}}})
		if err != nil || s.Config != path {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// Every setting is in the manual, with its variable and default.
func TestManualListsEverySetting(t *testing.T) {
	manual := read(t, "../docs/operating.md")
	for _, s := range settings.Table() {
		want := "| `" + s.Name + "` | `" + strings.ReplaceAll(s.Value, "|", " or ") + "` | "
		if !strings.Contains(manual, want) {
			t.Errorf("docs/operating.md has no row %q", want)
		}
		if s.Default != "" && !strings.Contains(manual, want+"`"+s.Default+"` |") {
			t.Errorf("docs/operating.md does not say that %s is %s by default", s.Name, s.Default)
		}
	}
}
