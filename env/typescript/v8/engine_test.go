//go:build cgo && linux && (amd64 || arm64)

package v8

import (
	"testing"
)

func TestProgramRunsAndAnswers(t *testing.T) {
	e := startEngine(t, Config{})
	t.Logf("%+v", e.Info())
	r := run(t, e, program(`print("hello", await call({a: [1, "ü"]}).then(JSON.stringify)); output({n: 1})`))
	wantDone(t, r, "hello {\"a\":[1,\"ü\"]}\n")
	if r.output["n"] != 1.0 || r.exit.CPU <= 0 || r.exit.MaxRSS <= 0 {
		t.Errorf("got %+v", r)
	}
}
