//go:build linux

package e2e

import (
	"slices"
	"strings"
	"testing"
)

// A program is run where nothing else is said, and what it says is kept apart
// and exact.
func TestProgram(t *testing.T) {
	t.Parallel()
	d := sharedReal(t)
	code := lines("interface Point { x: number; y?: string }", "enum Color { Red = 'red' }", "const p: Point = { x: 1 } as Point;",
		"console.log('Hello, world!');", "console.log(null, undefined);", "console.log('a', 1, [1, 'b'], p, Color.Red);",
		"const loop: any = {}; loop.self = loop; console.log(loop);", "console.log(new Map([[1, { a: new Set([2]) }]]));",
		"console.error('one'); console.warn('two'); console.info('three'); console.debug('four');",
		"await new Promise<void>((done) => setTimeout(done, 1));", "reeve.output({ a: 1, b: { c: [1, null, 'é'] } }); cyrnel.output({ a: 2 });", "console.log('\\u{1F600} é');", "return 7;")
	rec := d.ts(t, code, block).wantEnd(t, "success")
	out := "Hello, world!\nnull undefined\na 1 [ 1, 'b' ] { x: 1 } red\n<ref *1> { self: [Circular *1] }\nMap(1) { 1 => { a: Set(1) { 2 } } }\nthree\nfour\n😀 é\n"
	if rec.str("environment") != "typescript" || rec.str("stdout") != out || rec.str("stderr") != "one\ntwo\n" || rec.str("code") != code {
		t.Errorf("environment %v\nstdout %q\nwant   %q\nstderr %q", rec["environment"], rec["stdout"], out, rec["stderr"])
	}
	wantKeys(t, rec, recordKeys)
	wantJSON(t, rec["output"], `{"a":2,"b":{"c":[1,null,"é"]}}`)
	wantJSON(t, rec["exit"], `{"code":0,"reason":"completed","signal":null}`)
	if rec.obj("outcome").str("kind") != "succeeded" || rec.str("lifecycle") != "dead" || rec["command"] != nil || rec.num("run") != 1 {
		t.Errorf("outcome %v, lifecycle %v, command %v", rec["outcome"], rec["lifecycle"], rec["command"])
	}
	wantJSON(t, d.get(t, path(rec.id(), "/output")).want(t, 200).typed(t, "application/json").json(t), mustJSON(t, rec["output"]))
	for route, want := range map[string]string{"/stdout": out, "/stderr": "one\ntwo\n", "/code": code} {
		if got := string(d.get(t, path(rec.id(), route)).want(t, 200).typed(t, "text/plain").body); got != want {
			t.Errorf("%s %q", route, got)
		}
	}
	if usage := rec.obj("usage"); usage.num("maxRssBytes") < 1<<20 || usage.num("pausedMs") != 0 || usage.num("tokens") != 0 {
		t.Errorf("usage %v", usage)
	}
	empty := d.ts(t, "", block).wantEnd(t, "success")
	wantJSON(t, d.get(t, path(empty.id(), "/output")).want(t, 200).json(t), `{}`)
	d.ts(t, "// only a comment", block, m{"environment": "typescript"}).wantEnd(t, "success")
}

// A program that does not compile says where, with the line, and never runs.
func TestProgramSyntaxError(t *testing.T) {
	t.Parallel()
	d := sharedReal(t)
	for code, want := range map[string][2]string{
		"console.log('ran');\nconst x: number = ;":          {":2:19: ", "const x: number = ;"},
		"console.log('ran');\n\n  function f( { return 1 }": {":3:", "function f( { return 1 }"},
		"console.log('ran'); const é = 1, y = '":            {":1:", "const é = 1, y = '"},
		"console.log('ran'); const a = 1;\nconst a = 2;":    {":2:7: ", "const a = 2;"},
		"import fs from 'node:fs'; console.log('ran', fs)":  {":1:", "import fs from 'node:fs'"},
		"console.log('ran');\nimport 'node:fs'":             {":2:", "import 'node:fs'"},
		"console.log('ran');\nexport const x = 1":           {":2:", "export const x = 1"},
	} {
		rec := d.ts(t, code, block).wantEnd(t, "failed")
		text := rec.str("error")
		if !strings.Contains(text, want[0]) || !strings.Contains(text, want[1]) || !strings.Contains(text, ".ts:") {
			t.Errorf("%q: the error is %q, want file%s and the line", code, text, want[0])
		}
		if rec.str("stdout") != "" || rec.obj("exit").num("code") != 1 || rec.obj("outcome").str("kind") != "failed" {
			t.Errorf("%q: stdout %q, exit %v", code, rec.str("stdout"), rec["exit"])
		}
		if s := rec.obj("outcome").str("summary"); s != "" && len(strings.Trim(s, " ^~")) == 0 {
			t.Errorf("%q: the summary is %q", code, s)
		}
	}
}

