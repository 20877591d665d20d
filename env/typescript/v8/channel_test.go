//go:build cgo && linux && (amd64 || arm64)

package v8

import (
	"context"
	"strings"
	"syscall"
	"testing"

	"github.com/reeverun/reeve/env/typescript/engine"
)

func TestChannel(t *testing.T) {
	e := startEngine(t, Config{})
	t.Run("a script in parts", func(t *testing.T) {
		c := takeChild(t, e, engine.Options{})
		defer c.Close()
		s := program(`print("x")`)
		for _, b := range engine.AppendScript(nil, &s) {
			if _, err := c.Write([]byte{b}); err != nil {
				t.Fatal(err)
			}
		}
		r, err := follow(c)
		if err != nil {
			t.Fatal(err)
		}
		wantDone(t, r, "x\n")
	})
	t.Run("large frames", func(t *testing.T) {
		r := run(t, e, program(`const s = "x".repeat(4 << 20); const back = await call(s); print(back === s)`))
		wantDone(t, r, "true\n")
	})
	t.Run("a large script", func(t *testing.T) {
		r := run(t, e, program(`const s = "`+strings.Repeat("y", 8*mib)+`"; print(s.length)`))
		wantDone(t, r, "8388608\n")
	})
	t.Run("other frames", func(t *testing.T) {
		c := takeChild(t, e, engine.Options{})
		defer c.Close()
		give(t, c, program(`await new Promise((done) => { globalThis.onframe = (type, text) => { print(type, text); done() } })`))
		if _, err := c.Write(engine.AppendFrame(nil, engine.TypeSignal, []byte("SIGTERM"))); err != nil {
			t.Fatal(err)
		}
		r, err := follow(c)
		if err != nil {
			t.Fatal(err)
		}
		wantDone(t, r, "71 SIGTERM\n")
	})
	t.Run("no script", func(t *testing.T) {
		for _, first := range [][]byte{
			engine.AppendFrame(nil, engine.TypeSignal, []byte("SIGTERM")),
			engine.AppendFrame(nil, engine.TypeScript, []byte("short")),
			engine.AppendFrame(nil, engine.TypeScript, make([]byte, 200)),
		} {
			c := takeChild(t, e, engine.Options{})
			if _, err := c.Write(first); err != nil {
				t.Fatal(err)
			}
			if r, err := follow(c); err != nil || r.kind != "internal" || r.exit.Code != 72 {
				t.Errorf("got %+v, %v", r, err)
			}
			c.Close()
		}
	})
	t.Run("a parent that goes", func(t *testing.T) {
		for _, s := range []*engine.Script{nil, {Name: "p", Code: `(async () => { await call({}) })`, Meta: "{}"}} {
			c := takeChild(t, e, engine.Options{})
			if s != nil {
				give(t, c, *s)
			}
			if err := syscall.Shutdown(int(c.channel.Fd()), syscall.SHUT_WR); err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			if exit, err := c.Wait(ctx); err != nil || exit.Code != 0 {
				t.Errorf("got %+v, %v", exit, err)
			}
			cancel()
			c.Close()
		}
	})
}
