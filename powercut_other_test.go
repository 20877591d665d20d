//go:build !linux || !(amd64 || arm64)

package reeve_test

func powerHost() int { return 1 } // programs cannot be traced here
