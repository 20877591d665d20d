//go:build cgo

package v8

import _ "github.com/tommie/v8go/deps/linux_arm64" // the static library
