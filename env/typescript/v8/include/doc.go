// Package include holds those headers of V8 that this module compiles against,
// in the version of the library it links, and no Go code: a Go file makes
// vendoring take the directory along.
package include

import (
	_ "github.com/reeverun/reeve/env/typescript/v8/include/cppgc"
	_ "github.com/reeverun/reeve/env/typescript/v8/include/libplatform"
)
