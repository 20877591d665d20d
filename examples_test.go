package reeve_test

import (
	"os/exec"
	"strings"
	"testing"
)

// The examples are what a newcomer runs first: they must work as written.
func TestExamplesRun(t *testing.T) {
	for _, c := range []struct {
		args []string
		want []string
		fail bool
	}{
		{[]string{"./examples/headless"}, []string{"building\n3/3 done\nprocess 1 succeeded: exit 0 (completed)"}, false},
		{[]string{"./examples/headless", "sh", "-c", "exit 3"}, []string{"process 1 failed: exit 3", "exit status 3"}, true},
		{[]string{"./examples/headless", "/no/such/program"}, []string{"process 1 failed", "/no/such/program"}, true},
		{[]string{"./examples/live"}, []string{"process_created", "stdout [5/5] step 5", "100 %", "stderr warning: nothing was installed", "succeeded"}, false},
	} {
		t.Run(strings.Join(c.args, " "), func(t *testing.T) {
			out, err := exec.CommandContext(t.Context(), "go", append([]string{"run"}, c.args...)...).CombinedOutput()
			if (err != nil) != c.fail {
				t.Errorf("%v", err)
			}
			for _, want := range c.want {
				if !strings.Contains(string(out), want) {
					t.Errorf("no %q in\n%s", want, out)
				}
			}
		})
	}
}
