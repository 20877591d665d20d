//go:build linux

package e2e

import (
	"slices"
	"strings"
	"testing"
)

// Each limit ends the program that passes it, says so, and harms nobody.
func TestProgramLimits(t *testing.T) {
	t.Parallel()
	d := sharedReal(t)
	neighbour := d.runs(t, "setInterval(() => console.log('tick'), 20)", m{"options": m{"timeout": nil}})
	for _, test := range []struct {
		limits     m
		code, says string
	}{
		{m{"memoryBytes": 32 << 20}, "const a = []; for (;;) a.push({ a: [1, 2, 3] })", "memory"},
		{m{"memoryBytes": 32 << 20}, "const a = []; for (;;) a.push(new Uint8Array(1 << 20).fill(1))", "memory"},
		{m{"memoryBytes": 32 << 20}, "let s = 'x'; for (;;) s = s + s + Math.random()", ""},
		{m{}, "'x'.repeat(2 ** 28).split('')", "memory"},
		{m{"memoryBytes": 32 << 20}, "const x = new Map(); for (let i = 0; ; i++) x.set(i, { i })", ""},
		{m{"cpuMs": 150}, "for (;;);", "CPU"},
		{m{"cpuMs": 150}, "/^(a+)+$/.test('a'.repeat(50) + 'b')", "CPU"},
		{m{"outputBytes": 100000}, "for (;;) console.log('x'.repeat(1000))", "output"},
		{m{"outputBytes": 100000}, "for (;;) console.error('x'.repeat(1000))", "output"},
		{m{"outputBytes": 100000}, "for (;;) console.log('x'.repeat(1000)), console.error('x'.repeat(1000))", "output"},
		{m{"outputBytes": 100000}, "console.log('x'.repeat(10_000_000))", "output"},
	} {
		rec := d.ts(t, test.code, block, m{"options": m{"timeout": 50000, "limits": test.limits}})
		if rec.exitState() != "failed" || !strings.Contains(rec.str("error"), test.says) || rec.str("error") == "" || rec.obj("exit").num("code") != 1 {
			t.Errorf("%s: %s, error %v, exit %v", test.code, rec.exitState(), rec["error"], rec["exit"])
		}
		if n := rec.num("stdoutBytes") + rec.num("stderrBytes"); test.limits["outputBytes"] != nil && (n > 100000 || n < 90000) {
			t.Errorf("%s: %d bytes of output were kept", test.code, n)
		}
		if got := rec.obj("options").obj("limits"); len(test.limits) > 0 && mustJSON(t, got) != mustJSON(t, test.limits) {
			t.Errorf("the record shows limits %v", got)
		}
		if rec.obj("usage").num("maxRssBytes") > 700<<20 {
			t.Errorf("%s: it took %d bytes", test.code, rec.obj("usage").num("maxRssBytes"))
		}
	}
	before := d.record(t, neighbour)
	waitFor(t, "the neighbour to go on", func() bool { return d.record(t, neighbour).num("stdoutBytes") > before.num("stdoutBytes") })
	d.kill(t, neighbour, block)
	d.wantStdout(t, "console.log('x'.repeat(99_999))", strings.Repeat("x", 99_999)+"\n", m{"options": m{"limits": m{"outputBytes": 100000}}})
	d.ts(t, "const a = new Array(1e6).fill(1.5)", block, m{"options": m{"limits": m{"memoryBytes": 32 << 20}}}).wantEnd(t, "success")
}

