package rawlog

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func descriptors(t *testing.T) []string {
	t.Helper()
	var out []string
	for _, f := range must[[]os.DirEntry](t)(os.ReadDir("/proc/self/fd")) {
		if to, err := os.Readlink("/proc/self/fd/" + f.Name()); err == nil {
			out = append(out, to)
		}
	}
	slices.Sort(out)
	return out
}

func TestNoDescriptorIsLeaked(t *testing.T) {
	dir := t.TempDir()
	cycle := func() {
		ls := must[*Logs](t)(New(Config{Dir: filepath.Join(dir, "logs"), Cap: 64 << 10, MemoryCap: 64 << 10}))
		for p := KeepFile; p <= KeepNothing; p++ {
			l := ls.Create(int64(p), 1, p)
			followed(t, l, "seq 1 20000; echo err >&2")
			equal(t, "armed", l.Arm(), false)
			if p != KeepNothing {
				r := must[*Reader](t)(ls.Open(int64(p), 1))
				content(t, r, Stdout)
				check(t, l.Finish())
				content(t, r, Stdout)
				check(t, r.Close())
				check(t, r.Close())
			}
			check(t, l.Finish())
			live := ls.Create(int64(p), 2, p) // left to Close
			run(t, live, "echo hi")
			live.Arm()
		}
		check(t, ls.Close())
		check(t, ls.Close())
	}
	cycle() // opens what the runtime keeps
	before := descriptors(t)
	cycle()
	equal(t, "descriptors", strings.Join(descriptors(t), "\n"), strings.Join(before, "\n"))
}

// Thousands of silent commands may run at once: to look for output that is not
// there takes no descriptor.
func TestASilentStreamHasOneDescriptor(t *testing.T) {
	l := newLogs(t, Config{}).Create(1, 1, KeepFile)
	out := must[*os.File](t)(l.File(Stdout))
	n, off, err := l.Read(Stdout, make([]byte, 100))
	check(t, err)
	equal(t, "bytes", n, 0)
	equal(t, "offset", off, 0)
	open := func() (n int) {
		for _, name := range descriptors(t) {
			if name == out.Name() {
				n++
			}
		}
		return n
	}
	equal(t, "descriptors", open(), 1)
	must[int](t)(out.WriteString("spoken"))
	buf := make([]byte, 100)
	n, _, err = l.Read(Stdout, buf)
	check(t, err)
	equal(t, "read", string(buf[:n]), "spoken")
	equal(t, "descriptors", open(), 2)
	check(t, l.Finish())
}
