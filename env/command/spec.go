package command

import (
	"runtime"
	"slices"
	"strings"

	"github.com/reeverun/reeve/process"
)

// docs is what GET /environments/command/docs says.
const docs = `# command

Runs an operating system program.

- "command" names a program and its arguments; nothing is parsed by a shell.
- "code", instead of it, is a script for the system's shell (sh -c, on Windows cmd /C).
- The exit code decides: 0, or one of successCodes, is success.
- "pty" gives it a terminal, "stdinOpen" an open stdin: both take input while it runs.
- SIGTERM reaches every process of the tree; after the grace, SIGKILL does.
- options.limits bounds the whole tree: memoryBytes, pids (4096 unless set), cpuMs, outputBytes, and openFiles of each process. What ends it is named in "error" and in a finding.
- options.sandbox: "trusted" (the default) may do what the daemon's user may; "confined" writes in its work folder and in /tmp only and gains no rights; "sandbox" sees the system's programs and its work folder, nobody, and no network. The work folder is cwd; without one it is /tmp, which of a sandbox is its own, in memory, and gone at the end.
- A confined or sandboxed command does not inherit the daemon's variables, but for a few that are no secrets (LANG, LC_*, TZ, TERM; confined: PATH, HOME, USER, too). In a sandbox HOME is the work folder.
- options.require names what it must not run without, such as "tree-kill", "memory", "landlock" or "no-network": it fails instead (spawn_failed). "enforced" of the record tells what was had, and what was not and why.
`

// commandOf returns the command of a spec; code is for the system's shell.
func commandOf(s *process.Spec) *process.Command {
	if s.Command != nil {
		return s.Command
	}
	return Shell(s.Code)
}

// Shell is a script for the system's shell: sh -c, on Windows cmd /C.
func Shell(script string) *process.Command {
	if runtime.GOOS == "windows" {
		return &process.Command{Program: "cmd", Args: []string{"/C", script}, HideWindow: true}
	}
	return &process.Command{Program: "sh", Args: []string{"-c", script}}
}

// Check refuses what could never be started, before it is stored.
func (e *Env) Check(s *process.Spec) error {
	switch {
	case s.Command != nil && s.Code != "":
		return process.Invalid("command", "and code exclude each other: give one of them")
	case s.Command == nil:
		if err := checkText("code", s.Code); err != nil {
			return err
		}
	default:
		if err := checkCommand(s.Command); err != nil {
			return err
		}
	}
	return e.checkBounds(s)
}

func checkCommand(c *process.Command) error {
	if strings.TrimSpace(c.Program) == "" {
		return process.Invalid("command.program", "is empty")
	}
	texts := map[string][]string{"command.program": {c.Program}, "command.args": c.Args, "command.cwd": {c.Dir}}
	for field, values := range texts {
		for _, v := range values {
			if err := checkText(field, v); err != nil {
				return err
			}
		}
	}
	for k, v := range c.Env {
		if k == "" || strings.ContainsAny(k, "=\x00") {
			return process.Invalid("command.env", "%q is not a variable's name", k)
		}
		if strings.ContainsRune(v.Reveal(), 0) {
			return process.Invalid("command.env", "the value of %s holds a NUL byte", k)
		}
	}
	for _, code := range c.SuccessCodes {
		if code < 0 || code > 255 && runtime.GOOS != "windows" {
			return process.Invalid("command.successCodes", "%d is not an exit code", code)
		}
	}
	if err := checkTerminal(c); err != nil {
		return err
	}
	if !slices.Contains([]process.Leftovers{"", process.KillLeftovers, process.WaitLeftovers}, c.Leftovers) {
		return process.Invalid("command.leftovers", "%q is unknown: want kill or wait", c.Leftovers)
	}
	return nil
}

func checkText(field, v string) error {
	if strings.ContainsRune(v, 0) {
		return process.Invalid(field, "holds a NUL byte, which no program can be given")
	}
	return nil
}

// cut splits K=V. On Windows names may begin with "=".
func cut(kv string) (name, value string, ok bool) {
	if kv == "" {
		return "", "", false
	}
	i := strings.IndexByte(kv[1:], '=')
	if i < 0 {
		return kv, "", false
	}
	return kv[:i+1], kv[i+2:], true
}

// has reports whether env sets a variable; Windows does not mind its case.
func has(env map[string]process.Secret, name string) bool {
	if _, ok := env[name]; ok {
		return true
	}
	if runtime.GOOS != "windows" {
		return false
	}
	for k := range env {
		if strings.EqualFold(k, name) {
			return true
		}
	}
	return false
}
