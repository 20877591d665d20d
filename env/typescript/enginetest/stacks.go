package enginetest

import (
	"strings"
	"testing"

	"github.com/reeverun/reeve/env/typescript/engine"
)

// testStacks: what people see of an error are the client's own lines.
func testStacks(t *testing.T, e engine.Engine) {
	t.Run("wrapper", func(t *testing.T) {
		p := body("function inner() { throw new Error(\"deep\") }\nfunction outer() {\n  inner();\n}\nouter();")
		p.meta.Lines = 1 // what body puts in front
		r := run(t, e, p)
		text := r.stderr.String()
		for _, want := range []string{"Uncaught Error: deep\n", "at inner (program.ts:1:", "at outer (program.ts:3:", "program.ts:5:"} {
			if !strings.Contains(text, want) {
				t.Errorf("stderr lacks %q:\n%s", want, text)
			}
		}
		if strings.Contains(text, "prelude") {
			t.Errorf("stderr shows the prelude:\n%s", text)
		}
	})
	t.Run("mappings", func(t *testing.T) {
		// Line 2 of the code is line 11 of the source, from column 5 on.
		p := program{code: "(async function () {\nthrow new Error(\"mapped\");\n})", meta: engine.Meta{Mappings: ";AAUI"}}
		r := run(t, e, p)
		if text := r.stderr.String(); !strings.Contains(text, "program.ts:11:5") {
			t.Errorf("stderr %q", text)
		}
	})
	t.Run("stack property", func(t *testing.T) {
		p := body("function f() { return new TypeError(\"seen\") }\nconst e = f();\nconsole.log(e.stack.split(\"\\n\").slice(0, 2).join(\"|\"))")
		p.meta.Lines = 1
		r := run(t, e, p)
		r.succeeded(t)
		if text := r.stdout.String(); !strings.HasPrefix(text, "TypeError: seen|    at f (program.ts:1:") {
			t.Errorf("stdout %q", text)
		}
	})
	t.Run("cause and properties", func(t *testing.T) {
		r := run(t, e, body(`throw Object.assign(new Error("outer", { cause: new RangeError("inner") }), { code: "E7" })`))
		for _, want := range []string{"Uncaught Error: outer\n", "code: 'E7'", "[cause]: RangeError: inner\n"} {
			if !strings.Contains(r.stderr.String(), want) {
				t.Errorf("stderr lacks %q:\n%s", want, r.stderr.String())
			}
		}
	})
	t.Run("tampered", func(t *testing.T) {
		for _, code := range []string{
			`Error.prepareStackTrace = () => { throw 1 }; throw new Error("still")`,
			`Error.prepareStackTrace = () => ({}); throw new Error("still")`,
			`Error.stackTraceLimit = 0; throw new Error("still")`,
			`Error.stackTraceLimit = "x"; throw new Error("still")`,
			`const e = new Error("still"); Object.defineProperty(e, "stack", { get() { throw 1 } }); throw e`,
			`Error.prototype.toString = () => { throw 1 }; throw new Error("still")`,
		} {
			r := run(t, e, body(code))
			if r.failure == nil || r.failure.Message != "still" {
				t.Errorf("%s: error %+v", code, r.failure)
			}
			if !strings.HasPrefix(r.stderr.String(), "Uncaught ") {
				t.Errorf("%s: stderr %q", code, r.stderr.String())
			}
		}
	})
}
