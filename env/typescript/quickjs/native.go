package quickjs

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"time"
	"unicode/utf8"
	"unsafe"

	"modernc.org/libc"
	lib "modernc.org/libquickjs"

	"github.com/reeverun/reeve/env/typescript/engine"
)

// native makes the object that the prelude is given; see package prelude.
func (v *vm) native() (value, error) {
	object := lib.XJS_NewObject(v.tls, v.ctx)
	for _, f := range []struct {
		name   string
		length int32
		call   func(args []value) value
	}{
		{"send", 2, v.nativeSend},
		{"random", 1, v.nativeRandom},
		{"now", 0, v.nativeNow},
		{"details", 1, v.nativeDetails},
		{"encode", 1, v.nativeEncode},
		{"decode", 2, v.nativeDecode},
	} {
		name := v.cString(f.name)
		made := lib.XJS_NewCFunction2(v.tls, v.ctx, v.address(v.callback(f.call)), name, f.length, lib.EJS_CFUNC_generic, 0)
		set := lib.XJS_DefinePropertyValueStr(v.tls, v.ctx, object, name, made, lib.MJS_PROP_C_W_E)
		libc.Xfree(v.tls, name)
		if set < 0 {
			return object, errNoMemory
		}
	}
	return object, nil
}

// callback is a function as QuickJS calls it. The engine fills up what was not
// given with undefined, up to the function's length.
func (v *vm) callback(call func([]value) value) func(*libc.TLS, uintptr, value, int32, uintptr) value {
	return func(_ *libc.TLS, _ uintptr, _ value, argc int32, argv uintptr) value {
		args := make([]value, 2)
		for i := range args {
			args[i] = v.undefined
			if i < int(argc) {
				args[i] = *v.slot(argv, i)
			}
		}
		return call(args)
	}
}

// throw throws a plain Error.
func (v *vm) throw(message string) value {
	object := lib.XJS_NewError(v.tls, v.ctx)
	if text, ok := v.text(message); ok {
		name := v.cString("message")
		lib.XJS_DefinePropertyValueStr(v.tls, v.ctx, object, name, text, lib.MJS_PROP_WRITABLE|lib.MJS_PROP_CONFIGURABLE)
		libc.Xfree(v.tls, name)
	}
	return lib.XJS_Throw(v.tls, v.ctx, object)
}

// rethrow is the value of a function that failed: what it failed with is pending
// already.
func (v *vm) rethrow() value { return lib.XJS_Throw(v.tls, v.ctx, v.exception()) }

func (v *vm) nativeSend(args []value) value {
	t, ok := v.number(args[0])
	if !ok {
		return v.rethrow()
	}
	payload, ok := v.bytes(args[1])
	if !ok {
		return v.rethrow()
	}
	if engine.Type(t) == engine.TypeError {
		payload = v.memoryError(payload)
	}
	v.over = v.over || engine.Type(t) == engine.TypeError || engine.Type(t) == engine.TypeDone
	if err := v.send(engine.Type(t), payload); err != nil {
		return v.throw(err.Error())
	}
	return v.undefined
}

// memoryError gives the error of a program that ran out of memory its kind.
func (v *vm) memoryError(payload []byte) []byte {
	var said struct{ Message, Kind string }
	if json.Unmarshal(payload, &said) != nil || !isOutOfMemory(said.Message) {
		return payload
	}
	v.exitCode = exitMemory
	return errorText(memoryMessage, "memory")
}

func (v *vm) nativeNow([]value) value {
	return v.float(float64(time.Since(v.began)) / float64(time.Millisecond))
}

func (v *vm) nativeRandom(args []value) value {
	b, ok := v.memory(args[0])
	if !ok {
		return v.rethrow()
	}
	rand.Read(b) // never fails
	return v.undefined
}

// memory is what a Uint8Array shows.
func (v *vm) memory(array value) ([]byte, bool) {
	size := int(unsafe.Sizeof(libc.Tsize_t(0)))
	at := v.tls.Alloc(3 * size)
	defer v.tls.Free(3 * size)
	offset, length, total := at, at+uintptr(size), at+uintptr(2*size)
	buffer := lib.XJS_GetTypedArrayBuffer(v.tls, v.ctx, array, offset, length, 0)
	if lib.XJS_HasException(v.tls, v.ctx) != 0 {
		return nil, false
	}
	defer v.free(buffer)
	p := lib.XJS_GetArrayBuffer(v.tls, v.ctx, total, buffer)
	if lib.XJS_HasException(v.tls, v.ctx) != 0 {
		return nil, false
	}
	n := *(*libc.Tsize_t)(pointer(length))
	if p == 0 || n == 0 {
		return nil, true
	}
	return unsafe.Slice((*byte)(pointer(p+uintptr(*(*libc.Tsize_t)(pointer(offset))))), n), true
}

func (v *vm) nativeEncode(args []value) value {
	text, ok := v.bytes(args[0])
	if !ok {
		return v.rethrow()
	}
	p := v.cString(string(text))
	buffer := lib.XJS_NewArrayBufferCopy(v.tls, v.ctx, p, libc.Tsize_t(len(text)))
	libc.Xfree(v.tls, p)
	if lib.XJS_HasException(v.tls, v.ctx) != 0 {
		return v.rethrow()
	}
	defer v.free(buffer)
	argv := v.tls.Alloc(3 * valueSize)
	defer v.tls.Free(3 * valueSize)
	*v.slot(argv, 0), *v.slot(argv, 1), *v.slot(argv, 2) = buffer, v.undefined, v.undefined
	return lib.XJS_NewTypedArray(v.tls, v.ctx, 3, argv, lib.EJS_TYPED_ARRAY_UINT8)
}

// nativeDecode leaves what is not well-formed to the prelude.
func (v *vm) nativeDecode(args []value) value {
	b, ok := v.memory(args[0])
	if !ok {
		return v.rethrow()
	}
	if !utf8.Valid(b) {
		return v.undefined
	}
	text, ok := v.text(string(bytes.Clone(b)))
	if !ok {
		return v.rethrow()
	}
	return text
}

func (v *vm) nativeDetails(args []value) value {
	switch lib.XJS_GetClassID(v.tls, args[0]) {
	case lib.EJS_CLASS_PROXY:
		return v.proxyDetails(args[0])
	case lib.EJS_CLASS_PROMISE:
		return v.promiseDetails(args[0])
	default:
		return v.undefined
	}
}

func (v *vm) proxyDetails(x value) value {
	kind, ok := v.text("proxy")
	if !ok {
		return v.rethrow()
	}
	data := (*lib.TJSProxyData)(pointer(lib.XJS_GetOpaque(v.tls, x, lib.EJS_CLASS_PROXY)))
	if data.Fis_revoked != 0 {
		null, _ := v.eval("null", "reeve:null")
		return v.array(kind, null, null)
	}
	return v.array(kind, lib.XDupValue(v.tls, v.ctx, data.Ftarget), lib.XDupValue(v.tls, v.ctx, data.Fhandler))
}

func (v *vm) promiseDetails(x value) value {
	name := "pending"
	switch lib.XJS_PromiseState(v.tls, v.ctx, x) {
	case lib.EJS_PROMISE_FULFILLED:
		name = "fulfilled"
	case lib.EJS_PROMISE_REJECTED:
		name = "rejected"
	}
	kind, ok := v.text("promise")
	if !ok {
		return v.rethrow()
	}
	state, ok := v.text(name)
	if !ok {
		return v.rethrow()
	}
	return v.array(kind, state, lib.XJS_PromiseResult(v.tls, v.ctx, x))
}
