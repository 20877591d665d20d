package keeper

import (
	"fmt"
	"os"
	"strings"
	"syscall"

	"github.com/reeverun/reeve/keeper/internal/confine"
)

// command is a Spec that has been checked and whose program has been found.
type command struct {
	path  string
	argv  []string // with the program's name
	env   []string
	dir   string
	files [3]*os.File // never nil
	hide  bool
	tty   bool // files is a terminal that shall be the program's own

	limits  Limits
	sandbox Sandbox // never empty
	require []string
	told    Enforced // what the holder found
}

// newCommand checks a Spec and finds its program; null stands in for the
// files it lacks.
func newCommand(s Spec, null *os.File) (*command, error) {
	if err := check(s); err != nil {
		return nil, err
	}
	if err := checkLimits(&s); err != nil {
		return nil, err
	}
	path, err := find(s.Path, s.Env, s.Dir)
	if err != nil {
		return nil, err
	}
	c := &command{path: path, env: s.Env, dir: s.Dir, hide: s.HideWindow,
		limits: s.Limits, sandbox: s.Sandbox, require: s.Require}
	if c.sandbox == "" {
		c.sandbox = Trusted
	}
	if c.limits.CPU > 0 {
		c.told.hold(confine.CPU) // see watchCPU
	}
	c.argv = append(append(make([]string, 0, len(s.Args)+1), s.Path), s.Args...)
	for i, f := range [3]*os.File{s.Stdin, s.Stdout, s.Stderr} {
		if f == nil {
			f = null
		}
		c.files[i] = f
	}
	if c.env == nil {
		c.env = []string{} // nil would mean the host's
	}
	return c, nil
}

// check refuses what no operating system call could carry, with a sentence
// better than "invalid argument".
func check(s Spec) error {
	if s.Path == "" {
		return &SpawnError{Op: OpCheck, Err: syscall.ENOENT, Hint: "no program is given"}
	}
	refuse := func(err error, format string, a ...any) error {
		return &SpawnError{Op: OpCheck, Path: s.Path, Err: err, Hint: fmt.Sprintf(format, a...)}
	}
	if strings.IndexByte(s.Path, 0) >= 0 {
		return refuse(syscall.EINVAL, "the program's name holds a NUL byte")
	}
	if strings.IndexByte(s.Dir, 0) >= 0 {
		return refuse(syscall.EINVAL, "the working directory holds a NUL byte")
	}
	if len(s.Path) > maxString {
		return refuse(syscall.E2BIG, "the program's name has %d bytes, the system allows %d", len(s.Path), maxString)
	}
	for i, a := range s.Args {
		if strings.IndexByte(a, 0) >= 0 {
			return refuse(syscall.EINVAL, "argument %d holds a NUL byte", i+1)
		}
		if len(a) > maxString {
			return refuse(syscall.E2BIG, "argument %d has %d bytes, the system allows %d: pass it by stdin or in a file", i+1, len(a), maxString)
		}
	}
	for _, kv := range s.Env {
		name, _, _ := strings.Cut(kv, "=")
		if strings.IndexByte(kv, 0) >= 0 {
			return refuse(syscall.EINVAL, "the environment variable %q holds a NUL byte", name)
		}
		if len(kv) > maxString {
			return refuse(syscall.E2BIG, "the environment variable %s has %d bytes, the system allows %d", name, len(kv), maxString)
		}
	}
	return nil
}

// getenv returns a variable of an environment; the last entry counts.
func getenv(env []string, key string) (string, bool) {
	for i := len(env) - 1; i >= 0; i-- {
		if k, v, ok := strings.Cut(env[i], "="); ok && sameKey(k, key) {
			return v, true
		}
	}
	return "", false
}
