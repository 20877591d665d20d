package cli

import "testing"

const binaryName = "reeve.exe"

func needsUnix(t *testing.T) { t.Skip("the commands are a Unix shell's") }
