package tui

import (
	"os"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	time.Local = time.UTC // screens show local times
	code := m.Run()
	// teatest waits for an interrupt as long as the tests run.
	err := goleak.Find(goleak.IgnoreAnyFunction("github.com/charmbracelet/x/exp/teatest/v2.NewTestModel.func2"), goleak.IgnoreTopFunction("os/signal.signal_recv"), goleak.IgnoreTopFunction("os/signal.loop"))
	if code == 0 && err != nil {
		println(err.Error())
		code = 1
	}
	os.Exit(code)
}
