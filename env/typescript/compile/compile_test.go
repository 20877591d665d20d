package compile

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	Worker()
	goleak.VerifyTestMain(m)
}

func open(t *testing.T, c Config) *Compiler {
	t.Helper()
	compiler, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(compiler.Close)
	return compiler
}

func TestCompiles(t *testing.T) {
	c := open(t, Config{})
	for name, source := range map[string]string{
		"types":             "interface A { x: number }\nconst a: A = { x: 1 }; console.log(a as any);",
		"await":             "const x = await Promise.resolve(1);",
		"return":            "if (1 > 0) return;\nconsole.log(2)",
		"await and return":  "await 1; return 2",
		"namespace":         "namespace A { export const b = 1 }\nawait A.b;",
		"enum":              "enum E { A, B }\nconsole.log(E.B)",
		"using":             "await using y = null; return 1",
		"decorators":        "function d(c: any, _: any) { return c }\n@d class A {}\nawait 1; return A",
		"hash-bang":         "#!/usr/bin/env node\nconsole.log(1)",
		"import in text":    "console.log(`\nimport x from 'y'\nexport {}`)",
		"type-only imports": "import type { A } from 'b'; const a: A = 1",
		"empty":             "",
		"a comment":         "// nothing",
		"a last comment":    "let a = 1 // no line end",
	} {
		p, err := c.Compile(t.Context(), source)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		} else if !strings.Contains(p.Code, `"use strict"`) || p.Lines != 1 {
			t.Errorf("%s: %+v", name, p)
		}
	}
}

func TestErrorsTellTheClientsOwnPlace(t *testing.T) {
	c := open(t, Config{})
	for source, want := range map[string]string{
		"let a = 1;\nconst x = ;":            "program.ts:2:11: Unexpected \";\"\n    const x = ;\n              ^",
		"await 1; return 2\nlet = = 1":       "program.ts:2:7: ",
		"let ok = 1\nimport x from 'y'; x()": "program.ts:2:8: Unexpected \"import\": a program has no modules",
		"export const a = 1":                 "program.ts:1:1: Unexpected \"export\": a program has no modules",
		"}); evil(); (async () => {":         "program.ts:1:1: ",
		"\t\tlet 1":                          "\n    \t\tlet 1\n    \t\t    ^",
	} {
		_, err := c.Compile(t.Context(), source)
		if e := (*Error)(nil); !errors.As(err, &e) || !strings.Contains(e.Text, want) {
			t.Errorf("%q: %v\nwant %s", source, err, want)
		}
	}
}

// What would take gigabytes, minutes or the stack ends one worker and nothing
// else.
func TestHostileSourcesEndTheirWorkerOnly(t *testing.T) {
	c := open(t, Config{Deadline: 2 * time.Second})
	for name, source := range map[string]string{
		"blocks": strings.Repeat("{", 30_000) + strings.Repeat("}", 30_000),
		"not":    strings.Repeat("!", 3_000_000) + "1",
		"parens": strings.Repeat("(", 1_000_000) + "1" + strings.Repeat(")", 1_000_000),
	} {
		_, err := c.Compile(t.Context(), source)
		if e := (*Error)(nil); !errors.As(err, &e) || !strings.Contains(e.Text, "could not be compiled") {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := c.Compile(t.Context(), "let after: string = '"+name+"'"); err != nil {
			t.Errorf("after %s: %v", name, err)
		}
	}
}

func TestCancel(t *testing.T) {
	c := open(t, Config{})
	cause := errors.New("no longer wanted")
	ctx, cancel := context.WithCancelCause(t.Context())
	time.AfterFunc(20*time.Millisecond, func() { cancel(cause) })
	if _, err := c.Compile(ctx, strings.Repeat("{", 40_000)+strings.Repeat("}", 40_000)); !errors.Is(err, cause) {
		t.Error(err)
	}
}

// An idle worker that was killed by somebody is replaced.
func TestDeadWorkerIsReplaced(t *testing.T) {
	c := open(t, Config{})
	if err := c.Warm(t.Context()); err != nil {
		t.Fatal(err)
	}
	c.mu.Lock()
	victim := c.idle[0].cmd.Process
	c.mu.Unlock()
	if err := victim.Signal(os.Kill); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Compile(t.Context(), "let x = 1"); err != nil {
		t.Error(err)
	}
}

func TestCacheIsBounded(t *testing.T) {
	c := newCache(10_000)
	for i := range 1000 {
		var key digest
		key[0], key[1] = byte(i), byte(i>>8)
		c.put(key, &answer{Error: strings.Repeat("x", i)})
		if got, ok := c.get(key); ok != (got.bytesOrZero() > 0) || c.size > c.limit {
			t.Fatalf("%d: %v, %d bytes", i, ok, c.size)
		}
	}
	if len(c.byKey) != c.order.Len() || len(c.byKey) == 0 {
		t.Errorf("%d keys, %d entries", len(c.byKey), c.order.Len())
	}
}

func (a *answer) bytesOrZero() int {
	if a == nil {
		return 0
	}
	return a.bytes()
}

func TestShift(t *testing.T) {
	for in, want := range map[string]string{";;AACA;AACA": ";;AAAA;AACA", "": "", ";": ";", "AAAA,EAAE": "AADA,EAAE"} {
		if got := shift(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

func FuzzVLQ(f *testing.F) {
	f.Add("AAgBC")
	f.Fuzz(func(t *testing.T, s string) {
		fields, ok := decodeVLQ(s)
		if !ok {
			return
		}
		again, ok := decodeVLQ(encodeVLQ(fields))
		if !ok || len(again) != len(fields) {
			t.Fatalf("%q: %v, %v", s, fields, again)
		}
		for i := range fields {
			if fields[i] != again[i] {
				t.Fatalf("%q: %v, %v", s, fields, again)
			}
		}
	})
}
