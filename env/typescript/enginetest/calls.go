package enginetest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/reeverun/reeve/env/typescript/engine"
)

func testCalls(t *testing.T, e engine.Engine) {
	t.Run("arguments", func(t *testing.T) { testArguments(t, e) })
	t.Run("out of order", func(t *testing.T) { testOutOfOrder(t, e) })
	t.Run("twenty at once", func(t *testing.T) { testTwenty(t, e) })
	t.Run("errors", func(t *testing.T) { testCallErrors(t, e) })
	t.Run("not JSON", func(t *testing.T) { testNotJSON(t, e) })
	t.Run("keep alive", func(t *testing.T) { testCallKeepsAlive(t, e) })
	t.Run("spawn", func(t *testing.T) { testSpawn(t, e) })
	t.Run("forged answers", func(t *testing.T) { testForged(t, e) })
}

func testArguments(t *testing.T, e engine.Engine) {
	s := begin(t, e, body(`
		const svc = reeve.services["my service"].tools;
		console.log(await svc.get({ a: [1, { b: "ü" }] }), await svc.get.invoke("text"), await cyrnel.services.s.tools["t-x"]());`))
	s.onCall = func(c call) { s.answer(c.ID, string(c.Params)) }
	r := s.end()
	r.succeeded(t)
	if want := "{ a: [ 1, { b: 'ü' } ] } text {}\n"; r.stdout.String() != want {
		t.Errorf("stdout %q, want %q", r.stdout.String(), want)
	}
	var got []string
	for _, c := range r.calls {
		got = append(got, fmt.Sprintf("%s %s/%s %s", c.Op, c.Service, c.Tool, c.Params))
	}
	want := []string{`tool my service/get {"a":[1,{"b":"ü"}]}`, `tool my service/get "text"`, `tool s/t-x {}`}
	if !slices.Equal(got, want) {
		t.Errorf("calls %q, want %q", got, want)
	}
}

func testOutOfOrder(t *testing.T, e engine.Engine) {
	s := begin(t, e, body(`console.log(await Promise.all([1, 2, 3].map((n) => reeve.services.s.tools.t({ n }))))`))
	var ids []int64
	s.onCall = func(c call) {
		if ids = append(ids, c.ID); len(ids) == 3 {
			for _, i := range []int{2, 0, 1} {
				s.answer(ids[i], fmt.Sprintf(`"answer %d"`, i+1))
			}
		}
	}
	r := s.end()
	r.succeeded(t)
	if want := "[ 'answer 1', 'answer 2', 'answer 3' ]\n"; r.stdout.String() != want {
		t.Errorf("stdout %q, want %q", r.stdout.String(), want)
	}
}

// testTwenty answers nothing until all twenty calls are there.
func testTwenty(t *testing.T, e engine.Engine) {
	s := begin(t, e, body(`const all = await Promise.all(Array.from({ length: 20 }, (_, i) => reeve.services.s.tools.t({ i }))); console.log(all.length, all[19])`))
	var waiting []int64
	s.onCall = func(c call) {
		if waiting = append(waiting, c.ID); len(waiting) == 20 {
			for i, id := range waiting {
				s.answer(id, fmt.Sprint(i))
			}
		}
	}
	r := s.end()
	r.succeeded(t)
	if want := "20 19\n"; r.stdout.String() != want {
		t.Errorf("stdout %q, want %q", r.stdout.String(), want)
	}
}

func testCallErrors(t *testing.T, e engine.Engine) {
	s := begin(t, e, body(`
		try { await reeve.services.s.tools.caught() } catch (e) { console.log(e instanceof Error, e.name, e.message, e.code, e.stack.includes("program.ts:3:")) }
		await reeve.services.s.tools.uncaught()`))
	s.onCall = func(c call) { s.refuse(c.ID, "no such "+c.Tool, "not_found") }
	r := s.end()
	if want := "true Error no such caught not_found true\n"; r.stdout.String() != want {
		t.Errorf("stdout %q, want %q", r.stdout.String(), want)
	}
	if r.failure == nil || r.failure.Message != "no such uncaught" {
		t.Errorf("error %+v", r.failure)
	}
	if text := r.stderr.String(); !strings.Contains(text, "Uncaught Error: no such uncaught") || !strings.Contains(text, "code: 'not_found'") {
		t.Errorf("stderr %q", text)
	}
}

func testNotJSON(t *testing.T, e engine.Engine) {
	r := run(t, e, body(`
		const a = {}; a.a = a;
		for (const bad of [1n, { x: 1n }, a, () => 1, Symbol("s")]) { const p = reeve.services.s.tools.t(bad); console.log(await p.then(() => "sent", (e) => e.name)) }
		console.log(await reeve.spawn(5).catch((e) => e.name))`))
	r.succeeded(t)
	if want := strings.Repeat("TypeError\n", 6); r.stdout.String() != want {
		t.Errorf("stdout %q, want %q", r.stdout.String(), want)
	}
	if len(r.calls) > 0 {
		t.Errorf("calls were sent: %+v", r.calls)
	}
}

func testCallKeepsAlive(t *testing.T, e engine.Engine) {
	s := begin(t, e, body(`reeve.services.s.tools.t().then((v) => console.log("answered", v)); console.log("main over")`))
	s.onCall = func(c call) { s.answer(c.ID, "null") }
	r := s.end()
	r.succeeded(t)
	if want := "main over\nanswered null\n"; r.stdout.String() != want {
		t.Errorf("stdout %q, want %q", r.stdout.String(), want)
	}
}

func testSpawn(t *testing.T, e engine.Engine) {
	s := begin(t, e, body(`
		const child = await reeve.spawn({ environment: "command", code: "true" });
		console.log(child.id, Object.isFrozen(child));
		await child.signal("SIGINT"); await child.kill();
		console.log(await child.wait());
		await child.signal(5).catch((e) => console.log(e.name))`))
	s.onCall = func(c call) {
		switch c.Op {
		case "spawn":
			s.answer(c.ID, `{"id":12}`)
		case "wait":
			s.answer(c.ID, `{"id":12,"exitState":"canceled"}`)
		default:
			s.answer(c.ID, "null")
		}
	}
	r := s.end()
	r.succeeded(t)
	if want := "12 true\n{ id: 12, exitState: 'canceled' }\nTypeError\n"; r.stdout.String() != want {
		t.Errorf("stdout %q, want %q", r.stdout.String(), want)
	}
	var got []string
	for _, c := range r.calls {
		got = append(got, fmt.Sprintf("%s %d %s%s", c.Op, c.Process, c.Signal, c.Request))
	}
	want := []string{`spawn 0 {"environment":"command","code":"true"}`, "signal 12 SIGINT", "signal 12 SIGKILL", "wait 12 "}
	if !slices.Equal(got, want) {
		t.Errorf("calls %q, want %q", got, want)
	}
}

// testForged: answers to calls that were not made, or twice, change nothing.
func testForged(t *testing.T, e engine.Engine) {
	s := begin(t, e, body(`console.log(await reeve.services.s.tools.t(), await reeve.services.s.tools.t())`))
	s.onCall = func(c call) {
		s.answer(999, `"forged"`)
		s.answer(c.ID, fmt.Sprint(c.ID))
		s.answer(c.ID, `"again"`)
	}
	r := s.end()
	r.succeeded(t)
	if want := "1 2\n"; r.stdout.String() != want {
		t.Errorf("stdout %q, want %q", r.stdout.String(), want)
	}
}
