package keeper

import (
	"crypto/rand"
	"strings"
)

// markKey is a variable that the tiers subreaper and pgroup add to a job's
// environment: its value names the run, and is how a sweep recognises a
// process that has left the job's group and parents. A job that starts jobs
// of its own passes its marks on, joined by colons. The tiers cgroup2 and
// jobobject need no mark and set none.
const markKey = "REEVE_RUN"

func newToken() string { return rand.Text() }

// withMark returns env with the mark added to what marks there are.
func withMark(env []string, token string) []string {
	out := make([]string, 0, len(env)+1)
	for _, kv := range env {
		if v, ok := strings.CutPrefix(kv, markKey+"="); ok {
			token = v + ":" + token
			continue
		}
		out = append(out, kv)
	}
	return append(out, markKey+"="+token)
}
