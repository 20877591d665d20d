//go:build linux

package torture

import (
	"os"
	"testing"
	"time"

	"github.com/reeverun/reeve/env/agent/agenttest"
)

// soak is a world under mixed load, with a fault now and then, for as long as
// one likes. It comes to rest again and again: then everything is judged, old
// records are deleted, and what Reeve holds is measured.
type soak struct {
	*world
	began  time.Time
	lasts  time.Duration
	temp   string // where the daemon and its children make temporary files
	tally  tally
	told   time.Time // when progress was last reported
	kept   []*proc   // judged, oldest first; nothing else exists when all is at rest
	logs   map[int64]int64
	pids   map[int]bool // of all daemons there were
	deck   []fault
	rounds []sample
}

// atMost bounds the records that are kept, so that files and bytes can be flat.
const atMost = 150

// An hour of mixed load with faults, bounded to a minute in an ordinary test
// run: nothing that was promised is lost, and memory, descriptors, goroutines,
// threads, processes, cgroups and files stay flat.
func TestSoak(t *testing.T) {
	s := newSoak(t)
	for took := s.roundLasts(); s.goesOn(took); {
		began := time.Now()
		s.load()
		s.rest()
		s.retire()
		s.measure()
		took = time.Since(began)
	}
	s.leave()
	s.left()
	s.verdict()
}

func newSoak(t *testing.T) *soak {
	t.Helper()
	lasts, err := time.ParseDuration(os.Getenv("REEVE_SOAK"))
	if text := os.Getenv("REEVE_SOAK"); text == "" {
		lasts = time.Minute
	} else if err != nil || lasts <= 0 {
		t.Fatalf("REEVE_SOAK is %q, want a duration such as 10m", text)
	}
	temp, err := os.MkdirTemp(suite.dir, "tmp")
	if err != nil {
		t.Fatal(err)
	}
	model := agenttest.New(t)
	t.Setenv("TMPDIR", temp)
	t.Setenv("OPENAI_BASE_URL", model.OpenAI())
	t.Setenv("OPENAI_API_KEY", "sk-soak")
	s := &soak{began: time.Now(), lasts: lasts, temp: temp, logs: map[int64]int64{}, pids: map[int]bool{}}
	s.world = newWorld(t, "--agent-model", "scripted", "--drain-for", "3s")
	s.stops, s.told = true, time.Now()
	s.tally.of = map[string]int{}
	s.answerAgents(model)
	return s
}

// roundLasts is how long the load of one round goes on.
func (s *soak) roundLasts() time.Duration { return min(max(s.lasts/20, time.Second), 8*time.Second) }

// goesOn reports whether there is time for another round that takes as long as
// the last one, and for the end. Less than a few rounds tell nothing.
func (s *soak) goesOn(took time.Duration) bool {
	if s.t.Failed() && s.wrongs.Load() > 40 {
		s.t.Log("too much is wrong to go on")
		return false
	}
	return len(s.rounds) < 4 || time.Since(s.began)+took < s.lasts-s.lasts/20
}

// stormy reports whether daemons and keepers end these days. The other half of
// the time they live long, and what grows in them can be seen to.
func (s *soak) stormy() bool {
	chapter := min(s.lasts, 15*time.Minute)
	return time.Since(s.began)%chapter < chapter/2
}
