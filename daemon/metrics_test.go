package daemon

import (
	"net/http"
	"strings"
	"testing"

	"github.com/reeverun/reeve/process"
)

// What the runtime does is seen in the metrics and, by process, in the log.
func TestProcessesAreObserved(t *testing.T) {
	f := prepare(t, "log-level=debug", "log-format=json").start()
	hanging := f.create(`{"environment":"fake","code":"hang"}`)
	done := f.create(`{"environment":"fake","code":"out hi","block":true}`)
	eventually(t, "it runs", func() bool { return f.record(hanging.ID).State == process.Running })
	status, b := f.call("GET", "/metrics", "")
	if status != http.StatusOK {
		t.Fatalf("%d %s", status, b)
	}
	for _, want := range []string{`reeve_processes{state="running"} 1`, `reeve_processes{state="queued"} 0`} {
		if !strings.Contains(string(b), want) {
			t.Errorf("the metrics have no %s:\n%s", want, b)
		}
	}
	want := `"msg":"process finished","process":` + done.ID.String() + `,`
	eventually(t, "its end is logged", func() bool { return strings.Contains(f.log.String(), want) })
}
