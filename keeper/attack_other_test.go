//go:build !linux

package keeper_test

// attackMain: the attacks are Linux's.
func attackMain() {}
