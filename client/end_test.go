package client_test

import (
	"testing"

	"github.com/reeverun/reeve/client"
	"github.com/reeverun/reeve/process"
)

func TestEndedSays(t *testing.T) {
	for want, e := range map[string]client.Ended{
		"12 processes ended, 0 left": {Processes: 12},
		"1 process ended, 1 left":    {Processes: 1, Left: []client.Leftover{{Process: 3, Survivor: process.Survivor{PID: 7}}}},
	} {
		if got := e.String(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
