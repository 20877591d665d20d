package quickjs

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"runtime"
	"sync"
	"time"

	"github.com/reeverun/reeve/env/typescript/engine"
)

// The exit codes of a child; see package engine for the frames that go before.
const (
	exitDone     = 0
	exitInternal = 69
	exitMemory   = 70
	exitCPU      = 71
)

// Child runs a child's program and exits, if this process is a child. It must be
// called before anything else: first in main, and in TestMain.
func Child() bool {
	if os.Getenv(childVariable) == "" {
		return false
	}
	os.Unsetenv(childVariable)
	runtime.LockOSThread()
	in, out := openChannel()
	p := &process{in: engine.NewReader(in), out: out, frames: make(chan frame)}
	os.Exit(p.run())
	return true
}

// process is the child's side.
type process struct {
	in     *engine.Reader // read by receive only, once the script is there
	frames chan frame     // what came, from receive to loop

	mu  sync.Mutex // guards out
	out io.Writer

	vm *vm
}

type frame struct {
	t       engine.Type
	payload string
}

// run is the whole life of a child.
func (p *process) run() int {
	if err := p.prepare(); err != nil {
		return p.fail(err)
	}
	t, payload, err := p.in.Next()
	if err != nil {
		return exitDone // nobody had a script for it
	}
	if t != engine.TypeScript {
		return p.fail(fmt.Errorf("%w: a script was expected", engine.ErrFrame))
	}
	script, err := engine.ReadScript(payload)
	if err != nil {
		return p.fail(err)
	}
	p.limit(script)
	go p.receive() // until the process ends
	return p.execute(script)
}

// prepare loads the prelude and gives up what the program shall not have.
func (p *process) prepare() error {
	t, payload, err := p.in.Next()
	if err != nil || t != typePrelude && t != typeCompiled {
		return fmt.Errorf("%w: the prelude was expected", engine.ErrFrame)
	}
	if p.vm, err = newVM(p.send); err != nil {
		return err
	}
	var said hello
	if t == typePrelude {
		var ok bool
		if said.Compiled, ok = p.vm.compile(string(payload), "reeve:prelude"); !ok {
			return fmt.Errorf("the prelude does not compile: %s", p.vm.takeError())
		}
		payload = said.Compiled
	}
	if err := p.vm.load(payload); err != nil {
		return err
	}
	said.Confined, said.Missing = confine()
	text, err := json.Marshal(said)
	if err != nil {
		return err
	}
	return p.send(typeHello, text)
}

// limit bounds memory and CPU time.
func (p *process) limit(s *engine.Script) {
	if s.HeapBytes > 0 {
		p.vm.limitMemory(s.HeapBytes)
	}
	limitProcess(s.HeapBytes, time.Duration(s.CPUMS)*time.Millisecond)
	if s.CPUMS > 0 {
		go p.watchCPU(time.Duration(s.CPUMS) * time.Millisecond) // until the process ends
	}
}

// receive reads frames; the end of the channel is the end of the child, whatever
// its program does.
func (p *process) receive() {
	for {
		t, payload, err := p.in.Next()
		if err != nil {
			os.Exit(exitDone)
		}
		p.frames <- frame{t, string(payload)}
	}
}

// watchCPU ends the process when it has used its time. It sleeps for as long as
// two busy threads need at least for what is left.
func (p *process) watchCPU(limit time.Duration) {
	for {
		left := limit - cpuTime()
		if left <= 0 {
			p.last("The program used more CPU time than it may.", "cpu")
			os.Exit(exitCPU)
		}
		time.Sleep(max(left/2, time.Millisecond))
	}
}

// execute runs the program: a callback, its microtasks, and what the prelude
// says comes next, until the end.
func (p *process) execute(s *engine.Script) int {
	p.vm.start(s)
	for {
		wait, over := p.vm.turn()
		if over {
			return p.vm.exitCode
		}
		if f, came := p.await(wait); came {
			p.vm.dispatch(f.t, f.payload)
		} else {
			p.vm.fire()
		}
	}
}

// await waits for a frame, for so many milliseconds or, if negative, for ever.
func (p *process) await(ms float64) (frame, bool) {
	select {
	case f := <-p.frames:
		return f, true
	default:
	}
	if ms == 0 {
		runtime.Gosched() // so that what has arrived is read
		select {
		case f := <-p.frames:
			return f, true
		default:
			return frame{}, false
		}
	}
	if ms < 0 {
		return <-p.frames, true
	}
	timer := time.NewTimer(time.Duration(min(ms, 1<<31) * float64(time.Millisecond)))
	defer timer.Stop()
	select {
	case f := <-p.frames:
		return f, true
	case <-timer.C:
		return frame{}, false
	}
}

// send writes a frame at once.
func (p *process) send(t engine.Type, payload []byte) error {
	if len(payload)+1 > engine.MaxFrame {
		return fmt.Errorf("it takes %d bytes, and at most %d can be sent at once", len(payload), engine.MaxFrame-1)
	}
	var b []byte
	if t == engine.TypeDone || t == engine.TypeError {
		b = appendUsage(b)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if _, err := p.out.Write(engine.AppendFrame(b, t, payload)); err != nil {
		os.Exit(exitDone) // nobody listens any more
	}
	return nil
}

// last sends the error that a child ends with by itself, unless a write that the
// parent does not take stands in the way.
func (p *process) last(message, kind string) {
	text, err := json.Marshal(map[string]string{"message": message, "kind": kind})
	if err != nil || !p.mu.TryLock() {
		return
	}
	defer p.mu.Unlock()
	_, _ = p.out.Write(engine.AppendFrame(appendUsage(nil), engine.TypeError, text))
}

// appendUsage appends the frame that goes before the last one.
func appendUsage(b []byte) []byte {
	text, err := json.Marshal(engine.Usage{CPUMicros: cpuTime().Microseconds(), MaxRSS: maxRSS()})
	if err != nil {
		return b
	}
	return engine.AppendFrame(b, engine.TypeUsage, text)
}

func (p *process) fail(err error) int {
	p.last(err.Error(), "internal")
	return exitInternal
}
