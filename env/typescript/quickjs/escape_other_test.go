//go:build !linux

package quickjs

func escapee() bool { return false }
