//go:build cgo && linux && (amd64 || arm64)

package v8

import (
	"fmt"
	"testing"

	"github.com/reeverun/reeve/env/typescript/engine"
)

func TestProgramRunsAndAnswers(t *testing.T) {
	e := startEngine(t, Config{})
	r := run(t, e, program(`print("hello", await call({a: [1, "ü"]}).then(JSON.stringify)); output({n: 1})`))
	wantDone(t, r, "hello {\"a\":[1,\"ü\"]}\n")
	if r.output["n"] != 1.0 || r.exit.CPU <= 0 || r.exit.MaxRSS <= 0 {
		t.Errorf("got %+v", r)
	}
}

func TestChildrenDifferInRandom(t *testing.T) {
	e := startEngine(t, Config{})
	seen := map[string]bool{}
	const n = 8
	for range n {
		r := run(t, e, program(`const b = new Uint8Array(300); native.random(b); print(b.join())`))
		seen[r.stdout] = true
	}
	if len(seen) != n {
		t.Errorf("%d of %d differ", len(seen), n)
	}
}

func TestNothingIsShared(t *testing.T) {
	e := startEngine(t, Config{})
	for range 6 {
		r := run(t, e, program(`print(String(globalThis.mark), String(Array.prototype.mark)); globalThis.mark = Array.prototype.mark = 1`))
		wantDone(t, r, "undefined undefined\n")
	}
}

func TestWithoutJIT(t *testing.T) {
	e := startEngine(t, Config{probe: 1})
	for _, noJIT := range []bool{false, true} {
		c := takeChild(t, e, engine.Options{NoJIT: noJIT})
		r := drive(t, c, program(`
			const fib = (n) => (n < 2 ? n : fib(n - 1) + fib(n - 2));
			print(fib(20), /a+b/.test("aab"), probe("map-code") === 0)`))
		wantDone(t, r, fmt.Sprintf("6765 true %v\n", !noJIT))
	}
}

func TestHeapLimitIsTheScripts(t *testing.T) {
	e := startEngine(t, Config{MaxHeap: 150 * mib})
	fill := func(mib int) string {
		return fmt.Sprintf(`const a = []; for (let i = 0; i < %d; i++) a.push(new Array(1 << 18).fill(i)); print(a.length)`, mib)
	}
	for _, tc := range []struct {
		heap, use int
		fits      bool
	}{{16, 10, true}, {16, 40, false}, {64, 50, true}, {64, 100, false}, {128, 100, true}, {128, 160, false}, {0, 125, true}, {1 << 20, 200, false}} {
		s := program(fill(tc.use))
		s.HeapBytes = uint64(tc.heap) * mib
		r := run(t, e, s)
		if r.done != tc.fits || !tc.fits && r.kind != "memory" {
			t.Errorf("%d MiB of %d: %+v", tc.use, tc.heap, r)
		}
	}
}

func TestNativeFunctions(t *testing.T) {
	e := startEngine(t, Config{})
	for code, want := range map[string]string{
		`native.encode("aü\ud800").join()`:                                                                       "97,195,188,239,191,189",
		`native.decode(new Uint8Array([97, 195, 188, 255, 226, 130]), false)`:                                    "aü\ufffd\ufffd",
		`native.decode(new Uint8Array([0, 97, 195, 188]).subarray(1), true)`:                                     "aü",
		`(() => { try { native.decode(new Uint8Array([237, 160, 128]), true) } catch (e) { return e.name } })()`: "TypeError",
		`(() => { try { native.clone(() => 1) } catch (e) { return e.message } })()`:                             "() => 1 could not be cloned.",
		`(() => { const a = {m: new Map([[1, new Date(5)]]), e: new RangeError("x")}; a.self = a; const b = native.clone(a);
			return b !== a && b.self === b && b.m.get(1).getTime() === 5 && b.e instanceof RangeError })()`: "true",
		`native.details(Promise.resolve(7)).join()`:                               "promise,fulfilled,7",
		`native.details(new Promise(() => {})).slice(0, 2).join()`:                "promise,pending",
		`native.details(new Proxy([1], {})).slice(0, 2).join()`:                   "proxy,1",
		`native.details(new Map([[1, 2]]).entries()).flat().join()`:               "mapiterator,1,2,true",
		`native.details(new Map([[1, 2]]).keys()).flat().join()`:                  "mapiterator,1,false",
		`native.details(new Set([3]).values()).flat().join()`:                     "setiterator,3,false",
		`String(native.details({}))`:                                              "undefined",
		`(() => { const a = native.now(); return native.now() >= a && a > 0 })()`: "true",
	} {
		wantDone(t, run(t, e, program(`print(`+code+`)`)), want+"\n")
	}
}
