package command

import (
	"cmp"
	"os"
	"path/filepath"
	"runtime"
	"slices"

	"github.com/reeverun/reeve/process"
)

// shared are the folders that every confined command may write anyway.
var shared = []string{"/tmp", "/var/tmp", "/dev/shm"}

// workFolder is the folder that a confined or sandboxed command works in, and
// may write: the one given, without symbolic links, else /tmp, which of a
// sandbox is its own (empty here: see keeper). The host's own is nobody's
// choice. One that would hand over what is the host's alone is refused; one
// that is not there is left to the start, which says so.
func (e *Env) workFolder(dir string, s process.Sandbox) (string, error) {
	if dir == "" {
		if s == process.Sandboxed || runtime.GOOS != "linux" {
			return "", nil
		}
		return "/tmp", nil
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	if real, err := filepath.EvalSymlinks(abs); err == nil {
		abs = real
	}
	if filepath.Dir(abs) == abs {
		return "", process.Invalid("command.cwd", "%s cannot be the work folder of a command that is %s: it could write everywhere; name a folder below it", abs, named(s))
	}
	for _, private := range e.private {
		private, err := filepath.EvalSymlinks(private)
		if err != nil {
			continue // it is not there
		}
		holds := below(private, abs) && (s == process.Sandboxed || !slices.Contains(shared, abs))
		if holds || below(abs, private) {
			word := "lies in"
			if holds {
				word = "is or holds"
			}
			return "", process.Invalid("command.cwd", "%s %s %s, which a command that is %s must not reach: it has Reeve's database, key, logs or sockets; name another work folder", abs, word, private, named(s))
		}
	}
	return abs, nil
}

func named(s process.Sandbox) string {
	return map[process.Sandbox]string{process.Confined: "confined", process.Sandboxed: "sandboxed"}[s]
}

// below reports whether a path is a folder or lies in it, by whatever name.
func below(path, folder string) bool {
	want, err := os.Stat(folder)
	if err != nil {
		return false
	}
	for at := path; ; at = filepath.Dir(at) {
		if info, err := os.Stat(at); err == nil && os.SameFile(info, want) {
			return true
		}
		if filepath.Dir(at) == at {
			return false
		}
	}
}

// systemPath is where a sandbox shows programs.
const systemPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

// environ is the child's whole environment: the host's as far as the sandbox
// lets it through, which holds no secrets, and what is given. A sandboxed
// command is at home in its work folder.
func environ(cmd *process.Command, s process.Sandbox, dir string) []string {
	var vars []string
	if !cmd.EnvClear {
		for _, kv := range os.Environ() {
			if name, _, _ := cut(kv); s.Inherits(name) && !has(cmd.Env, name) {
				vars = append(vars, kv)
			}
		}
		if s == process.Sandboxed {
			vars = append(vars, own(cmd, "HOME", cmp.Or(dir, "/tmp"))...)
			if runtime.GOOS != "windows" {
				vars = append(vars, own(cmd, "PATH", systemPath)...)
			}
		}
	}
	for k, v := range cmd.Env {
		vars = append(vars, k+"="+v.Reveal())
	}
	return vars
}

// own is a variable, unless it is given.
func own(cmd *process.Command, name, value string) []string {
	if has(cmd.Env, name) {
		return nil
	}
	return []string{name + "=" + value}
}
