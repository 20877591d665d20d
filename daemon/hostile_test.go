package daemon

// Tests of a hostile review: each of them states what should hold and proved,
// when it was written, that it does not. The comment says what goes wrong.

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/reeverun/reeve"
	"github.com/reeverun/reeve/env/envfake"
	"github.com/reeverun/reeve/process"
	"github.com/reeverun/reeve/settings"
	"github.com/reeverun/reeve/token"
)

// A daemon that other machines reach refuses to start without a token, and
// opens to all of them when the last one is removed, which is the first step of
// replacing it: anybody can then run commands. server/guard.go:75
// (authenticate: all is !needed), daemon/listen.go:25.
func TestHostileRemovingTheLastTokenDoesNotOpenAPublicAddress(t *testing.T) {
	f := prepare(t, "listen=0.0.0.0:0")
	file := token.Open(settings.DataDir(f.s.Data).Tokens())
	_, made, err := file.Create("only", []token.Scope{token.ScopeRun}, 0)
	if err != nil {
		t.Fatal(err)
	}
	f.start()
	_, port, err := net.SplitHostPort(f.addr)
	if err != nil {
		t.Fatal(err)
	}
	base := "http://127.0.0.1:" + port
	const body = `{"environment":"command","code":"true"}`
	if status, b, err := f.try(f.overTCP(), base, "POST", "/processes", body); status != 401 {
		t.Fatalf("with a token: %d %s %v", status, b, err)
	}
	if err := file.Remove(made.ID); err != nil {
		t.Fatal(err)
	}
	if status, b, err := f.try(f.overTCP(), base, "POST", "/processes", body); status != 401 || err != nil {
		t.Errorf("after its removal, without one: %d %.100s %v", status, b, err)
	}
}

// The rest of a body that no handler reads is read by net/http before the
// header of an answer is written, inside the handler, without a deadline: the
// one of pacedBodies is set when the handler has returned. A client that
// announces a body and sends none holds a slot for as long as it likes, if the
// answer is larger than net/http's buffer. daemon/bodies.go:17.
func TestHostileUnsentBodyOfAGet(t *testing.T) {
	f := prepare(t, "max-requests=1")
	f.l.body = 50 * time.Millisecond
	f.start()
	c := dial(t, f.addr)
	fmt.Fprintf(c, "GET /openapi.json HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\n")
	busy, free := 0, 0
	for giveUp := time.Now().Add(5 * time.Second); time.Now().Before(giveUp) && free < 20; {
		status, _, err := f.try(f.overTCP(), "http://"+f.addr, "GET", "/openapi.json", "")
		if err != nil {
			t.Fatal(err)
		}
		if status == http.StatusTooManyRequests {
			busy, free = busy+1, 0
			time.Sleep(5 * time.Millisecond)
		} else {
			free++
		}
	}
	if free < 20 {
		t.Errorf("after 5 s the slot is still held (%d times 429): the body was due after 50 ms", busy)
	}
}

// An event stream of a GET with a body (curl -X GET -d '{}') is cut when the
// time for the body is over: pacedBodies sets a read deadline on the connection
// that the stream has taken over. daemon/bodies.go:33.
func TestHostileEventStreamOfAGetWithABody(t *testing.T) {
	f := prepare(t)
	f.l.body = 50 * time.Millisecond
	f.start()
	rec := f.create(`{"environment":"fake","code":"hang"}`)
	c := dial(t, f.addr)
	fmt.Fprintf(c, "GET /processes/%d/events HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\nContent-Length: 2\r\n\r\n{}", rec.ID)
	r := bufio.NewReader(c)
	for {
		line, err := r.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(line, "process_started") {
			break
		}
	}
	_ = c.SetReadDeadline(time.Now().Add(time.Second))
	if b, err := io.ReadAll(r); err == nil {
		t.Errorf("the stream ends while the process runs, after %q", b)
	}
}

// unready is an environment that cannot be set up.
type unready struct{ envfake.Env }

func (*unready) Setup(context.Context) error { return errors.New("not now") }

// The note of the boot is written before what the last host left is settled: a
// start after a reboot that fails (an environment, the spawner, a crash) lets
// the next one trust logs that the reboot may have taken back, and run twice
// what was claimed ahead. boot.go:28 (sameLogs), runtime.go:72.
func TestHostileFailedStartAfterAReboot(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("there are no boot ids")
	}
	dir := t.TempDir()
	config := func(dir string, e reeve.Environment) reeve.Config {
		return reeve.Config{Dir: dir, Environments: map[string]reeve.Environment{"fake": e}, Slots: map[string]int{"fake": 1}}
	}
	first := new(envfake.Env)
	rt, err := reeve.Open(t.Context(), config(dir, first))
	if err != nil {
		t.Fatal(err)
	}
	defer rt.Close()
	spawn := func(code string) reeve.ID {
		h, err := rt.Spawn(t.Context(), reeve.FromSpec(process.Spec{Environment: "fake", Code: code}))
		if err != nil {
			t.Fatal(err)
		}
		return h.ID()
	}
	spawn("hang")
	next := spawn("out again")
	eventually(t, "the second is claimed ahead", func() bool {
		p, err := rt.Process(t.Context(), next)
		return err == nil && p.Claimed && p.Ahead
	})
	// The power fails: what was committed is there, the logs are not (the
	// second may have been started), and the boot is another.
	after := t.TempDir()
	for _, pattern := range []string{"reeve.db*", "key*"} {
		files, err := filepath.Glob(filepath.Join(dir, pattern))
		if err != nil || len(files) == 0 {
			t.Fatal(pattern, err)
		}
		for _, f := range files {
			b, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(after, filepath.Base(f)), b, 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := os.WriteFile(filepath.Join(after, "boot"), []byte("another\n"+filepath.Join(after, "logs")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if rt, err := reeve.Open(t.Context(), config(after, new(unready))); err == nil {
		rt.Close()
		t.Fatal("it opens")
	}
	third, err := reeve.Open(t.Context(), config(after, new(envfake.Env)))
	if err != nil {
		t.Fatal(err)
	}
	defer third.Close()
	rec, err := third.Await(t.Context(), next)
	if err != nil {
		t.Fatal(err)
	}
	if rec.Error != process.ErrHostExited {
		t.Errorf("it may have been started before the reboot, and was run again: %s", rec.ExitState)
	}
}
