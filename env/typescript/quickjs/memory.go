package quickjs

import (
	"unsafe"

	"modernc.org/libc"
	lib "modernc.org/libquickjs"
)

type (
	mallocFunc  = func(tls *libc.TLS, state uintptr, size lib.Tsize_t) uintptr
	reallocFunc = func(tls *libc.TLS, state, old uintptr, size lib.Tsize_t) uintptr
)

// watchMemory has full called when an allocation fails, with its size. QuickJS
// itself throws something that the program may catch, which is right for one
// large array, and no help when there is nothing left at all.
func (v *vm) watchMemory(full func(size uint64)) {
	functions := &(*lib.TJSRuntime)(pointer(v.rt)).Fmalloc_ctx.Fmf
	mallocAt, reallocAt := &funcValue{functions.Fjs_malloc}, &funcValue{functions.Fjs_realloc}
	malloc := *(*mallocFunc)(unsafe.Pointer(&mallocAt.address))
	realloc := *(*reallocFunc)(unsafe.Pointer(&reallocAt.address))
	functions.Fjs_malloc = v.address(func(tls *libc.TLS, state uintptr, size lib.Tsize_t) uintptr {
		p := malloc(tls, state, size)
		if p == 0 && size > 0 {
			full(uint64(size))
		}
		return p
	})
	functions.Fjs_realloc = v.address(func(tls *libc.TLS, state, old uintptr, size lib.Tsize_t) uintptr {
		p := realloc(tls, state, old, size)
		if p == 0 && size > 0 {
			full(uint64(size))
		}
		return p
	})
}

// funcValue holds what a function of Go is to QuickJS: see vm.address.
type funcValue struct{ address uintptr }
