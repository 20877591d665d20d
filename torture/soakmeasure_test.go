//go:build linux

package torture

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// sample is what Reeve holds at a moment of rest.
type sample struct {
	at             time.Duration
	made           int // processes so far
	daemon, keeper int // their pids: another one is another life
	values         map[string]float64
}

// measure waits until all is quiet and takes a sample.
func (s *soak) measure() {
	s.t.Helper()
	s.collect()
	s.daemon.http.CloseIdleConnections()
	before, now := s.take(), s.take()
	for end := time.Now().Add(patience); now.values["busy"] != 0 || !now.settledSince(before); before, now = now, s.take() {
		if time.Now().After(end) {
			s.wrong("it does not become quiet: %v, and then %v", before.values, now.values)
			break
		}
		time.Sleep(20 * time.Millisecond)
	}
	delete(now.values, "busy")
	s.rounds = append(s.rounds, now)
}

// collect keeps the daemon busy until it has collected its garbage once more:
// what is alive after that is alive at rest, and not from before.
func (s *soak) collect() {
	s.t.Helper()
	before := s.metrics()["go_gc_duration_seconds_count"]
	for end := time.Now().Add(patience); s.metrics()["go_gc_duration_seconds_count"] == before; {
		var all []byte
		if err := s.daemon.get("/processes?limit=1000&include=code,output", &all); err != nil || time.Now().After(end) {
			s.wrong("it does not collect its garbage: %v", err)
			return
		}
	}
}

// settledSince: counts stand still; memory never does.
func (a sample) settledSince(b sample) bool {
	for _, f := range watched {
		if f.exact && a.values[f.name] != b.values[f.name] {
			return false
		}
	}
	return true
}

func (s *soak) take() sample {
	s.t.Helper()
	pid := s.daemon.cmd.Process.Pid
	now := sample{at: time.Since(s.began), made: s.count, daemon: pid, values: map[string]float64{}}
	v := now.values
	metrics := s.metrics()
	v["daemon goroutines"] = metrics["go_goroutines"]
	v["daemon heap, MiB"] = metrics["go_memstats_next_gc_bytes"] / 2 / (1 << 20)          // alive after the last collection
	v["busy"] = metrics["reeve_processes"] + metrics["reeve_http_requests_in_flight"] - 1 // the witness
	v["daemon memory, MiB"] = resident(pid)
	v["daemon descriptors"] = entriesOf(pid, "fd")
	v["daemon threads"] = entriesOf(pid, "task")
	for _, keeper := range s.keepers() {
		now.keeper = keeper
		v["keeper memory, MiB"] += resident(keeper)
		v["keeper descriptors"] += entriesOf(keeper, "fd")
		v["keeper threads"] += entriesOf(keeper, "task")
	}
	for other := range ours() {
		if name, _ := os.ReadFile(fmt.Sprintf("/proc/%d/comm", other)); strings.HasPrefix(string(name), "reeve-v8") {
			v["zygote memory, MiB"] = max(v["zygote memory, MiB"], resident(other))
			v["zygote descriptors"] = max(v["zygote descriptors"], entriesOf(other, "fd"))
		}
	}
	v["processes"] = float64(len(s.strays(false)))
	v["zombies"] = s.zombies()
	v["cgroups"] = float64(len(s.cgroups()))
	s.measureFiles(v)
	return now
}

// measureFiles counts what is in the data directory, what there is of output
// that nobody pinned, and what is in the folder of temporary files.
func (s *soak) measureFiles(v map[string]float64) {
	logs := filepath.Join(s.daemon.data(), "logs") + "/"
	_ = filepath.WalkDir(s.daemon.data(), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return nil // it was just removed
		}
		if below, ok := strings.CutPrefix(path, logs); ok {
			id, _ := strconv.ParseInt(below[:strings.Index(below, "/")], 10, 64)
			_, pinned := s.logs[id]
			if spare := fmt.Sprintf(".spare-%d-", s.daemon.cmd.Process.Pid); pinned || strings.HasPrefix(below, spare) {
				return nil // spares are ready for the next
			}
			v["files of pruned output"]++
		}
		v["files"]++
		if info, err := d.Info(); err == nil {
			v["data, MiB"] += float64(info.Size()) / (1 << 20)
		}
		return nil
	})
	temp, _ := os.ReadDir(s.temp)
	v["temporary files"] = float64(len(temp))
}

// metrics are what the daemon tells, added up over labels.
func (s *soak) metrics() map[string]float64 {
	var content []byte
	if err := s.daemon.get("/metrics", &content); err != nil {
		s.wrong("metrics: %v", err)
	}
	sums := map[string]float64{}
	for line := range strings.Lines(string(content)) {
		name, value, ok := strings.Cut(strings.TrimSpace(line), " ")
		if at := strings.LastIndex(line, "} "); at > 0 {
			name, value = line[:strings.Index(line, "{")], strings.TrimSpace(line[at+2:])
		}
		if n, err := strconv.ParseFloat(value, 64); ok && err == nil {
			sums[name] += n
		}
	}
	return sums
}

// resident is the memory of a process, in MiB.
func resident(pid int) float64 {
	status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	_, rest, _ := strings.Cut(string(status), "VmRSS:")
	var kb float64
	_, _ = fmt.Sscan(rest, &kb)
	return kb / 1024
}

func entriesOf(pid int, dir string) float64 {
	entries, _ := os.ReadDir(fmt.Sprintf("/proc/%d/%s", pid, dir))
	return float64(len(entries))
}
