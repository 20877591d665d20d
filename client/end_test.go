package client_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/reeverun/reeve/api"
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

// What may not be killed is not waited for.
func TestEndRefused(t *testing.T) {
	c := fake(t, func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == "/events":
			io.WriteString(w, `{"events":[],"next":"7"}`)
		case r.URL.Path == "/processes/1/tree":
			io.WriteString(w, `{"id":1,"state":"running","children":[{"id":2,"state":"running"}]}`)
		case strings.HasSuffix(r.URL.Path, "/signals/kill"):
			w.WriteHeader(http.StatusForbidden)
			io.WriteString(w, `{"error":"no scope for that","code":"forbidden"}`)
		default:
			t.Errorf("asked for %s", r.URL)
			w.WriteHeader(http.StatusNotFound)
		}
	})
	var refused []error
	ended, err := c.End(testContext(t), []process.ID{1}, api.Kill{}, func(err error) { refused = append(refused, err) })
	if err != nil || len(refused) != 1 || len(ended.Named) != 0 || ended.Processes != 0 {
		t.Errorf("%+v, refused %v, %v", ended, refused, err)
	}
}
