//go:build linux

package torture

import (
	"fmt"
	"strings"
)

// ordinary makes up a program of some sort whose output is known.
func (s *soak) ordinary() *proc {
	n := s.rand.IntN(1000)
	programs := []struct{ code, want string }{
		{fmt.Sprintf(`console.log(%d * 2)`, n), fmt.Sprint(n * 2)},
		{fmt.Sprintf(`const a = Array.from({ length: %d }, (_, i) => i); console.log(a.reduce((x, y) => x + y, 0))`, n), fmt.Sprint(n * (n - 1) / 2)},
		{fmt.Sprintf(`await new Promise((r) => setTimeout(r, %d)); console.log("waited")`, n%50), "waited"},
		{fmt.Sprintf(`interface P { n: number } const p: P = { n: %d }; console.log(JSON.stringify(structuredClone(p)))`, n), fmt.Sprintf(`{"n":%d}`, n)},
		{`console.log(new Map([["a", { b: [1, 2, 3] }]]))`, "Map(1) { 'a' => { b: [ 1, 2, 3 ] } }"},
		{fmt.Sprintf(`console.log((await Promise.all([1, 2, 3].map(async (x) => { await 0; return x * %d }))).join())`, n), fmt.Sprintf("%d,%d,%d", n, 2*n, 3*n)},
		{`try { null.x } catch (e) { console.log(e.name) }`, "TypeError"},
		{`console.log(new URL("../a?b=1", "http://h/x/y/z").href)`, "http://h/x/a?b=1"},
	}
	chosen := programs[s.rand.IntN(len(programs))]
	p := s.newProc("ordinary", map[string]any{"environment": "typescript", "options": map[string]any{"timeout": 60_000}})
	p.program = &program{text: chosen.code, says: chosen.want + "\n"}
	p.body["code"] = p.program.code(p.name)
	return p
}

// malign makes up a program that means harm; all that is asked of it is to end,
// and to harm nobody else.
func (s *soak) malign() *proc {
	programs := []string{
		`for (;;);`,
		`const f = () => Promise.resolve().then(f); f()`,
		`const a = []; for (;;) a.push({ n: a.length })`,
		`"x".repeat(2 ** 28).split("")`,
		`new Array(1e9).fill(0)`,
		`const m = new Map(); for (let i = 0; ; i++) m.set(i, "v" + i)`,
		`const a = []; for (;;) a.push(new Uint8Array(1 << 20).fill(1))`,
		`Array.prototype.includes.call({ length: 2 ** 53 - 1 }, 1)`,
		`/^(a+)+$/.test("a".repeat(50) + "b")`,
		`const f = () => f(); f()`,
		`let s = "x"; const a = []; for (;;) { s += s; a.push(s + a.length) }`,
		`for (;;) console.log("x".repeat(1 << 14))`,
		`for (;;) reeve.output({ a: "x".repeat(10000) })`,
		`for (;;) reeve.services.a.tools.b({}).catch(() => {})`,
		`for (;;) setTimeout(() => {}, 0)`,
		`Promise.reject(new Error("unhandled")); await new Promise((r) => setTimeout(r, 100))`,
		`throw new Proxy({}, { get() { throw 1 } })`,
		`Object.defineProperty(Object.prototype, "then", { get() { for (;;); } }); await 0`,
		strings.Repeat("{", 2000) + strings.Repeat("}", 2000),
		`let x = ;`,
		`let e = new Error("deep"); for (let i = 0; i < 1e5; i++) e = new Error("x", { cause: e }); throw e`,
		`JSON.parse("[".repeat(1e7))`,
	}
	p := s.newProc("malign", map[string]any{"environment": "typescript", "options": map[string]any{
		"timeout": 100 + s.rand.IntN(200), "grace": 150,
		"limits": map[string]any{"memoryBytes": 32 << 20, "outputBytes": 1 << 20},
	}})
	p.hostile = true
	p.body["code"] = programs[s.rand.IntN(len(programs))] + fmt.Sprintf("\n// %d", s.rand.IntN(5))
	return p
}
