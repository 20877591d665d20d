//go:build linux

package torture

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// cgroups are those of this world's keepers and daemons, in every hierarchy.
func (s *soak) cgroups() (found []string) {
	prefixes := map[string]bool{}
	for path := range s.ledger.read().cgroups {
		for part := range strings.SplitSeq(path, "/") {
			if name := strings.Split(part, "-"); name[0] == "reeve" && len(name) > 2 {
				prefixes["reeve-"+name[1]+"-"] = true // all of one data directory
			}
		}
	}
	for pid := range s.pids {
		prefixes[fmt.Sprintf("reeve-v8-%d-", pid)] = true
	}
	_ = filepath.WalkDir("/sys/fs/cgroup", func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return nil // it was just removed
		}
		for part := range strings.SplitSeq(path, "/") {
			for prefix := range prefixes {
				if strings.HasPrefix(part, prefix) {
					found = append(found, path)
					return nil
				}
			}
		}
		if strings.HasPrefix(d.Name(), "reeve-") {
			return fs.SkipDir // somebody else's
		}
		return nil
	})
	return found
}

// zombies counts the children of daemon and keepers that nobody has waited for.
func (s *soak) zombies() (n float64) {
	parents := append(s.keepers(), s.daemon.cmd.Process.Pid)
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, path := range stats {
		content, _ := os.ReadFile(path)
		_, rest, _ := strings.Cut(string(content), ") ") // after the name: state, parent
		fields := strings.Fields(rest)
		if len(fields) < 2 || fields[0] != "Z" {
			continue
		}
		if parent, err := strconv.Atoi(fields[1]); err == nil && slices.Contains(parents, parent) {
			n++
		}
	}
	return n
}

// left checks, after everything has ended, that nothing of it is outside the
// data directory.
func (s *soak) left() {
	var groups []string
	s.until("no cgroup is left in any hierarchy", func() bool { groups = s.cgroups(); return len(groups) == 0 })
	if len(groups) > 0 {
		s.wrong("left of the cgroups: %v", groups)
	}
	known := []string{"data", "daemon.log", "ledger", "ledger.yaml", "tools.yaml"}
	for _, dir := range []string{s.daemon.dir, s.temp} {
		entries, err := os.ReadDir(dir)
		if err != nil {
			s.wrong("%v", err)
		}
		for _, e := range entries {
			if !slices.Contains(known, e.Name()) {
				s.wrong("left behind: %s", filepath.Join(dir, e.Name()))
			}
		}
	}
}
