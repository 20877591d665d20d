// Package libplatform holds headers of V8 and no Go code: a Go file makes vendoring
// take the directory along.
package libplatform
