package daemon

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/reeverun/reeve/settings"
)

func TestFilesShowWhereItServesAndGoWithIt(t *testing.T) {
	f := prepare(t).start()
	data := settings.DataDir(f.s.Data)
	for path, want := range map[string]string{data.SocketFile(): data.Socket(), data.AddressFile(): f.addr} {
		if b, err := os.ReadFile(path); strings.TrimSpace(string(b)) != want {
			t.Errorf("%s says %q, %v", path, b, err)
		}
	}
	info, err := os.Stat(data.Socket())
	if err != nil || runtime.GOOS != "windows" && info.Mode() != os.ModeSocket|0o600 {
		t.Errorf("socket: %v, %v", info.Mode(), err)
	}
	f.stop()
	for _, path := range []string{data.Socket(), data.SocketFile(), data.AddressFile()} {
		if _, err := os.Lstat(path); err == nil {
			t.Errorf("%s is left behind", path)
		}
	}
}

func TestListenNoneLeavesTheSocket(t *testing.T) {
	f := prepare(t, "listen=none").start()
	if want := "unix://" + settings.DataDir(f.s.Data).Socket(); f.addr != want {
		t.Errorf("ready at %s, want %s", f.addr, want)
	}
	if status, _ := f.call("GET", "/health", ""); status != http.StatusOK {
		t.Errorf("health: %d", status)
	}
	if _, err := os.Stat(settings.DataDir(f.s.Data).AddressFile()); err == nil {
		t.Error("there is an address file")
	}
}

// deadSocket leaves a socket as a killed daemon does.
func deadSocket(t *testing.T, path string) {
	t.Helper()
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	l.(*net.UnixListener).SetUnlinkOnClose(false)
	l.Close()
}

func TestStaleSocketIsReplaced(t *testing.T) {
	f := prepare(t)
	deadSocket(t, settings.DataDir(f.s.Data).Socket())
	f.start()
	if status, _ := f.call("GET", "/health", ""); status != http.StatusOK {
		t.Errorf("health: %d", status)
	}
}

func TestForeignFileIsNotRemoved(t *testing.T) {
	f := prepare(t)
	path := settings.DataDir(f.s.Data).Socket()
	if err := os.WriteFile(path, []byte("precious"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := f.fails(); !strings.Contains(err.Error(), path+" is in the way") {
		t.Error(err)
	}
	if b, _ := os.ReadFile(path); string(b) != "precious" {
		t.Error("it is gone")
	}
}

func longFolder(t *testing.T) string {
	dir := filepath.Join(t.TempDir(), strings.Repeat("long/", 30))
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestTooLongPathGetsAShortSocket(t *testing.T) {
	runtimeDir, err := os.MkdirTemp("/tmp", "rv")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(runtimeDir)
	t.Setenv("XDG_RUNTIME_DIR", runtimeDir)
	f := prepare(t, "data="+longFolder(t)).start()
	path, err := settings.DataDir(f.s.Data).FindSocket()
	if err != nil || !strings.HasPrefix(path, runtimeDir) || len(path) > maxSocketPath {
		t.Fatal(path, err)
	}
	if status, _ := f.call("GET", "/health", ""); status != http.StatusOK {
		t.Errorf("health: %d", status)
	}
	info, err := os.Stat(filepath.Dir(path))
	if err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("its folder: %v, %v", info.Mode(), err)
	}
	f.stop()
	if _, err := os.Lstat(path); err == nil {
		t.Error("the socket is left behind")
	}
}

func TestShortFoldersAreTriedInOrder(t *testing.T) {
	tmp, err := os.MkdirTemp("/tmp", "rv")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(tmp)
	data := settings.DataDir(longFolder(t))
	t.Setenv("TMPDIR", tmp)
	for _, unusable := range []string{"", "relative", filepath.Join(tmp, "missing"), longFolder(t)} {
		t.Setenv("XDG_RUNTIME_DIR", unusable)
		path, err := socketPath(data)
		if want := filepath.Join(tmp, fmt.Sprintf("reeve-%d", os.Getuid())); filepath.Dir(path) != want || err != nil {
			t.Errorf("with %q: %s, %v", unusable, path, err)
		}
	}
	one, _ := socketPath(data)
	if other, err := socketPath(data + "2"); err != nil || other == one {
		t.Errorf("two data directories share %s (%v)", other, err)
	}
}

// In a shared folder somebody may have made a folder of our name first.
func TestFolderOfOthersIsNotTrusted(t *testing.T) {
	runtimeDir, err := os.MkdirTemp("/tmp", "rv")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(runtimeDir)
	t.Setenv("XDG_RUNTIME_DIR", runtimeDir)
	if err := os.Mkdir(filepath.Join(runtimeDir, "reeve"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(filepath.Join(runtimeDir, "reeve"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := prepare(t, "data="+longFolder(t)).fails(); !strings.Contains(err.Error(), "of this user alone") {
		t.Error(err)
	}
}

// A daemon that has given up the data directory, but not its socket yet, must
// not remove that of its successor: the successor waits.
func TestSuccessorWaitsForTheSocket(t *testing.T) {
	data := settings.DataDir(t.TempDir())
	old, err := openSocket(t.Context(), data)
	if err != nil {
		t.Fatal(err)
	}
	opened := make(chan *socket)
	go func() {
		next, err := openSocket(t.Context(), data)
		if err != nil {
			t.Error(err)
		}
		opened <- next
	}()
	select {
	case <-opened:
		t.Fatal("two hold the socket")
	default:
	}
	if err := old.close(); err != nil {
		t.Fatal(err)
	}
	next := <-opened
	c, err := net.Dial("unix", data.Socket())
	if err != nil {
		t.Fatal(err)
	}
	c.Close()
	if err := next.close(); err != nil {
		t.Error(err)
	}
}
