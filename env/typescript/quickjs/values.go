package quickjs

import (
	"bytes"
	"encoding/json"
	"strconv"
	"unsafe"

	"modernc.org/libc"
	lib "modernc.org/libquickjs"
)

// eval evaluates a script; false: it threw.
func (v *vm) eval(code, name string) (value, bool) {
	source, file := v.cString(code), v.cString(name)
	defer libc.Xfree(v.tls, source)
	defer libc.Xfree(v.tls, file)
	result := lib.XJS_Eval(v.tls, v.ctx, source, libc.Tsize_t(len(code)), file, lib.MJS_EVAL_TYPE_GLOBAL)
	return result, lib.XJS_HasException(v.tls, v.ctx) == 0
}

// compile makes of a script what evalCompiled takes, in any process of the same
// program. Reading it is ten times faster than compiling.
func (v *vm) compile(code, name string) ([]byte, bool) {
	source, file := v.cString(code), v.cString(name)
	defer libc.Xfree(v.tls, source)
	defer libc.Xfree(v.tls, file)
	compiled := lib.XJS_Eval(v.tls, v.ctx, source, libc.Tsize_t(len(code)), file, lib.MJS_EVAL_TYPE_GLOBAL|lib.MJS_EVAL_FLAG_COMPILE_ONLY)
	if lib.XJS_HasException(v.tls, v.ctx) != 0 {
		return nil, false
	}
	defer v.free(compiled)
	size := int(unsafe.Sizeof(libc.Tsize_t(0)))
	at := v.tls.Alloc(size)
	defer v.tls.Free(size)
	p := lib.XJS_WriteObject(v.tls, v.ctx, at, compiled, lib.MJS_WRITE_OBJ_BYTECODE)
	if p == 0 {
		return nil, false
	}
	defer lib.Xjs_free(v.tls, v.ctx, p)
	return bytes.Clone(unsafe.Slice((*byte)(pointer(p)), *(*libc.Tsize_t)(pointer(at)))), true
}

// evalCompiled evaluates what compile returned; false: it threw.
func (v *vm) evalCompiled(compiled []byte) (value, bool) {
	p := v.cString(string(compiled))
	defer libc.Xfree(v.tls, p)
	read := lib.XJS_ReadObject(v.tls, v.ctx, p, libc.Tsize_t(len(compiled)), lib.MJS_READ_OBJ_BYTECODE)
	if lib.XJS_HasException(v.tls, v.ctx) != 0 {
		return read, false
	}
	result := lib.XJS_EvalFunction(v.tls, v.ctx, read)
	return result, lib.XJS_HasException(v.tls, v.ctx) == 0
}

// call calls a function; false: it threw.
func (v *vm) call(fn value, args ...value) (value, bool) {
	size := max(len(args), 1) * valueSize
	argv := v.tls.Alloc(size)
	defer v.tls.Free(size)
	for i, arg := range args {
		*v.slot(argv, i) = arg
	}
	result := lib.XJS_Call(v.tls, v.ctx, fn, v.undefined, int32(len(args)), argv)
	return result, lib.XJS_HasException(v.tls, v.ctx) == 0
}

// slot is one of the values that stand at an address.
func (v *vm) slot(at uintptr, i int) *value { return (*value)(pointer(at + uintptr(i*valueSize))) }

// pointer is for memory that QuickJS allocated, which the collector of Go does
// not know and does not move.
func pointer(at uintptr) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&at)) }

// address is a function of Go as QuickJS calls it. The function is kept alive as
// long as the vm.
func (v *vm) address(fn any) uintptr {
	v.callbacks = append(v.callbacks, fn)
	type word [2]uintptr
	return (*word)(unsafe.Pointer(&fn))[1]
}

func (v *vm) free(x value) { lib.XFreeValue(v.tls, v.ctx, x) }

// exception takes what was thrown.
func (v *vm) exception() value { return lib.XJS_GetException(v.tls, v.ctx) }

// takeError takes what was thrown as text.
func (v *vm) takeError() string {
	thrown := v.exception()
	defer v.free(thrown)
	b, ok := v.bytes(thrown)
	if !ok {
		v.free(v.exception())
		return "InternalError: out of memory"
	}
	return string(b)
}

// cString is a copy of s in QuickJS's memory, ended by a zero.
func (v *vm) cString(s string) uintptr {
	p, err := libc.CString(s)
	if err != nil {
		panic(err) // the machine has no memory
	}
	return p
}

// text makes a string.
func (v *vm) text(s string) (value, bool) {
	p := v.cString(s)
	defer libc.Xfree(v.tls, p)
	result := lib.XJS_NewStringLen(v.tls, v.ctx, p, libc.Tsize_t(len(s)))
	return result, lib.XJS_HasException(v.tls, v.ctx) == 0
}

// bytes is a string as UTF-8; false: it threw.
func (v *vm) bytes(x value) ([]byte, bool) {
	size := int(unsafe.Sizeof(libc.Tsize_t(0)))
	at := v.tls.Alloc(size)
	defer v.tls.Free(size)
	p := lib.XJS_ToCStringLen2(v.tls, v.ctx, at, x, 0)
	if p == 0 {
		return nil, false
	}
	defer lib.XJS_FreeCString(v.tls, v.ctx, p)
	return wellFormed(bytes.Clone(unsafe.Slice((*byte)(pointer(p)), *(*libc.Tsize_t)(pointer(at))))), true
}

// wellFormed replaces the three bytes that QuickJS writes for a lone surrogate
// by those of U+FFFD.
func wellFormed(b []byte) []byte {
	for i := 0; ; i++ {
		at := bytes.IndexByte(b[i:], 0xed)
		if at < 0 {
			return b
		}
		if i += at; i+2 < len(b) && b[i+1] >= 0xa0 {
			i += copy(b[i:], "\ufffd") - 1
		}
	}
}

// number is a number.
func (v *vm) number(x value) (float64, bool) {
	at := v.tls.Alloc(8)
	defer v.tls.Free(8)
	if lib.XJS_ToFloat64(v.tls, v.ctx, at, x) != 0 {
		return 0, false
	}
	return *(*float64)(pointer(at)), true
}

// float makes a number, by way of its text: there is no portable other.
func (v *vm) float(n float64) value {
	text := strconv.FormatFloat(n, 'f', -1, 64)
	p, file := v.cString(text), v.cString("reeve:number")
	defer libc.Xfree(v.tls, p)
	defer libc.Xfree(v.tls, file)
	return lib.XJS_ParseJSON(v.tls, v.ctx, p, libc.Tsize_t(len(text)), file)
}

// property reads a property of an object of the prelude's.
func (v *vm) property(of value, name string) value {
	p := v.cString(name)
	defer libc.Xfree(v.tls, p)
	return lib.XJS_GetPropertyStr(v.tls, v.ctx, of, p)
}

// array makes an array of values, which it takes.
func (v *vm) array(values ...value) value {
	result := lib.XJS_NewArray(v.tls, v.ctx)
	for i, x := range values {
		lib.XJS_DefinePropertyValueUint32(v.tls, v.ctx, result, uint32(i), x, lib.MJS_PROP_C_W_E)
	}
	return result
}

func errorText(message, kind string) []byte {
	text, err := json.Marshal(map[string]string{"message": message, "kind": kind})
	if err != nil {
		return []byte(`{"message":"","kind":"internal"}`)
	}
	return text
}
