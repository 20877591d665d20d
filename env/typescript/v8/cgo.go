//go:build cgo && linux && (amd64 || arm64)

package v8

// #cgo CXXFLAGS: -std=c++20 -fno-rtti -fno-exceptions -fPIC -O2 -Wall -I${SRCDIR}/include
// #cgo CXXFLAGS: -DV8_COMPRESS_POINTERS -DV8_31BIT_SMIS_ON_64BIT_ARCH -DV8_ENABLE_SANDBOX
// #cgo LDFLAGS: -Wl,-wrap,x_cgo_init -static-libstdc++ -static-libgcc
import "C"

import _ "github.com/reeverun/reeve/env/typescript/v8/include" // vendored along

// Go calls none of the C++ here: it is reached in another process, by way of
// the wrapped symbol (see main.cc).

// Available says whether V8 is linked into this program.
const Available = true

// Version is that of the V8 that is linked in.
const Version = "13.6.233.10"
