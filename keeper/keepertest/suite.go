// Package keepertest is the conformance suite of keeper.Spawner: what every
// tier promises, told by programs of the shell. The survivors of a kill are
// looked for in the machine's process list, not by asking the keeper.
package keepertest

import (
	"runtime"
	"testing"

	"github.com/reeverun/reeve/keeper"
)

// Run checks the spawners that open returns; each case gets one of its own and
// closes it.
func Run(t *testing.T, open func(t *testing.T) keeper.Spawner) {
	if runtime.GOOS == "windows" {
		t.Skip("the suite's programs are scripts of a Unix shell")
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			r := &rig{T: t, Spawner: open(t)}
			// Registered first, so it comes after every job's own cleanup.
			t.Cleanup(func() {
				if err := r.Close(); err != nil {
					t.Errorf("close: %v", err)
				}
			})
			c.run(r)
		})
	}
}

var cases = []struct {
	name string
	run  func(r *rig)
}{
	{"exit codes", exitCodes},
	{"signals as 128+n", exitSignals},
	{"streams", streams},
	{"no files is the null device", nullDevice},
	{"environment is exact", environment},
	{"working directory", directory},
	{"program is found in the job's PATH", lookup},
	{"refusals", refusals},
	{"refused arguments", refusedArguments},
	{"cancelled context", cancelled},
	{"many waiters", manyWaiters},
	{"wait gives up with its context", waitContext},
	{"leader closes stdout early", closesStdout},
	{"leader gone, grandchildren live", leaderGone},
	{"signal after the end", signalAfterEnd},
	{"unknown signal", unknownSignal},
	{"usage", usage},
	{"plain tree, term", plainTerm},
	{"plain tree, int", plainInt},
	{"plain tree, kill", plainKill},
	{"stubborn tree", stubborn},
	{"new sessions, term", sessionsTerm},
	{"new sessions, kill", sessionsKill},
	{"orphaned without environment", orphansKill},
	{"fork and exit chain", chain},
	{"fork and exit chain in new sessions", chainSessions},
	{"freeze and thaw", freezeThaw},
	{"freeze what forks", freezeForks},
	{"freeze again, thaw again, freeze the dead", freezeAgain},
	{"freeze with a context that is over", freezeCancelled},
	{"what stopped by itself stays stopped", freezeStopped},
	{"kill while frozen", frozenKill},
	{"term while frozen", frozenTerm},
	{"close while frozen", frozenClose},
	{"freeze races kill and end", freezeRace},
	{"input through a pipe", pipeInput},
	{"input that nobody reads", inputWaits},
	{"no input was asked for", noInput},
	{"terminal", terminal},
	{"terminal, resized and ended", terminalResize},
	{"terminal for people", terminalCooked},
	{"terminal of a tree that outlives its leader", terminalLeftovers},
	{"terminal that was not started", terminalRefused},
	{"50 at once", fifty},
	{"kill races the natural end", killRace},
	{"signal races the natural end", signalRace},
	{"release while it runs", releaseRunning},
	{"close ends what runs", closeRunning},
	{"no descriptor or process is left", noLeak},
}
