//go:build linux

package e2e

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

// Depth: what is too deep is refused to the program, and never makes a record
// that cannot be read.
func TestEscapeByDepth(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	d := s.start(t, newBase(t), "")
	told := "try { %s; console.log('kept') } catch (e) { console.log(e instanceof Error ? 'refused' : 'strange') }"
	uses := map[string]string{
		"output": fmt.Sprintf(told, "reeve.output({ a: deep })"),
		"tool":   fmt.Sprintf(told, "await reeve.services.shop.tools.echo({ a: deep })"),
		"spawn":  fmt.Sprintf(told, "await reeve.spawn({ code: '', options: deep })"),
		"throw":  "throw deep",
		"log":    "console.log(deep); console.log('%j %o', deep, deep)",
		"clone":  "try { structuredClone(deep) } catch (e) {}",
	}
	for _, depth := range []int{200, 9990, 9995, 9996, 9997, 9998, 9999, 10000, 10001, 1000000} { // Go reads 10000
		build := fmt.Sprintf("let deep: any = 1; for (let i = 0; i < %d; i++) deep = i %% 2 ? [deep] : { a: deep };", depth)
		for what, use := range uses {
			if depth > 9000 && depth < 1000000 && depth != 9999 && what != "output" {
				continue
			}
			a := d.post(t, "/processes", m{"code": build + use, "block": true}).want(t, 201)
			rec := a.object()
			if rec == nil {
				t.Errorf("%s of depth %d: the record cannot be read: %.200s", what, depth, a.body)
				continue
			}
			id := rec.id()
			if e := rec.exitState(); e != "success" && e != "failed" || e == "failed" && rec.str("error") == "" {
				t.Errorf("%s of depth %d: %s %v", what, depth, e, rec["error"])
			}
			if out := rec.str("stdout"); strings.HasPrefix(use, "try") && what != "clone" && out != "kept\n" && out != "refused\n" || (what == "output" || what == "tool") && depth <= 200 && out != "kept\n" {
				t.Errorf("%s of depth %d: %q %v", what, depth, out, rec["error"])
			}
			for _, route := range []string{"", "/output", "/events", "/tree", "/runs"} {
				if got := d.get(t, path(id, route)).want(t, 200); got.object() == nil {
					t.Errorf("%s of depth %d: %s cannot be read", what, depth, route)
				}
			}
		}
	}
	if got := d.get(t, "/processes?limit=1000&include=output,stdout").want(t, 200); got.object() == nil {
		t.Error("the list cannot be read")
	}
}

// Size: everything a program sends has a bound, and passing it ends the program
// alone, with a reason.
func TestEscapeBySize(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	d := s.start(t, newBase(t), "")
	v8 := d.onV8(t)
	for code, says := range map[string]string{
		"console.log('x'.repeat(2 ** 25))":                                           "output",
		"throw new Error('x'.repeat(2 ** 25))":                                       "",
		"const e = new Error('x'); e.name = 'n'.repeat(2 ** 25); throw e":            "",
		"reeve.output({ a: 'x'.repeat(2 ** 25) })":                                   "at once",
		"for (let i = 0; i < 1e6; i++) reeve.output({ ['k' + i]: 'x'.repeat(700) })": "structured output",
		"for (;;) reeve.output({ a: 'x'.repeat(1000) })":                             "structured output",
		"await reeve.services.shop.tools.echo({ a: 'x'.repeat(2 ** 25) })":           "at once",
		"for (;;) reeve.services.shop.tools.get_pet({ id: 1 })":                      "too many calls",
		"for (let i = 0; i <= 1e5; i++) reeve.spawn({ code: '' }).catch(() => {})":   "too many calls",
		"await reeve.services['s'.repeat(2 ** 24)].tools['t'.repeat(2 ** 24)]({})":   "at once",
		"for (;;) console.log('xxxxxxxxxxxxxxxxxxxx')":                               "output",
	} {
		rec := d.ts(t, code, block, m{"options": m{"limits": m{"memoryBytes": 1 << 30, "outputBytes": 4 << 20}}})
		slow := rec.exitState() == "timeout" && !v8
		if !slow && (rec.exitState() != "failed" || rec.str("error") == "") || v8 && !strings.Contains(rec.str("error"), says) {
			t.Errorf("%s: %s %.300v, want a failure about %q", code, rec.exitState(), rec["error"], says)
		}
		if n := len(rec.str("error")); n > 64<<10 {
			t.Errorf("%s: its error has %d bytes", code, n)
		}
		d.wantStdout(t, "console.log('well')", "well\n")
	}
}

