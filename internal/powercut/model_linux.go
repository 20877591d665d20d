//go:build linux && (amd64 || arm64)

package powercut

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// model keeps track of the folder's names while the log grows.
type model struct {
	folder string
	names  tree
	sizes  map[*file]int64
	log    Log
}

func newModel(folder string) *model {
	return &model{folder: folder, names: tree{}, sizes: map[*file]int64{}, log: Log{root: &file{folder: true}}}
}

// find returns what a path below the folder stands for, and where it is entered;
// nil: nothing yet.
func (m *model) find(name string) (*file, entry) {
	f, e := m.log.root, entry{}
	if name == "" {
		return f, e
	}
	for base := range strings.SplitSeq(name, "/") {
		e = entry{f, base}
		f = m.names[f][base]
	}
	return f, e
}

// call is a system call that has begun and may matter.
type call struct {
	tid   int
	nr    int
	args  [5]uint64
	began int // ops before it
	name  entry
	to    entry
	file  *file
	off   int64
	data  []byte
	isNew bool
}

// called looks at a call that begins; nil if it does not matter.
func (m *model) called(tid, nr int, args [5]uint64) (*call, error) {
	at, short := plain(nr)
	if short { // put the missing descriptor in
		here := int64(unix.AT_FDCWD)
		cwd := uint64(here)
		switch at {
		case unix.SYS_LINKAT, unix.SYS_RENAMEAT:
			args = [5]uint64{cwd, args[0], cwd, args[1]}
		default:
			args = [5]uint64{cwd, args[0], args[1], args[2]}
		}
	}
	c := &call{tid: tid, nr: at, args: args, began: len(m.log.ops)}
	switch at {
	case unix.SYS_OPENAT, unix.SYS_MKDIRAT, unix.SYS_UNLINKAT:
		name, ok := m.at(c, args[0], args[1])
		c.file, c.name = m.find(name)
		c.isNew = c.file == nil
		if !ok || at == unix.SYS_OPENAT && args[2]&(unix.O_CREAT|unix.O_TRUNC) == 0 {
			return nil, nil
		}
		return c, nil
	case unix.SYS_LINKAT, unix.SYS_RENAMEAT, unix.SYS_RENAMEAT2:
		from, ok1 := m.at(c, args[0], args[1])
		to, ok2 := m.at(c, args[2], args[3])
		c.file, c.name = m.find(from)
		_, c.to = m.find(to)
		if ok1 != ok2 {
			return nil, fmt.Errorf("%s is moved over the border of the folder", from)
		}
		if !ok1 {
			return nil, nil
		}
		return c, nil
	}
	return m.calledOn(c)
}

// calledOn looks at a call on a descriptor.
func (m *model) calledOn(c *call) (*call, error) {
	fd := int(c.args[0])
	if fd == 1 && c.nr == unix.SYS_WRITE {
		data, err := c.read(c.args[1], c.args[2])
		m.log.ops = append(m.log.ops, op{kind: acknowledge, ack: string(data)})
		return nil, err
	}
	path, err := os.Readlink(fmt.Sprintf("/proc/%d/fd/%d", c.tid, fd))
	name, ok := m.inside(path)
	if err != nil || !ok || strings.HasSuffix(path, " (deleted)") {
		return nil, nil
	}
	if c.file, c.name = m.find(name); c.file == nil {
		return nil, fmt.Errorf("%s was not seen to be made", name)
	}
	switch c.nr {
	case unix.SYS_FSYNC, unix.SYS_FDATASYNC:
	case unix.SYS_FTRUNCATE:
		c.off = int64(c.args[1])
	case unix.SYS_FALLOCATE:
		if c.args[1] != 0 {
			return nil, nil // holes are of logs, whose bytes nobody promises
		}
		c.off = int64(c.args[2] + c.args[3])
	case unix.SYS_WRITE, unix.SYS_PWRITE64:
		if c.data, err = c.read(c.args[1], c.args[2]); err != nil {
			return nil, err
		}
		c.off = int64(c.args[3])
		if c.nr == unix.SYS_WRITE {
			c.off, err = m.position(c, fd)
		}
	default:
		return nil, fmt.Errorf("call %d on %s is not known", c.nr, name)
	}
	return c, err
}

