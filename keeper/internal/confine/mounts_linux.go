package confine

import (
	"syscall"
	"unsafe"
)

const (
	attrReadOnly = 0x1
	attrNoSuid   = 0x2
	attrNoDev    = 0x4
	attrNoExec   = 0x8
	attrIDMap    = 0x100000
)

type mountAttr struct{ set, clear, propagation, userns uint64 }

// atCwd is AT_FDCWD, as a register holds it.
const atCwd = ^uintptr(99)

// cloneTree returns a copy of a mount and what is mounted below it, attached
// nowhere.
func cloneTree(path string) (int, error) {
	const openTreeClone = 1
	fd, _, e := syscall.Syscall(sysOpenTree, atCwd, uintptr(cstring(path)), openTreeClone|syscall.O_CLOEXEC|atRecursive)
	return int(fd), asError(e)
}

// setAttr changes a copied mount, with what is below it if deep.
func setAttr(fd int, a mountAttr, deep bool) error {
	flags := uintptr(atEmptyPath)
	if deep {
		flags |= atRecursive
	}
	_, _, e := syscall.Syscall6(sysMountSetattr, uintptr(fd), uintptr(cstring("")), flags,
		uintptr(unsafe.Pointer(&a)), unsafe.Sizeof(a), 0)
	return asError(e)
}

// attach mounts a copy at a path.
func attach(fd int, path string) error {
	const fromEmptyPath = 4
	_, _, e := syscall.Syscall6(sysMoveMount, uintptr(fd), uintptr(cstring("")), atCwd, uintptr(cstring(path)), fromEmptyPath, 0)
	return asError(e)
}

// graft is a piece of the host's file tree that a new root shall show.
type graft struct {
	path string // in both
	link string // a symbolic link to this instead
	fd   int
	dir  bool
}

// cut takes a copy of what is at a path; ok is false if nothing is there.
func cut(path string, set uint64) (g graft, ok bool, err error) {
	var st syscall.Stat_t
	if syscall.Lstat(path, &st) != nil {
		return g, false, nil
	}
	g.path = path
	if st.Mode&syscall.S_IFMT == syscall.S_IFLNK {
		var buf [1024]byte
		n, err := syscall.Readlink(path, buf[:])
		g.link = string(buf[:max(n, 0)])
		return g, err == nil, err
	}
	g.dir = st.Mode&syscall.S_IFMT == syscall.S_IFDIR
	if g.fd, err = cloneTree(path); err != nil {
		return g, false, err
	}
	if err := setAttr(g.fd, mountAttr{set: set}, true); err != nil {
		syscall.Close(g.fd)
		return g, false, err
	}
	return g, true, nil
}

// graft puts it in place below the current directory.
func (g *graft) graft() error {
	at := "." + g.path
	if err := makeParents(at); err != nil {
		return err
	}
	if g.link != "" {
		return syscall.Symlink(g.link, at)
	}
	if err := makePlace(at, g.dir); err != nil {
		return err
	}
	return attach(g.fd, at)
}

func (g *graft) close() {
	if g.link == "" {
		syscall.Close(g.fd)
	}
}

func makePlace(at string, dir bool) error {
	if dir {
		return ignoreExist(syscall.Mkdir(at, 0o755))
	}
	fd, err := syscall.Open(at, syscall.O_CREAT|syscall.O_WRONLY|syscall.O_CLOEXEC, 0o644)
	if err == nil {
		syscall.Close(fd)
	}
	return err
}

func makeParents(at string) error {
	for i := 2; i < len(at); i++ {
		if at[i] != '/' {
			continue
		}
		if err := ignoreExist(syscall.Mkdir(at[:i], 0o755)); err != nil {
			return err
		}
	}
	return nil
}

func ignoreExist(err error) error {
	if err == syscall.EEXIST {
		return nil
	}
	return err
}

func writeFile(at, text string) error {
	fd, err := syscall.Open(at, syscall.O_CREAT|syscall.O_EXCL|syscall.O_WRONLY|syscall.O_CLOEXEC, 0o644)
	if err != nil {
		return err
	}
	defer syscall.Close(fd)
	_, err = syscall.Write(fd, []byte(text))
	return err
}
