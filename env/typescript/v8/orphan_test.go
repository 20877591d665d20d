//go:build cgo && linux && (amd64 || arm64)

package v8

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/reeverun/reeve/env/typescript/engine"
)

// asVictim marks the test process that is killed.
const asVictim = "REEVE_TEST_V8_AS_VICTIM"

// TestNothingOutlivesTheHost kills a process that has an engine with a program in
// an endless loop and one that is stopped.
func TestNothingOutlivesTheHost(t *testing.T) {
	if os.Getenv(asVictim) != "" {
		beVictim(t)
	}
	cmd := exec.Command("/proc/self/exe", "-test.run=^TestNothingOutlivesTheHost$")
	cmd.Env = append(os.Environ(), asVictim+"=1")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	pids := strings.Fields(line)
	if len(pids) != 3 {
		t.Fatalf("got %q", line)
	}
	for _, text := range pids {
		pid, err := strconv.Atoi(text)
		if err != nil {
			t.Fatal(err)
		}
		await(t, "the end of "+text, func() bool { return !alive(pid) })
	}
	places, err := cgroupPlaces()
	if err != nil {
		t.Skip(err)
	}
	for _, place := range places {
		left := filepath.Join(place, fmt.Sprintf("%s%d-*", cgroupPrefix, cmd.Process.Pid))
		await(t, "the end of its cgroups", func() bool {
			sweepCgroups() // as the next engine does
			dirs, _ := filepath.Glob(left)
			return len(dirs) == 0
		})
	}
}

func beVictim(t *testing.T) {
	e := startEngine(t, Config{})
	busy := takeChild(t, e, engine.Options{})
	give(t, busy, program(`await call(1); for (;;) {}`))
	upTo(t, busy, engine.TypeCall)
	if err := answer(busy, []byte(`{"id":1,"params":1}`)); err != nil {
		t.Fatal(err)
	}
	stopped := suspend(t, takeChild(t, e, engine.Options{}))
	if err := stopped.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	fmt.Println(busy.PID(), stopped.PID(), e.jit.current.process.Pid)
	select {}
}