// An error nobody catches is the process's, and its stack has the lines of the
// client's own source, however the types moved them.
func TestProgramThrows(t *testing.T) {
	t.Parallel()
	d := sharedReal(t)
	stack := lines("interface Gone {", "  a: string;", "  b: number;", "}", "type Also<T> = {", "  [K in keyof T]: T[K];", "};", "",
		"class Shop<T extends Gone> {", "  private readonly n: number = 1;", "  open(what: T | null): never {", "    throw new RangeError('closed');", "  }", "}",
		"async function visit(s: Shop<Gone>): Promise<void> {", "  await null;", "  s.open(null);", "}", "await visit(new Shop<Gone>());")
	rec := d.ts(t, stack, block).wantEnd(t, "failed")
	places := []string{"closed", ":12:", ":17:5"}
	if d.onV8(t) {
		places = append(places, ":12:11", ":19:1")
	}
	for _, want := range places {
		if !strings.Contains(rec.str("stderr"), want) {
			t.Errorf("the stack lacks %q:\n%s", want, rec.str("stderr"))
		}
	}
	if !strings.Contains(rec.str("error"), "closed") || strings.Contains(rec.str("error"), "\n") {
		t.Errorf("error %q", rec.str("error"))
	}
	for code, want := range map[string]string{
		"throw new Error('no luck')":                 "no luck",
		"throw 'a string'":                           "a string",
		"throw { a: 1 }":                             `a`,
		"throw null":                                 "null",
		"throw undefined":                            "undefined",
		"throw Symbol('s')":                          "Symbol(s)",
		"const o: any = {}; o.o = o; throw o":        "",
		"throw new Proxy({}, { get() { throw 1 } })": "",
		"throw { toString() { throw 1 }, get message() { throw 2 } }":                          "",
		"Promise.reject(new Error('nobody cares')); await new Promise(r => setTimeout(r, 50))": "nobody cares",
		"setTimeout(() => { throw new Error('later') }, 1)":                                    "later",
		"queueMicrotask(() => { throw new Error('soon') })":                                    "soon",
		"await new Promise(() => {})":                                                          "",
		"const f = () => f(); f()":                                                             "stack",
		"nothing.at.all":                                                                       "is not defined",
	} {
		rec := d.ts(t, "console.log('before'); "+code, block).wantEnd(t, "failed")
		if rec.str("error") == "" || !strings.Contains(rec.str("error"), want) || rec.obj("exit").num("code") != 1 || rec.obj("exit")["reason"] != rec["error"] || rec.str("stdout") != "before\n" {
			t.Errorf("%s: error %v, exit %v, stdout %q", code, rec["error"], rec["exit"], rec.str("stdout"))
		}
	}
	d.wantStdout(t, "const p = Promise.reject(new Error('x')); await null; try { await p } catch (e) { console.log(e.message) }", "x\n")
}

// A run is told in order, with the pid of its own process.
func TestProgramEvents(t *testing.T) {
	t.Parallel()
	d := sharedReal(t)
	id := d.ts(t, "console.log('one'); console.error('two'); reeve.output({ a: 1 }); console.log('three')", m{"interpreter": "none"}).id()
	all := d.follow(t, path(id, "/events"), nil).all()
	wantSeqs(t, all, 1)
	wantOrder(t, all, "process_created", "process_queued", "process_started", "output_appended", "reaped", "finalized")
	if names := kinds(all); names[len(names)-1] != "finalized" || !slices.Contains(names, "output_merged") {
		t.Errorf("events %v", names)
	}
	if got := append(text(all, "stdout"), text(all, "stderr")...); !slices.Equal(got, []string{"one", "three", "two"}) {
		t.Errorf("lines %q", got)
	}
	if pid := d.startedPID(t, id); pid < 2 || pid == d.cmd.Process.Pid {
		t.Errorf("pid %d, the daemon is %d", pid, d.cmd.Process.Pid)
	}
	for _, ev := range all {
		if ev.str("kind") == "output_merged" {
			wantJSON(t, ev["output"], `{"a":1}`)
		}
		if ev.str("kind") == "exited" {
			wantJSON(t, []any{ev["code"], ev["signal"]}, "[0,null]")
		}
	}
	wantJSON(t, stripped(d.events(t, id)), mustJSON(t, stripped(stored(all))))
}

// Nothing of one program is left to the next, and no two draw the same lots.
func TestProgramsShareNothing(t *testing.T) {
	t.Parallel()
	d := sharedReal(t)
	leave := "(globalThis as any).left = 1; (Array.prototype as any).left = 1; (Object as any).left = 1; (console as any).left = 1; Math.max = () => 7;"
	look := "console.log((globalThis as any).left, ([] as any).left, (Object as any).left, (console as any).left, Math.max(1, 2), Math.random(), crypto.randomUUID())"
	seen := map[string]bool{}
	for range 12 {
		d.ts(t, leave, block)
		out := d.ts(t, look, block).wantEnd(t, "success").str("stdout")
		fields := strings.Fields(out)
		if len(fields) != 7 || !strings.HasPrefix(out, "undefined undefined undefined undefined 2 0.") || seen[fields[5]] || seen[fields[6]] {
			t.Fatalf("after others a program sees %q", out)
		}
		seen[fields[5]], seen[fields[6]] = true, true
	}
}
