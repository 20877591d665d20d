// Package cppgc holds headers of V8 and no Go code: a Go file makes vendoring
// take the directory along.
package cppgc

import _ "github.com/reeverun/reeve/env/typescript/v8/include/cppgc/internal"