// The bombs by which engines die: the program ends, the daemon and its
// neighbour do not notice.
func TestEscapeByBombs(t *testing.T) {
	t.Parallel()
	d := sharedReal(t)
	neighbour := d.runs(t, "let n = 0; setInterval(() => console.log(n++), 20)", m{"options": m{"timeout": nil}})
	for _, code := range []string{
		"'x'.repeat(2 ** 28).split('')", "new Array(1e9).fill(0)", "Array.prototype.includes.call({ length: 2 ** 53 - 1 }, 1)", "(async () => { for (;;) await 0 })(); await new Promise(() => {})",
		"const f = () => { try { f() } finally { f() } }; f()", "for (;;) new ArrayBuffer(2 ** 30)", "const a = []; for (;;) a.push(new ArrayBuffer(2 ** 20))", "const x = new Map(); for (let i = 0; ; i++) x.set(i, { i })",
		"let s = 'x'; for (;;) s += s", "JSON.parse('['.repeat(5e6))", "new RegExp('('.repeat(1e5) + ')'.repeat(1e5)).test('x')", "eval('['.repeat(1e6))", "eval('1+'.repeat(3e6) + '1')", "Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)",
		"const p = () => Promise.resolve().then(p); await p()", "[].concat(...Array(2e5).fill(Array(2e5)))", "new Uint8Array(2 ** 31)", "Object.defineProperty(Array.prototype, Symbol.iterator, { get() { for (;;); } }); console.log([1])",
		"const w = new WeakRef({}); for (;;) new FinalizationRegistry(() => { for (;;); }).register({}, 1)", "String.prototype.padEnd.call('x', 2 ** 29 - 30).normalize('NFKD')", "BigInt(2) ** BigInt(2 ** 30)", "'a'.repeat(2 ** 20).replace(/a/g, '$`')", "while (true) queueMicrotask(() => {})",
	} {
		rec := d.ts(t, code, block, m{"options": m{"timeout": 800, "grace": 200}})
		if e := rec.exitState(); e != "failed" && e != "timeout" && e != "success" || e == "failed" && rec.str("error") == "" {
			t.Errorf("%s: %s, %v", code, e, rec["error"])
		}
		if wall := rec.obj("usage").num("wallMs"); wall > 10000 {
			t.Errorf("%s: it took %d ms", code, wall)
		}
	}
	before := d.record(t, neighbour)
	if before.state() != "running" {
		t.Fatalf("the neighbour is %s/%s: %v", before.state(), before.exitState(), before["error"])
	}
	waitFor(t, "the neighbour to go on", func() bool { return d.record(t, neighbour).num("stdoutBytes") > before.num("stdoutBytes") })
	d.kill(t, neighbour, block).wantEnd(t, "canceled")
	d.wantStdout(t, "console.log('well')", "well\n")
}

// Calls that wait for an answer hold memory of the daemon: there is a bound, far
// below what a program can ask for with one string in its heap.
func TestEscapeByWaitingCalls(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	d := s.start(t, newBase(t), "")
	const each, most = 3 << 20, 64 << 20
	code := fmt.Sprintf("const a = 'x'.repeat(%d); for (let i = 0; i < 60; i++) reeve.services.shop.tools.park({ a }); setInterval(() => {}, 1e6)", each)
	id := d.ts(t, code, m{"options": m{"timeout": 60000}}).id()
	for range 2 { // it is slow under the race detector
		_ = eventually(func() error {
			if s.holds() > most || d.record(t, id).state() == "idle" {
				return nil
			}
			return errors.New("not yet")
		})
	}
	rec := d.record(t, id)
	t.Logf("%d MiB waited; the program is %s/%s: %v", s.holds()>>20, rec.state(), rec.exitState(), rec["error"])
	if n := s.holds(); n > most {
		t.Errorf("%d MiB of parameters wait at the same time for one program, and nothing stops it", n>>20)
	}
}

// A tree of programs has a bound, and dies as one.
func TestEscapeByChildren(t *testing.T) {
	t.Parallel()
	d := startReal(t)
	id := d.ts(t, "let n = 0; try { for (;; n++) await reeve.spawn({ code: 'setInterval(() => {}, 1e6)', options: { timeout: null } }) } catch (e: any) { console.log(e.code) } reeve.output({ n }); setInterval(() => {}, 1e6)", m{"options": m{"timeout": nil}}).id()
	wantLine(t, d.tap(t, path(id, "/stdout?follow=1")), "too_many_processes\n")
	d.wantStdout(t, "console.log('well')", "well\n")
	d.kill(t, id, m{"now": true, "block": true}).wantEnd(t, "canceled")
	waitFor(t, "its children to end", func() bool { return len(d.ids(t, "state=running")) == 0 && len(d.ids(t, "state=terminating")) == 0 })
	if got := d.ids(t, "status=canceled&limit=1000"); len(got) < 50 || len(got) > 1000 {
		t.Errorf("%d were canceled", len(got))
	}
}