// position is where a write without one goes.
func (m *model) position(c *call, fd int) (int64, error) {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/fdinfo/%d", c.tid, fd))
	if err != nil {
		return 0, err
	}
	var pos, flags int64
	for line := range strings.Lines(string(b)) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), ":")
		switch value = strings.TrimSpace(value); name {
		case "pos":
			pos, _ = strconv.ParseInt(value, 10, 64)
		case "flags":
			flags, _ = strconv.ParseInt(value, 8, 64)
		}
	}
	if flags&unix.O_APPEND != 0 {
		return -1, nil // at the end, when it is done
	}
	return pos, nil
}

// returned records a call that succeeded.
func (m *model) returned(c *call, result int64) {
	if result < 0 {
		return
	}
	o := op{kind: write, file: c.file, name: c.name, to: c.to, off: c.off}
	switch c.nr {
	case unix.SYS_OPENAT, unix.SYS_MKDIRAT:
		if c.isNew {
			o.kind, o.file = create, &file{folder: c.nr == unix.SYS_MKDIRAT}
			m.names.put(c.name, o.file)
			break
		}
		if c.args[2]&unix.O_TRUNC == 0 {
			return
		}
		o.kind, m.sizes[o.file] = truncate, 0
	case unix.SYS_UNLINKAT:
		o.kind = remove
		m.names.drop(c.name)
	case unix.SYS_LINKAT:
		o.kind = link
		m.names.put(c.to, c.file)
	case unix.SYS_RENAMEAT, unix.SYS_RENAMEAT2:
		o.kind = rename
		m.names.drop(c.name)
		m.names.put(c.to, c.file)
	case unix.SYS_FSYNC, unix.SYS_FDATASYNC:
		o.kind, o.began = sync, c.began
	case unix.SYS_FTRUNCATE:
		o.kind, m.sizes[o.file] = truncate, o.off
	case unix.SYS_FALLOCATE:
		if o.off <= m.sizes[o.file] {
			return
		}
		o.kind, m.sizes[o.file] = truncate, o.off
	default:
		if o.data = c.data[:result]; o.off < 0 {
			o.off = m.sizes[o.file]
		}
		m.sizes[o.file] = max(m.sizes[o.file], o.off+result)
	}
	m.log.ops = append(m.log.ops, o)
}

// at is the name of a file below the folder.
func (m *model) at(c *call, dirfd, address uint64) (name string, ok bool) {
	path := c.text(address)
	if !filepath.IsAbs(path) {
		dir := fmt.Sprintf("/proc/%d/cwd", c.tid)
		if int32(dirfd) != unix.AT_FDCWD {
			dir = fmt.Sprintf("/proc/%d/fd/%d", c.tid, int32(dirfd))
		}
		dir, _ = os.Readlink(dir)
		path = filepath.Join(dir, path)
	}
	return m.inside(filepath.Clean(path))
}

func (m *model) inside(path string) (name string, ok bool) {
	if path == m.folder {
		return "", true
	}
	name, ok = strings.CutPrefix(path, m.folder+"/")
	return name, ok && !strings.HasSuffix(name, "-shm")
}

func (c *call) read(address, n uint64) ([]byte, error) {
	b := make([]byte, n)
	if n == 0 {
		return b, nil
	}
	got, err := unix.ProcessVMReadv(c.tid, []unix.Iovec{{Base: &b[0], Len: n}}, []unix.RemoteIovec{{Base: uintptr(address), Len: int(n)}}, 0)
	if err != nil || got != int(n) {
		return nil, fmt.Errorf("read %d of %d bytes of the program: %w", got, n, err)
	}
	return b, nil
}

// text reads a string; reading stops at a page that is not there.
func (c *call) text(address uint64) string {
	var all []byte
	for len(all) < unix.PathMax {
		n := 256 - address%256 // never over the border of a page
		b, err := c.read(address, n)
		if err != nil {
			return ""
		}
		if i := bytes.IndexByte(b, 0); i >= 0 {
			return string(append(all, b[:i]...))
		}
		all = append(all, b...)
		address += n
	}
	return ""
}
