//go:build unix

package keeper

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// maxString is the longest argument or variable Linux takes with 4 KiB pages;
// other systems take longer ones, up to their limit for all together.
const maxString = 131071

// defaultPath is searched when the environment has no PATH at all, as execvp
// does.
const defaultPath = "/usr/bin:/bin"

func sameKey(a, b string) bool { return a == b }

// find returns the program's path. A name with a slash is left to the
// operating system, relative to the job's directory. Other names are looked up
// in the job's own PATH; entries that are not absolute, "." and the empty one
// included, are passed over.
func find(name string, env []string, _ string) (string, error) {
	if strings.Contains(name, "/") {
		return name, nil
	}
	path, ok := getenv(env, "PATH")
	if !ok {
		path = defaultPath
	}
	var cause error = exec.ErrNotFound
	for _, dir := range filepath.SplitList(path) {
		if !filepath.IsAbs(dir) {
			continue
		}
		full := dir + "/" + name
		if !isFile(full) {
			continue
		}
		if err := unix.Access(full, unix.X_OK); err != nil {
			cause = err // it is here, but not for us; one further on may be
			continue
		}
		return full, nil
	}
	return "", &SpawnError{Op: OpFind, Path: name, Err: cause, Hint: "looked for in the folders of its PATH"}
}

// ownTerminal makes the program the leader of its terminal's session.
func (c *command) ownTerminal(sys *syscall.SysProcAttr) {
	if c.tty {
		sys.Setsid, sys.Setctty, sys.Ctty = true, true, 0
	}
}

func isFile(path string) bool {
	var st unix.Stat_t
	return unix.Stat(path, &st) == nil && st.Mode&unix.S_IFMT != unix.S_IFDIR
}

// explain turns the one errno a failed start gives into the step that failed.
func (c *command) explain(err error) error {
	if c.dir != "" {
		if bad := usableDir(c.dir); bad != nil {
			return &SpawnError{Op: OpChdir, Path: c.dir, Err: bad}
		}
	}
	e := &SpawnError{Op: OpExec, Path: c.path, Err: err}
	switch {
	case errors.Is(err, syscall.ENOENT):
		path := c.path
		if !filepath.IsAbs(path) && c.dir != "" {
			path = filepath.Join(c.dir, path)
		}
		if _, bad := os.Stat(path); bad == nil {
			e.Hint = "the file exists: the interpreter or loader it names does not"
		}
	case errors.Is(err, syscall.ENOEXEC):
		e.Hint = "it is neither a program of this machine nor a script with a #! line"
	case errors.Is(err, syscall.E2BIG):
		e.Hint = "arguments and environment together are too long"
	}
	return e
}

func usableDir(dir string) error {
	st, err := os.Stat(dir)
	switch {
	case err != nil:
		return errors.Unwrap(err)
	case !st.IsDir():
		return syscall.ENOTDIR
	default:
		return unix.Access(dir, unix.X_OK)
	}
}
