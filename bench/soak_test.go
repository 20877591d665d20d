package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// TestSoak runs programs from ordinary and hostile generators side by side over
// HTTP. No ordinary one is harmed, memory of daemon and zygote stays flat, and
// nothing is left when the daemon has gone.
func TestSoak(t *testing.T) {
	total := 300
	if n, err := strconv.Atoi(os.Getenv("REEVE_SOAK_PROGRAMS")); err == nil {
		total = n
	}
	const clients = 8
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	var leftovers []int
	t.Run("programs", func(t *testing.T) {
		d := start(t, shortDir(t), "--retention-logs", "1s")
		s := &soak{t: t, d: d, ends: map[string]int{}}
		warm := s.run(seed, total/2, clients)
		before := d.family()
		s.run(seed+1, total-warm, clients)
		after := d.family()
		t.Logf("%d programs ended as %v", s.done.Load(), s.ends)
		t.Logf("before %v, after %v", before, after)
		// Its garbage collector takes some thousand programs to settle, at
		// about 130 MB; from there on it is flat.
		if grown := after.daemon - before.daemon; grown > 100<<20 {
			t.Errorf("the daemon grew by %d MB", grown>>20)
		}
		if grown := after.zygote - before.zygote; grown > 8<<20 {
			t.Errorf("the zygote grew by %d MB", grown>>20)
		}
		if after.processes > before.processes+16 { // some may be on their way out
			t.Errorf("%d processes, %d before", after.processes, before.processes)
		}
		leftovers = after.pids
	})
	for _, pid := range leftovers {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err == nil && !bytes.Contains(stat, []byte(") Z ")) {
			t.Errorf("process %d is left: %s", pid, stat)
		}
	}
}

type soak struct {
	t    *testing.T
	d    *daemon
	done atomic.Int64
	mu   sync.Mutex
	ends map[string]int
}

func (s *soak) run(seed uint64, total, clients int) int {
	var wg sync.WaitGroup
	var next atomic.Int64
	for c := range clients {
		wg.Go(func() {
			random := rand.New(rand.NewPCG(seed, uint64(c)))
			for next.Add(1) <= int64(total) {
				if random.IntN(10) < 7 {
					s.ordinary(random)
				} else {
					s.hostile(random)
				}
				s.done.Add(1)
			}
		})
	}
	wg.Wait()
	return total
}

// ordinary runs a program whose output is known.
func (s *soak) ordinary(r *rand.Rand) {
	n := r.IntN(1000)
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
	p := programs[r.IntN(len(programs))]
	rec := s.create(p.code, map[string]any{"timeout": 60_000})
	if strings.TrimSpace(rec.Stdout) != p.want || rec.ExitState != "success" {
		s.t.Errorf("%s\nended as %s %q with %q, want %q", p.code, rec.ExitState, rec.Error, rec.Stdout, p.want)
	}
}

// hostile runs a program that means harm; all that is asked of it is to end.
func (s *soak) hostile(r *rand.Rand) {
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
	code := programs[r.IntN(len(programs))] + fmt.Sprintf("\n// %d", r.IntN(5))
	rec := s.create(code, map[string]any{"timeout": 100 + r.IntN(200), "limits": map[string]any{"memoryBytes": 32 << 20, "outputBytes": 1 << 20}})
	s.mu.Lock()
	s.ends[rec.ExitState]++
	s.mu.Unlock()
	if rec.State != "idle" || !slices.Contains([]string{"success", "failed", "timeout"}, rec.ExitState) {
		s.t.Errorf("%.200s\nended as %s/%s %q", code, rec.State, rec.ExitState, rec.Error)
	}
}

type soaked struct{ State, ExitState, Error, Stdout string }

func (s *soak) create(code string, options map[string]any) (rec soaked) {
	body, _ := json.Marshal(map[string]any{"environment": "typescript", "code": code, "block": true, "options": options})
	res, err := s.d.http.Post("http://reeve/processes", "application/json", bytes.NewReader(body))
	if err != nil {
		s.t.Error(err)
		return rec
	}
	defer res.Body.Close()
	raw, err := io.ReadAll(res.Body)
	if err == nil {
		err = json.Unmarshal(raw, &rec)
	}
	if err != nil || res.StatusCode != 201 {
		s.t.Errorf("%d %.300s, %v", res.StatusCode, raw, err)
	}
	return rec
}

// family is the daemon's memory and that of its descendants.
type family struct {
	daemon, zygote int64 // bytes; the zygote is the largest of them
	processes      int
	pids           []int
}

func (f family) String() string {
	return fmt.Sprintf("daemon %d MB, zygote %d MB, %d processes", f.daemon>>20, f.zygote>>20, f.processes)
}

func (d *daemon) family() (f family) {
	f.daemon = resident(d.pid)
	for _, pid := range children(d.pid) {
		if name, _ := os.ReadFile(fmt.Sprintf("/proc/%d/comm", pid)); strings.HasPrefix(string(name), "reeve-v8") {
			f.zygote = max(f.zygote, resident(pid))
		}
	}
	for todo := children(d.pid); len(todo) > 0; todo = todo[1:] {
		f.pids = append(f.pids, todo[0])
		todo = append(todo, children(todo[0])...)
	}
	f.processes = len(f.pids)
	return f
}

func resident(pid int) (bytesOf int64) {
	status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	_, rest, _ := strings.Cut(string(status), "VmRSS:")
	fmt.Sscan(rest, &bytesOf)
	return bytesOf << 10
}

func children(pid int) (pids []int) {
	tasks, _ := os.ReadDir(fmt.Sprintf("/proc/%d/task", pid))
	for _, task := range tasks {
		list, _ := os.ReadFile(fmt.Sprintf("/proc/%d/task/%s/children", pid, task.Name()))
		for _, word := range strings.Fields(string(list)) {
			if n, err := strconv.Atoi(word); err == nil {
				pids = append(pids, n)
			}
		}
	}
	return pids
}
