//go:build linux

package docs_test

import (
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
)

// environment is what a session starts with: nothing of the caller's but where Go
// keeps its things, so that "go run" of a document needs no download.
func (s *session) environment() []string {
	env := []string{
		"HOME=" + s.home, "PATH=" + filepath.Join(s.dir, "bin") + ":" + os.Getenv("PATH"), "LANG=C.UTF-8", "last=0",
		"REEVE_LISTEN=127.0.0.1:0", "REEVE_STOP_JOBS=true", // any port; nothing is left
		"CGO_ENABLED=0", "TMPDIR=" + os.TempDir(),
	}
	for _, name := range []string{"GOPATH", "GOMODCACHE", "GOCACHE", "GOFLAGS", "GOPROXY", "GOTOOLCHAIN"} {
		if value, err := exec.Command("go", "env", name).Output(); err == nil {
			env = append(env, name+"="+strings.TrimSpace(string(value)))
		}
	}
	return append(env, s.stand.variables()...)
}

// programs puts what a session calls by name in front of everything else: reeve
// itself; go and make, which work in the repository, as they do for a reader who
// has cloned it; curl, for which an answer that is an error is a failure, and a
// stream of all events, which never ends, is over after a second.
func (s *session) programs() {
	s.t.Helper()
	repository, err := filepath.Abs("..")
	if err != nil {
		s.t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		s.t.Fatal(err)
	}
	for name, target := range map[string]string{"reeve": program, issueServer: self} {
		if err := os.Symlink(target, filepath.Join(s.dir, "bin", name)); err != nil {
			s.t.Fatal(err)
		}
	}
	for name, script := range map[string]string{
		"go":   "cd " + repository + " && exec REAL \"$@\"\n",
		"make": "cd " + repository + " && exec REAL \"$@\"\n",
		"curl": "case \"$*\" in\n" +
			"*/events\\?tag=*) REAL --max-time 1 \"$@\" || [ $? = 28 ] ;;\n" +
			"*) exec REAL --fail-with-body \"$@\" ;;\nesac\n",
	} {
		real, err := exec.LookPath(name)
		if err != nil {
			script = "echo '" + name + " is not installed' >&2; exit 127\n"
		}
		script = "#!/bin/sh\n" + strings.ReplaceAll(script, "REAL", real)
		if err := os.WriteFile(filepath.Join(s.dir, "bin", name), []byte(script), 0o755); err != nil {
			s.t.Fatal(err)
		}
	}
}

// adapt makes the addresses of a document those of this session. The daemon has
// whatever port was free.
func (s *session) adapt(script string) string {
	return strings.ReplaceAll(s.stand.adapt(script), "http://127.0.0.1:7338", "http://$(cat ~/.local/share/reeve/address)")
}

// daemons are the pids of the daemons that a session has left, by the locks of
// their data directories.
func (s *session) daemons() (pids []int) {
	_ = filepath.WalkDir(s.home, func(path string, d fs.DirEntry, err error) error {
		var holder struct{ PID int }
		if err != nil || d.Name() != "reeve.db" {
			return nil // it may go while it is looked at
		}
		if b, err := os.ReadFile(filepath.Join(filepath.Dir(path), "lock")); err == nil && json.Unmarshal(b, &holder) == nil && alive(holder.PID) {
			pids = append(pids, holder.PID)
		}
		return nil
	})
	return pids
}

func alive(pid int) bool { return pid > 0 && syscall.Kill(pid, 0) == nil }
