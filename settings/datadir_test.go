package settings

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/reeverun/reeve/process"
)

func TestFindSocket(t *testing.T) {
	d := DataDir(t.TempDir())
	for _, c := range []struct{ file, want string }{
		{"", d.Socket()}, {"/run/short.sock\n", "/run/short.sock"}, {"garbage", d.Socket()},
	} {
		if c.file != "" {
			if err := os.WriteFile(d.SocketFile(), []byte(c.file), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := d.FindSocket(); got != c.want || err != nil {
			t.Errorf("%q: %s, %v", c.file, got, err)
		}
	}
}

func TestClientData(t *testing.T) {
	env := func(vars map[string]string) func(string) (string, bool) {
		return func(n string) (string, bool) { v, ok := vars[n]; return v, ok }
	}
	for _, c := range []struct {
		given string
		env   map[string]string
		want  string
	}{
		{"/a", map[string]string{"REEVE_DATA": "/b"}, "/a"},
		{"rel", nil, "/cwd/rel"},
		{"", map[string]string{"REEVE_DATA": "b/"}, "/cwd/b"},
		{"", map[string]string{"XDG_DATA_HOME": "/x", "HOME": "/h"}, "/x/reeve"},
		{"", map[string]string{"XDG_DATA_HOME": "not/absolute", "HOME": "/h"}, "/h/.local/share/reeve"},
	} {
		if got, err := ClientData(c.given, env(c.env), "/cwd"); string(got) != c.want || err != nil {
			t.Errorf("%+v: %s, %v", c, got, err)
		}
	}
	if _, err := ClientData("", env(nil), "/cwd"); !errors.Is(err, process.ErrInvalid) {
		t.Error(err)
	}
}

func TestLockIsHeldByOne(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	first, err := TakeLock(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("enough waited"))
	if _, err := TakeLock(ctx, path); err == nil || !strings.Contains(err.Error(), "enough waited") {
		t.Fatalf("the second: %v", err)
	}
	second := make(chan error)
	go func() {
		l, err := TakeLock(t.Context(), path)
		if err == nil {
			err = l.Release()
		}
		second <- err
	}()
	if err := first.Release(); err != nil {
		t.Error(err)
	}
	if err := <-second; err != nil {
		t.Error(err)
	}
}
