package keeper

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"

	"golang.org/x/sys/windows"
)

// maxString is the longest command line there is.
const maxString = 32766

func sameKey(a, b string) bool { return strings.EqualFold(a, b) }

// find returns the program's path, with one of the job's PATHEXT added where
// the name has none of them. A name with a separator is relative to the job's
// directory; other names are looked up in the job's own PATH, of which only
// absolute entries count.
func find(name string, env []string, dir string) (string, error) {
	pathext, ok := getenv(env, "PATHEXT")
	if !ok {
		pathext = ".com;.exe;.bat;.cmd"
	}
	exts := strings.Split(strings.ToLower(pathext), ";")
	if strings.ContainsAny(name, `\/:`) {
		full := name
		if !filepath.IsAbs(full) {
			full = filepath.Join(dir, full)
		}
		if found, ok := withExt(full, exts); ok {
			return filepath.Abs(found)
		}
		return "", &SpawnError{Op: OpExec, Path: name, Err: windows.ERROR_FILE_NOT_FOUND}
	}
	path, _ := getenv(env, "PATH")
	for _, d := range filepath.SplitList(path) {
		if !filepath.IsAbs(d) {
			continue
		}
		if found, ok := withExt(filepath.Join(d, name), exts); ok {
			return found, nil
		}
	}
	return "", &SpawnError{Op: OpFind, Path: name, Err: exec.ErrNotFound, Hint: "looked for in the folders of its PATH"}
}

func withExt(path string, exts []string) (string, bool) {
	isFile := func(p string) bool {
		st, err := os.Stat(p)
		return err == nil && !st.IsDir()
	}
	for _, e := range exts {
		if e != "" && strings.EqualFold(filepath.Ext(path), e) && isFile(path) {
			return path, true
		}
	}
	for _, e := range exts {
		if e != "" && isFile(path+e) {
			return path + e, true
		}
	}
	return "", false
}

// explain turns the error of a failed start into the step that failed.
func (c *command) explain(err error) error {
	if c.dir != "" {
		st, bad := os.Stat(c.dir)
		switch {
		case bad != nil:
			return &SpawnError{Op: OpChdir, Path: c.dir, Err: errors.Unwrap(bad)}
		case !st.IsDir():
			return &SpawnError{Op: OpChdir, Path: c.dir, Err: syscall.ENOTDIR}
		}
	}
	e := &SpawnError{Op: OpExec, Path: c.path, Err: err}
	if errors.Is(err, windows.ERROR_FILENAME_EXCED_RANGE) {
		e.Hint = "arguments together are too long: the system allows 32766 characters"
	}
	return e
}
