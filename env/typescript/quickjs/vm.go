package quickjs

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"time"
	"unsafe"

	"modernc.org/libc"
	lib "modernc.org/libquickjs"

	"github.com/reeverun/reeve/env/typescript/engine"
)

// value is a value of JavaScript. Its layout differs between machines of 32 and
// 64 bits: nothing here looks inside.
type value = lib.TJSValue

const valueSize = int(unsafe.Sizeof(*(*value)(nil)))

// largePart is the part of the memory from which on a single allocation is large:
// a program may catch that there is no room for it, and go on.
const largePart = 8

// vm is one runtime of QuickJS with the prelude in it. One goroutine uses it.
type vm struct {
	tls       *libc.TLS
	rt, ctx   uintptr
	undefined value
	hooks     map[string]value

	send     func(engine.Type, []byte) error
	began    time.Time
	limit    uint64 // of memory, in bytes; 0: none
	exitCode int
	over     bool // the last frame is sent

	callbacks []any // functions that QuickJS holds as bare addresses
}

var errNoMemory = errors.New("no memory for QuickJS")

func newVM(send func(engine.Type, []byte) error) (*vm, error) {
	v := &vm{tls: libc.NewTLS(), send: send, began: time.Now(), hooks: map[string]value{}}
	v.rt = lib.XJS_NewRuntime(v.tls)
	if v.rt == 0 {
		return nil, errNoMemory
	}
	lib.XJS_SetMaxStackSize(v.tls, v.rt, lib.MaxStackSlots)
	lib.XJS_SetCanBlock(v.tls, v.rt, 0) // Atomics.wait would stop the whole program
	if v.ctx = lib.XJS_NewContext(v.tls, v.rt); v.ctx == 0 {
		return nil, errNoMemory
	}
	v.undefined, _ = v.eval("undefined", "reeve:start")
	v.watchMemory(v.full)
	lib.XJS_SetHostPromiseRejectionTracker(v.tls, v.rt, v.address(v.rejection), 0)
	return v, nil
}

// load evaluates the prelude as compile returned it.
func (v *vm) load(prelude []byte) error {
	run, ok := v.evalCompiled(prelude)
	if !ok {
		return fmt.Errorf("the prelude does not load: %s", v.takeError())
	}
	native, err := v.native()
	if err != nil {
		return err
	}
	hooks, ok := v.call(run, native)
	if !ok {
		return fmt.Errorf("the prelude failed: %s", v.takeError())
	}
	for _, name := range []string{"start", "compileError", "dispatch", "rejection", "fire", "uncaught", "turn"} {
		v.hooks[name] = v.property(hooks, name)
	}
	return nil
}

func (v *vm) limitMemory(bytes uint64) {
	v.limit = bytes
	lib.XJS_SetMemoryLimit(v.tls, v.rt, libc.Tsize_t(bytes))
}

// start evaluates the program and calls it.
func (v *vm) start(s *engine.Script) {
	main, ok := v.eval(s.Code, s.Name)
	if !ok {
		v.hook("compileError", v.exception())
		return
	}
	meta, ok := v.text(s.Meta)
	if !ok {
		v.uncaught()
		return
	}
	v.hook("start", main, meta)
	v.free(main)
	v.free(meta)
}

func (v *vm) dispatch(t engine.Type, payload string) {
	text, ok := v.text(payload)
	if !ok {
		v.uncaught()
		return
	}
	v.hook("dispatch", lib.XNewInt32(v.tls, v.ctx, int32(t)), text)
	v.free(text)
}

func (v *vm) fire() { v.hook("fire") }

// turn drains the microtasks and asks the prelude what comes next.
func (v *vm) turn() (wait float64, over bool) {
	v.drain()
	result, ok := v.call(v.hooks["turn"])
	if !ok {
		v.uncaught()
		result, ok = v.call(v.hooks["turn"])
	}
	n, isNumber := -2.0, ok
	if ok {
		n, isNumber = v.number(result)
		v.free(result)
	}
	if !isNumber {
		v.giveUp()
		return 0, true
	}
	return n, n == -2
}

// drain runs all microtasks.
func (v *vm) drain() {
	size := int(unsafe.Sizeof(uintptr(0)))
	at := v.tls.Alloc(size)
	defer v.tls.Free(size)
	for {
		switch n := lib.XJS_ExecutePendingJob(v.tls, v.rt, at); {
		case n == 0:
			return
		case n < 0:
			v.uncaught()
		}
	}
}

// hook calls a hook; what leaves it ends the program.
func (v *vm) hook(name string, args ...value) {
	result, ok := v.call(v.hooks[name], args...)
	if !ok {
		v.uncaught()
		return
	}
	v.free(result)
}

// full ends a program that has no memory left.
func (v *vm) full(size uint64) {
	if size >= v.limit/largePart {
		return
	}
	v.report("InternalError: out of memory")
	os.Exit(exitMemory)
}

// uncaught gives what was thrown to the prelude.
func (v *vm) uncaught() {
	thrown := v.exception()
	result, ok := v.call(v.hooks["uncaught"], thrown)
	v.free(thrown)
	if !ok {
		v.giveUp()
		return
	}
	v.free(result)
}

// giveUp ends a program whose error the prelude itself could not report.
func (v *vm) giveUp() {
	message := v.takeError()
	v.exitCode = exitInternal
	v.report(message)
}

// report sends the last frame, in place of the prelude.
func (v *vm) report(message string) {
	if v.over {
		return
	}
	v.over = true
	kind := "internal"
	if isOutOfMemory(message) {
		kind, message = "memory", memoryMessage
		v.exitCode = exitMemory
	}
	_ = v.send(engine.TypeError, errorText(message, kind)) // it ends either way
}

const memoryMessage = "The program used more memory than it may."

func isOutOfMemory(message string) bool {
	return strings.Contains(message, "InternalError: out of memory")
}

// rejection is QuickJS's tracker of promises that are rejected and not handled.
func (v *vm) rejection(_ *libc.TLS, _ uintptr, promise, reason value, handled int32, _ uintptr) {
	result, ok := v.call(v.hooks["rejection"], lib.XNewInt32(v.tls, v.ctx, handled), promise, reason)
	if !ok {
		v.free(v.exception())
		return
	}
	v.free(result)
}
