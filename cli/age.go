package cli

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/reeverun/reeve/api"
	"github.com/reeverun/reeve/doctor"
)

// compare holds a daemon against this program: negative if it is older, positive if
// it is newer, 0 if they are the same or cannot be compared; same is false where
// they were built from different sources.
func compare(daemon, own api.Version) (order int, same bool) {
	if daemon.Version == own.Version && daemon.Commit == own.Commit {
		return 0, true
	}
	a, aok := release(daemon.Version)
	b, bok := release(own.Version)
	for i := range a {
		if aok && bok && a[i] != b[i] {
			return a[i] - b[i], false
		}
	}
	return 0, false
}

// release is the numbers of a version such as v1.2.3-rc.1.
func release(version string) (n [3]int, ok bool) {
	core, found := strings.CutPrefix(version, "v")
	core, _, _ = strings.Cut(core, "+")
	core, _, _ = strings.Cut(core, "-")
	parts := strings.Split(core, ".")
	if !found || len(parts) != len(n) {
		return n, false
	}
	for i, part := range parts {
		var err error
		if n[i], err = strconv.Atoi(part); err != nil {
			return n, false
		}
	}
	return n, true
}

// upgrade is how the daemon becomes this program.
const upgrade = "reeve serve --replace --detach"

// ageText says what to do about a daemon of another version; nothing if there is
// nothing to do.
func ageText(daemon, own api.Version) string {
	switch order, same := compare(daemon, own); {
	case same:
		return ""
	case order < 0:
		return "the daemon is older than this program: '" + upgrade + "' replaces it"
	case order > 0:
		return "the daemon is newer than this program: use the program it was started from"
	}
	return "the daemon was built from other sources than this program: '" + upgrade + "' replaces it, if yours are newer"
}

// checkDaemon is the doctor's look at the daemon that runs; not ok: none does.
func (a *App) checkDaemon(ctx context.Context) (c doctor.Check, ok bool) {
	v := a.daemonVersion(ctx)
	if v == nil {
		return c, false
	}
	c = doctor.Check{Section: doctor.SectionData, Key: "daemon", Name: "daemon", Status: doctor.OK,
		Meaning: fmt.Sprintf("A daemon runs, of this version (pid %d).", v.PID)}
	if text := ageText(*v, a.Version); text != "" {
		why, advice, _ := strings.Cut(text, ": ")
		c.Status, c.Meaning = doctor.Limited, fmt.Sprintf("A daemon runs, of version %s (pid %d).", v.Version, v.PID)
		c.Reason, c.Advice = why, strings.ToUpper(advice[:1])+advice[1:]+"."
	}
	return c, true
}
