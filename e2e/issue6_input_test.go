//go:build linux

package e2e

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

func TestIssue6Input(t *testing.T) {
	t.Parallel()
	d := startReal(t, "--concurrency", "command=50")
	for name, f := range map[string]func(*testing.T, *daemon){
		"bytes": inputBytes, "streams": inputStreams, "nobody reads": inputNobodyReads,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f(t, d)
		})
	}
}

// Input by HTTP: bytes as they are, in order, and what refuses them.
func inputBytes(t *testing.T, d *daemon) {
	id := d.create(t, m{"environment": "command", "command": m{"program": "cat", "stdinOpen": true}}).id()
	if got := d.post(t, path(id, "/input"), "a\x00b\xff\n").want(t, 200).json(t).num("bytes"); got != 5 {
		t.Errorf("%d bytes", got)
	}
	d.post(t, path(id, "/input"), "").want(t, 200)
	d.post(t, path(id, "/resize"), m{"rows": 5, "cols": 5}).want(t, 409, "no_input")
	d.post(t, path(id, "/input?eof=1"), "last").want(t, 200)
	rec := d.await(t, id, "idle").wantEnd(t, "success")
	if out := d.get(t, path(id, "/stdout")).body; string(out) != "a\x00b\xff\nlast" || rec.num("stdoutBytes") != 9 {
		t.Errorf("%q", out)
	}
	for _, route := range []string{"/input", "/input?eof=1"} {
		d.post(t, path(id, route), "x").want(t, 409, "not_running")
	}
	d.post(t, path(id, "/resize"), m{"rows": 1, "cols": 1}).want(t, 409, "not_running")
	d.post(t, path(987654, "/input"), "x").want(t, 404, "not_found")

	deaf := d.sh(t, endless()).id()
	d.await(t, deaf, "running")
	d.post(t, path(deaf, "/input"), "x").want(t, 409, "no_input")
	d.post(t, path(deaf, "/input"), "").want(t, 409, "no_input")
	d.post(t, path(deaf, "/input?eof=1"), "").want(t, 409, "no_input")
	d.post(t, path(deaf, "/input?eof=maybe"), "").want(t, 400, "invalid_request")
	for _, body := range []any{"", "{", m{"rows": 0, "cols": 1}, m{"rows": 1}, m{"rows": 1, "cols": 70000}, m{"rows": 1, "cols": 1, "depth": 1}} {
		d.post(t, path(deaf, "/resize"), body).want(t, 400, "invalid_request")
	}
	code := d.create(t, m{"environment": "typescript", "code": "await new Promise(r => setTimeout(r, 60000))"}).id()
	d.await(t, code, "running")
	d.post(t, path(code, "/input"), "x").want(t, 409, "no_input")
}

// A body is passed on as it is typed, not when it is complete.
func inputStreams(t *testing.T, d *daemon) {
	id := d.create(t, m{"environment": "command", "command": m{"program": "cat", "pty": true}}).id()
	follow, err := d.tcp.Get("http://" + d.addr + path(id, "/stdout?follow=1"))
	if err != nil {
		t.Fatal(err)
	}
	defer follow.Body.Close()
	shown := bufio.NewReader(follow.Body)
	d.await(t, id, "running")
	body, typed := io.Pipe()
	answered := make(chan string, 1)
	go func() {
		resp, err := d.tcp.Post("http://"+d.addr+path(id, "/input?eof=1"), "application/octet-stream", body)
		if err != nil {
			answered <- err.Error()
			return
		}
		defer resp.Body.Close()
		b, _ := io.ReadAll(resp.Body)
		answered <- resp.Status + " " + strings.TrimSpace(string(b))
	}()
	var took time.Duration
	const lines = 40
	for i := range lines {
		want := fmt.Sprintf("line %d\n", i)
		from := time.Now()
		if _, err := io.WriteString(typed, want); err != nil {
			t.Fatal(err)
		}
		got, err := shown.ReadString('\n')
		if err != nil || got != want {
			t.Fatalf("%q, %v", got, err)
		}
		took += time.Since(from)
	}
	t.Logf("a line there and back: %v on average", took/lines)
	typed.Close()
	if got := <-answered; !strings.HasPrefix(got, "200 OK {\"bytes\":") {
		t.Error(got)
	}
	d.await(t, id, "idle").wantEnd(t, "success")
}

// A program that does not read holds its writer back until the writer gives up
// or the program ends, and nobody else.
func inputNobodyReads(t *testing.T, d *daemon) {
	id := d.create(t, m{"environment": "command", "command": m{"program": "sh", "args": []string{"-c", endless()}, "stdinOpen": true}}).id()
	d.await(t, id, "running")
	hasty := &http.Client{Timeout: 200 * time.Millisecond}
	if resp, err := hasty.Post("http://"+d.addr+path(id, "/input"), "", strings.NewReader(strings.Repeat("x", 1<<20))); err == nil {
		resp.Body.Close()
		t.Error("it was taken: " + resp.Status)
	}
	answered := make(chan answer, 1)
	go func() { answered <- d.post(t, path(id, "/input"), strings.Repeat("y", 1<<20)) }()
	d.kill(t, id, m{"now": true, "block": true})
	if a := <-answered; a.status != 200 && a.status != 409 {
		t.Error(a)
	}
}
