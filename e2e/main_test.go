//go:build linux

package e2e

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/reeverun/reeve/internal/testbin"
)

// suite is what the tests of one run have in common.
var suite struct {
	binary string // the daemon with scriptable environments
	dir    string // everything the suite writes

	once   sync.Once
	shared *daemon
	err    error

	realOnce   sync.Once
	realShared *daemon // the program as it is shipped
	realErr    error
}

// patience bounds every wait. It is generous: nothing waits it out unless it
// fails.
const patience = 30 * time.Second

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	// Most tests wait most of the time, hence more of them than cores.
	for name, value := range map[string]string{"test.parallel": "8", "rapid.checks": "3", "rapid.steps": "18", "rapid.shrinktime": "5s", "rapid.nofailfile": "true"} {
		if err := flag.Set(name, value); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 2
		}
	}
	flag.Parse() // flags given by hand win
	dir, err := os.MkdirTemp("", "reeve-e2e-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	defer os.RemoveAll(dir)
	suite.dir = dir
	if suite.binary, err = build(dir, "reevefake", "../internal/reevefake", "REEVE_E2E_BINARY"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	code := m.Run()
	for _, d := range []*daemon{suite.shared, suite.realShared} {
		if d == nil {
			continue
		}
		for _, problem := range append(undescribed(d), d.end()...) {
			fmt.Fprintf(os.Stderr, "FAIL: shared daemon %s: %s\n", filepath.Base(d.binary), problem)
			code = max(code, 1)
		}
	}
	return code
}

// build makes a daemon, unless a variable names one that was made. A machine
// without a C compiler has no race detector, which only CI insists on.
func build(dir, name, pkg, variable string) (binary string, err error) {
	if binary = os.Getenv(variable); binary != "" {
		return binary, nil
	}
	binary = filepath.Join(dir, name)
	if err = testbin.BuildRace(binary, pkg); err != nil && os.Getenv("CI") != "true" {
		err = testbin.Build(binary, pkg)
	}
	return binary, err
}

// shared returns the daemon of all tests that need none of their own. What
// they leave running there they end themselves.
func shared(t testing.TB) *daemon {
	t.Helper()
	suite.once.Do(func() {
		suite.shared, suite.err = launch(suite.binary, filepath.Join(suite.dir, "shared"), nil, "--concurrency", "command=200")
	})
	if suite.err != nil {
		t.Fatal(suite.err)
	}
	return suite.shared
}
