package main

import (
	"bufio"
	"encoding/json"
	"os"
	"os/exec"
	"testing"
	"time"
)

// isolated is npm's isolated-vm on Node, which runs each program in a fresh
// isolate in its own process, keeps nothing and speaks no HTTP.
type isolated struct {
	in  *json.Encoder
	out *bufio.Scanner
}

// newIsolated starts the peer, or skips the benchmark.
func newIsolated(b *testing.B) *isolated {
	b.Helper()
	node, err := exec.LookPath("node")
	if err != nil {
		b.Skip("no node to run isolated-vm with")
	}
	if _, err := os.Stat("npm/node_modules/isolated-vm"); err != nil {
		b.Skip("isolated-vm is not installed: (cd bench/npm && npm ci), which make bench does")
	}
	cmd := exec.Command(node, "npm/isolated.js")
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		in.Close()
		if err := cmd.Wait(); err != nil {
			b.Error("isolated-vm:", err)
		}
	})
	i := &isolated{in: json.NewEncoder(in), out: bufio.NewScanner(out)}
	i.out.Buffer(nil, 1<<24)
	i.run(b, "console.log(1)", 20, 1) // warm
	return i
}

// run runs a program so many times by so many workers and returns how long all
// and each took.
func (i *isolated) run(b *testing.B, code string, runs, workers int) (total time.Duration, each []time.Duration) {
	b.Helper()
	if err := i.in.Encode(map[string]any{"code": code, "runs": runs, "workers": workers}); err != nil {
		b.Fatal(err)
	}
	if !i.out.Scan() {
		b.Fatal("isolated-vm ended: ", i.out.Err())
	}
	var took struct {
		Total float64
		Each  []float64
	}
	if err := json.Unmarshal(i.out.Bytes(), &took); err != nil {
		b.Fatal(err)
	}
	for _, ms := range took.Each {
		each = append(each, millis(ms))
	}
	return millis(took.Total), each
}

func millis(ms float64) time.Duration { return time.Duration(ms * float64(time.Millisecond)) }
