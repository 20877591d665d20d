//go:build unix

package cli

import "testing"

const binaryName = "reeve"

func needsUnix(*testing.T) {}
