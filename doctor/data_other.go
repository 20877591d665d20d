//go:build !linux

package doctor

// fileSystemChecks are for what only the Linux file systems differ in.
func fileSystemChecks(string) []Check { return nil }