// Limits that cannot be are refused, and the sentence names the field.
func TestProgramLimitsRefused(t *testing.T) {
	t.Parallel()
	d := startReal(t, "--limit-max", "memory=256MiB", "--limit-max", "cpu=10s", "--limit-max", "output=1MiB", "--limit", "memory=64MiB")
	for _, field := range []string{"memoryBytes", "cpuMs", "outputBytes"} {
		for _, bad := range []any{-1, 1.5, "1", true, []any{}, 1e30} {
			d.post(t, "/processes", m{"code": "", "options": m{"limits": m{field: bad}}}).want(t, 400, "invalid_request").naming(t, field)
		}
		d.post(t, "/processes", m{"code": "", "options": m{"limits": m{field: 0}}, "block": true}).want(t, 201).json(t).wantEnd(t, "success")
	}
	for _, field := range []string{"pids", "openFiles", "nothing"} {
		d.post(t, "/processes", m{"code": "", "options": m{"limits": m{field: 5}}}).want(t, 400, "invalid_request").naming(t, field)
	}
	for field, most := range map[string]int64{"memoryBytes": 256 << 20, "cpuMs": 10000, "outputBytes": 1 << 20} {
		d.post(t, "/processes", m{"code": "", "options": m{"limits": m{field: most + 1}}}).want(t, 400, "invalid_request").naming(t, field)
		d.post(t, "/processes", m{"code": "", "options": m{"limits": m{field: most}}, "block": true}).want(t, 201).json(t).wantEnd(t, "success")
	}
	for _, body := range []m{{"options": m{"jit": 1}}, {"options": m{"tools": "x"}}, {"options": m{"tools": []any{1}}}, {"options": m{"tools": []any{""}}}, {"options": m{"limits": 5}}, {"options": m{"limits": nil, "maxSteps": 4}}} {
		d.post(t, "/processes", with(m{"code": ""}, body)).want(t, 400, "invalid_request").naming(t, "options")
	}
	for _, body := range []m{{"jit": false}, {"tools": []string{"*"}}, {"limits": m{"memoryBytes": -1}}} {
		d.post(t, "/processes", m{"environment": "command", "code": "true", "options": body}).want(t, 400, "invalid_request").naming(t, "options")
	}
	if got := d.ids(t, "status=failed"); len(got) != 0 {
		t.Errorf("failed: %v", got)
	}
	over := d.ts(t, "for (;;) console.log('x'.repeat(1000))", block).wantEnd(t, "failed")
	if n := over.num("stdoutBytes"); n > 1<<20 {
		t.Errorf("a program that names no limit wrote %d bytes, more than --limit-max", n)
	}
}

// Without the compiler a program does the same, slower.
func TestProgramWithoutJIT(t *testing.T) {
	t.Parallel()
	d := sharedReal(t)
	code := "const fib = (n: number): number => n < 2 ? n : fib(n - 1) + fib(n - 2); console.log(fib(20), /(\\d+)-(?<b>b+)/.exec('12-bb').groups.b, JSON.stringify({ a: [1] }))"
	for _, jit := range []bool{true, false} {
		rec := d.wantStdout(t, code, "6765 bb {\"a\":[1]}\n", m{"options": m{"jit": jit}})
		if got, ok := rec.obj("options")["jit"]; !jit && got != false || jit && ok && got != true {
			t.Errorf("jit %v: options %v", jit, rec["options"])
		}
	}
	d.ts(t, "for (;;);", block, m{"options": m{"jit": false, "timeout": 100}}).wantEnd(t, "timeout")
}

// The record says what held the program.
func TestProgramEnforced(t *testing.T) {
	t.Parallel()
	d := sharedReal(t)
	enforced := d.ts(t, "", block).obj("enforced")
	confined, _ := enforced["confined"].([]any)
	if _, ok := enforced["missing"].([]any); !ok || enforced.str("treeKill") == "" || !slices.Contains(confined, any("seccomp")) || !slices.Contains(confined, any("no-new-privs")) {
		t.Errorf("enforced %v", enforced)
	}
}

// MCI's routes run real programs.
func TestProgramByMCI(t *testing.T) {
	t.Parallel()
	d := sharedReal(t)
	got := d.post(t, "/mci/processes", m{"code": "console.log('hi'); cyrnel.output({ a: 1 })", "block": true}).want(t, 201).json(t)
	wantMCI(t, got, "idle", "success")
	at := "/mci" + path(got.num("pid"), "")
	if out := string(d.get(t, at+"/stdout").want(t, 200).body); out != "hi\n" {
		t.Errorf("stdout %q", out)
	}
	wantJSON(t, d.get(t, at+"/output").want(t, 200).json(t), `{"a":1}`)
	wantMCI(t, d.post(t, "/mci/processes", m{"code": "for (;;);", "timeout": 50, "block": true}).want(t, 201).json(t), "idle", "timeout")
	failed := wantMCI(t, d.post(t, "/mci/processes", m{"code": "throw new Error('no luck')", "block": true}).want(t, 201).json(t), "idle", "failed")
	if failed.str("error") != "no luck" {
		t.Errorf("error %v", failed["error"])
	}
	pid := d.post(t, "/mci/processes", m{"code": "for (;;);"}).want(t, 201).json(t).num("pid")
	d.await(t, pid, "running")
	wantMCI(t, d.post(t, "/mci"+path(pid, "/signals/kill"), block).want(t, 200).json(t), "idle", "canceled")
}
