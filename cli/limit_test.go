package cli

import (
	"slices"
	"strings"
	"testing"

	"github.com/reeverun/reeve/api"
	"github.com/reeverun/reeve/process"
)

func TestParseLimits(t *testing.T) {
	for text, want := range map[string]api.Limits{
		"memory=256M": {MemoryBytes: 256 << 20},
		"memory=256M,pids=64,cpu=10s,output=10MiB,files=256": {MemoryBytes: 256 << 20, PIDs: 64, CPUMS: 10_000, OutputBytes: 10 << 20, OpenFiles: 256},
		" cpu = 1m30s ": {CPUMS: 90_000},
	} {
		got, err := parseLimits([]string{text})
		if err != nil || got != want {
			t.Errorf("%q: %+v, %v", text, got, err)
		}
		if again, err := parseLimits([]string{limitText(process.Limits(want))}); err != nil || again != want {
			t.Errorf("%q comes back as %+v, %v", text, again, err)
		}
	}
	if got, err := parseLimits([]string{"pids=3", "files=9,cpu=1s"}); err != nil || got != (api.Limits{PIDs: 3, OpenFiles: 9, CPUMS: 1000}) {
		t.Errorf("%+v, %v", got, err)
	}
	for text, want := range map[string]string{
		"": "is not a limit", "disk=1G": "is not a limit", "memory": "memory: \"\" is not a size", "memory=lots": "is not a size", "pids=0": "1 or more",
		"pids=-1": "1 or more", "pids=1.5": "is not a number", "cpu=5": "is not a duration", "cpu=1us": "too short", "pids=1,pids=2": "twice", "files=x": "is not a number",
	} {
		if got, err := parseLimits([]string{text}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %+v, %v, want %q", text, got, err, want)
		}
	}
}

// The caller's secrets do not follow a command into a sandbox.
func TestSandboxInherits(t *testing.T) {
	own := []string{"AWS_SECRET_ACCESS_KEY=x", "PATH=/bin", "HOME=/h", "LANG=C", "LC_ALL=C", "TERM=t", "SSH_AUTH_SOCK=/s"}
	for kind, want := range map[string]int{"": 7, "trusted": 7, "confined": 5, "sandbox": 3} {
		kept, clear := (&boundFlags{sandbox: kind}).inherit(own)
		if len(kept) != want || clear != (want == 7) || want < 7 && slices.Contains(kept, own[0]) {
			t.Errorf("%q: %q, %v", kind, kept, clear)
		}
	}
}
