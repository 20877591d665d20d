package remote_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/reeverun/reeve/keeper"
	"github.com/reeverun/reeve/keeper/internal/wire"
	"github.com/reeverun/reeve/keeper/remote"
)

func raw(t testing.TB, c remote.Config) *net.UnixConn {
	t.Helper()
	sock, err := remote.Dial(c.Dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { sock.Close() })
	_ = sock.SetDeadline(time.Now().Add(patience))
	return sock
}

// guest is a connection that speaks the protocol, and has said nothing yet.
func guest(t testing.TB, c remote.Config) *wire.Conn {
	t.Helper()
	conn, err := wire.NewConn(raw(t, c))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conn.Close)
	return conn
}

// intruder is a connection that has taken control.
func intruder(t testing.TB, c remote.Config) *wire.Conn {
	t.Helper()
	conn := guest(t, c)
	say(t, conn, wire.Frame{Kind: remote.Hello, Body: remote.HelloBody(remote.Version)})
	for {
		f, err := conn.Receive()
		if err != nil {
			t.Fatal(err)
		}
		if f.Kind == remote.Ready {
			return conn
		}
	}
}

func say(t testing.TB, conn *wire.Conn, f wire.Frame) {
	t.Helper()
	if err := conn.Send(f); err != nil {
		t.Fatal(err)
	}
}

// hungUp waits for the end of a connection.
func hungUp(t testing.TB, sock *net.UnixConn) {
	t.Helper()
	buf := make([]byte, 4096)
	for {
		if _, err := sock.Read(buf); err != nil {
			if errors.Is(err, os.ErrDeadlineExceeded) {
				t.Error("the keeper keeps the connection")
			}
			return
		}
	}
}

func header(kind, files byte, length uint32) []byte {
	b := make([]byte, 16)
	copy(b, "RV")
	b[2], b[3] = kind, files
	binary.LittleEndian.PutUint32(b[4:], length)
	return b
}

// Whoever cannot be understood loses the connection, and nothing else happens:
// neither to the client in control nor to its jobs.
func TestMalformedClients(t *testing.T) {
	c := config(t)
	cl := connect(t, c)
	j := start(t, cl, script("j", "read x; exit 1", nil))
	defer j.Kill()
	k := start(t, cl, keeper.Spec{Name: "k", Path: "/bin/cat", StdinPipe: true, Env: []string{}})
	fds := openFiles(t, c)
	for name, text := range map[string][]byte{
		"garbage":          []byte("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"),
		"too long":         header(1, 0, 1<<31),
		"too many files":   header(1, 200, 0),
		"no files":         header(1, 3, 0),
		"not a hello":      header(7, 0, 0),
		"unknown kind":     header(255, 0, 0),
		"empty hello":      header(1, 0, 0),
		"hello, not JSON":  append(header(1, 0, 7), 1, 0, 0, 0, 'x', 'y', 'z'),
		"half a frame":     header(1, 0, 100)[:9],
		"a body cut short": append(header(1, 0, 100), "short"...),
	} {
		t.Run(name, func(t *testing.T) {
			sock := raw(t, c)
			if _, err := sock.Write(text); err != nil {
				t.Fatal(err)
			}
			_ = sock.CloseWrite()
			hungUp(t, sock)
		})
	}
	if pid := pidOf(c.Dir); pid == 0 {
		t.Fatal("the keeper is gone")
	}
	if n, err := k.(keeper.Interactive).Input(soon(t), []byte("x")); n != 1 || err != nil {
		t.Errorf("the client in control was disturbed: %d, %v", n, err)
	}
	eventually(t, "descriptors are given back", func() bool { return openFiles(t, c) <= fds })
}

// openFiles counts the keeper's descriptors, but for the cgroups it keeps ready.
func openFiles(t testing.TB, c remote.Config) (n int) {
	t.Helper()
	links, err := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", pidOf(c.Dir)))
	if err != nil || len(links) == 0 {
		t.Fatalf("%d files, %v", len(links), err)
	}
	for _, l := range links {
		if to, err := os.Readlink(l); err == nil && !strings.HasPrefix(to, "/sys/fs/cgroup") {
			n++
		}
	}
	return n
}

// In control, nonsense ends the connection, too; the client of before comes
// back only by connecting anew.
func TestLies(t *testing.T) {
	c := config(t)
	first := connect(t, c)
	j := start(t, first, keeper.Spec{Name: "j", Path: "/bin/sleep", Args: []string{"600"}, Env: []string{}, StdinPipe: true})
	_ = j
	fds := openFiles(t, c)
	for name, lie := range map[string]func(conn *wire.Conn){
		"not JSON":        func(conn *wire.Conn) { say(t, conn, wire.Frame{Kind: remote.Members, Body: []byte("{")}) },
		"an empty spawn":  func(conn *wire.Conn) { say(t, conn, wire.Frame{Kind: remote.Spawn}) },
		"a spawn of junk": func(conn *wire.Conn) { say(t, conn, wire.Frame{Kind: remote.Spawn, Body: []byte{7, 255, 255, 255}}) },
		"files not given": func(conn *wire.Conn) {
			say(t, conn, wire.Frame{Kind: remote.Spawn, Body: append([]byte{7}, remote.SpawnBody(keeper.Spec{Path: "/bin/true"})[1:]...)})
		},
		"input of junk": func(conn *wire.Conn) { say(t, conn, wire.Frame{Kind: remote.Input, Body: []byte{200}}) },
		"hello again": func(conn *wire.Conn) {
			say(t, conn, wire.Frame{Kind: remote.Hello, Body: remote.HelloBody(remote.Version)})
		},
	} {
		t.Run(name, func(t *testing.T) {
			conn := intruder(t, c)
			lie(conn)
			for {
				if _, err := conn.Receive(); err != nil {
					if errors.Is(err, os.ErrDeadlineExceeded) {
						t.Error("the keeper keeps the connection")
					}
					return
				}
			}
		})
	}
	if _, err := first.Spawn(soon(t), script("x", "true", nil)); !errors.Is(err, remote.ErrTakenOver) {
		t.Errorf("spawn by the client of before: %v", err)
	}
	cl := connect(t, c)
	if n := len(adopt(t, cl, "j").Members()); n != 1 {
		t.Errorf("%d members", n)
	}
	eventually(t, "descriptors are given back", func() bool { return openFiles(t, c) <= fds })
}

