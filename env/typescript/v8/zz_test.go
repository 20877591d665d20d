//go:build cgo && linux && (amd64 || arm64)

package v8

import (
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"testing"
	"time"

	"github.com/reeverun/reeve/env/typescript/engine"
	"github.com/reeverun/reeve/env/typescript/prelude"
)

func TestZZ(t *testing.T) {
	t0 := time.Now()
	e := startEngine(t, Config{Ahead: 8, Prelude: prelude.Source()})
	fmt.Println("start", time.Since(t0))
	s := program(`console.log("x", {a: [1, 2]}, new Map([[1, 2]]))`)
	s.Meta = `{"id":1,"run":1,"mappings":"","lines":0,"columns":0}`
	var cpu, first, whole time.Duration
	const n = 200
	var ds []time.Duration
	for range n {
		waitReady(t, e)
		time.Sleep(time.Millisecond)
		t0 := time.Now()
		c := takeChild(t, e, engine.Options{})
		give(t, c, s)
		f := engine.NewReader(c)
		for {
			ty, p, err := f.Next()
			if err != nil {
				t.Fatal(err)
			}
			if ty == engine.TypeError {
				t.Fatal(string(p))
			}
			if ty == engine.TypeDone {
				break
			}
		}
		d := time.Since(t0)
		ds = append(ds, d)
		first += d
		x, _ := c.Wait(t.Context())
		whole += time.Since(t0)
		cpu += x.CPU
		c.Close()
	}
	fmt.Println("done", first/n, "exit", whole/n, "cpu", cpu/n, ds[:10])
	var cs []*child
	w := program(`console.log("x", {a: [1, 2]}); await reeve.services.a.tools.b({})`)
	w.Meta = s.Meta
	for range 200 {
		c := takeChild(t, e, engine.Options{})
		give(t, c, w)
		f := engine.NewReader(c)
		for {
			ty, p, err := f.Next()
			if err != nil {
				t.Fatal(err)
			}
			if ty == engine.TypeError {
				t.Fatal(string(p))
			}
			if ty == engine.TypeCall {
				break
			}
		}
		cs = append(cs, c)
	}
	time.Sleep(200 * time.Millisecond)
	fmt.Println("pss of 200", pss(t, cs)/200)
	b, _ := os.ReadFile("/proc/" + strconv.Itoa(cs[0].PID()) + "/smaps_rollup")
	fmt.Println(string(b))
	out, _ := exec.Command("sh", "-c", `awk '/^[0-9a-f]+-/{n=$0} /^Private_Dirty/{if($2>0)print $2, n}' /proc/`+strconv.Itoa(cs[100].PID())+`/smaps | sort -rn | head -30`).Output()
	fmt.Println(string(out))
	for _, c := range cs {
		c.Close()
	}
}