// Descriptors that were not announced pile up to a handful only.
func TestFloodOfDescriptors(t *testing.T) {
	c := config(t)
	connect(t, c)
	fds := openFiles(t, c)
	sock := raw(t, c)
	rc, err := sock.SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	sent := 0
	for range 100 {
		var bad error
		_ = rc.Write(func(fd uintptr) bool {
			_, bad = unix.SendmsgN(int(fd), []byte("R"), unix.UnixRights(0, 0, 0, 0), nil, unix.MSG_NOSIGNAL)
			return bad != unix.EAGAIN
		})
		if bad != nil {
			break
		}
		sent++
	}
	t.Logf("%d times four descriptors were taken", sent)
	hungUp(t, sock)
	eventually(t, "they are closed", func() bool { return openFiles(t, c) <= fds })
}

// A client that asks and does not listen loses the connection; the keeper's
// memory does not grow with its questions, and its jobs go on.
func TestClientThatDoesNotRead(t *testing.T) {
	c := config(t)
	cl := connect(t, c)
	m := mark()
	start(t, cl, script("j", "for i in 1 2 3 4 5 6 7 8; do sleep "+m+" & done; wait", nil))
	cl.Close()
	sock := raw(t, c)
	write := func(f []byte) error {
		_, err := sock.Write(f)
		return err
	}
	body := remote.HelloBody(remote.Version)
	if err := write(append(header(byte(remote.Hello), 0, uint32(len(body))), body...)); err != nil {
		t.Fatal(err)
	}
	body = remote.RequestBody("j")
	question := append(header(byte(remote.Members), 0, uint32(len(body))), body...)
	_ = sock.SetWriteDeadline(time.Now().Add(3 * time.Second))
	asked := 0
	for write(question) == nil {
		asked++
	}
	t.Logf("%d questions were taken, the keeper has %d kB", asked, memoryOf(t, pidOf(c.Dir), "Rss"))
	if kb := memoryOf(t, pidOf(c.Dir), "Rss"); kb > 200<<10 {
		t.Errorf("the keeper has %d kB", kb)
	}
	again := connect(t, c)
	if n := len(adopt(t, again, "j").Members()); n != 9 {
		t.Errorf("%d members", n)
	}
}

// memoryOf reads smaps_rollup, in kB.
func memoryOf(t testing.TB, pid int, what string) int {
	t.Helper()
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", pid))
	if err != nil {
		t.Fatal(err)
	}
	total := 0
	for line := range strings.Lines(string(b)) {
		if f := strings.Fields(line); len(f) == 3 && f[0] == what+":" {
			var n int
			_, _ = fmt.Sscan(f[1], &n)
			total += n
		}
	}
	return total
}

// Too many who say nothing are not let in, and go away by themselves.
func TestSilentGuests(t *testing.T) {
	c := config(t)
	cl := connect(t, c)
	for range 50 {
		raw(t, c)
	}
	eventually(t, "there are few", func() bool { return openFiles(t, c) < 80 })
	exits(t, start(t, cl, script("j", "exit 3", nil)), keeper.Exit{Code: 3})
}

// Another version is refused with a sentence, and disturbs nobody.
func TestOtherVersion(t *testing.T) {
	c := config(t)
	cl := connect(t, c)
	j := start(t, cl, script("j", "exec sleep 600", nil))
	conn := guest(t, c)
	say(t, conn, wire.Frame{Kind: remote.Hello, Body: remote.HelloBody(7)})
	f, err := conn.Receive()
	if err != nil || f.Kind != remote.Failed {
		t.Fatalf("%+v, %v", f, err)
	}
	if text := string(f.Body); !strings.Contains(text, "version 1, and not 7") || !strings.Contains(text, "version") {
		t.Errorf("%s", text)
	}
	if n := len(j.Members()); n != 1 {
		t.Errorf("%d members", n)
	}
	j.Kill()
}

// Another user is not let in.
func TestOtherUser(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("needs to become another user")
	}
	c := config(t)
	connect(t, c)
	if st, err := os.Stat(c.Dir); err != nil || st.Mode().Perm() != 0o700 {
		t.Errorf("%v, %v", st.Mode(), err)
	}
	st, err := os.Stat(c.Dir + "/socket")
	if err != nil || st.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", st.Mode(), err)
	}
	// Past the modes, the kernel still tells who it is.
	for _, path := range []string{c.Dir, parentOf(c.Dir), parentOf(parentOf(c.Dir))} { // this test's own
		if err := os.Chmod(path, 0o711); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chmod(c.Dir+"/socket", 0o666); err != nil {
		t.Fatal(err)
	}
	cmd := nobody(t, c)
	out, err := cmd.CombinedOutput()
	if !strings.Contains(string(out), "serves user 0 alone") {
		t.Errorf("%s, %v", out, err)
	}
}
