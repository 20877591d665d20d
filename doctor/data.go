package doctor

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// What is little for a database and the output of jobs.
const (
	littleSpace  = 1 << 30
	hardlyAny    = 64 << 20
	slowSync     = 20 * time.Millisecond
	syncRounds   = 5
	maxSocket    = 100 // bytes of a socket's path that every system takes
	clockApart   = 2 * time.Second
	probePattern = ".reeve-doctor-*"
)

// dataChecks look at the data directory, or at where it would be made.
func dataChecks(ctx context.Context, dataDir string) []Check {
	place := existing(dataDir)
	checks := []Check{directoryCheck(dataDir, place), databaseCheck(ctx, dataDir)}
	probe, err := os.MkdirTemp(place, probePattern)
	if err != nil {
		return append(checks, check(SectionData, "data-write", "durable writes").
			missing("Reeve cannot keep anything here.", err.Error(), "Let this user write to "+place+", or choose another --data."), spaceCheck(place))
	}
	defer os.RemoveAll(probe)
	checks = append(checks, writeCheck(probe), spaceCheck(place))
	checks = append(checks, fileSystemChecks(probe)...)
	return append(checks, socketCheck(dataDir))
}

func directoryCheck(dataDir, place string) Check {
	c := check(SectionData, "data-directory", "data directory")
	if place != dataDir {
		return c.ok(fmt.Sprintf("%s does not exist yet; it is made in %s when the daemon starts, for this user only.", dataDir, place))
	}
	info, err := os.Stat(dataDir)
	if err != nil {
		return c.missing("The data directory cannot be read.", err.Error(), "Choose another --data.")
	}
	if !info.IsDir() {
		return c.missing("Reeve cannot keep anything here.", dataDir+" is not a directory", "Choose another --data.")
	}
	return privacy(c, dataDir, info)
}

// writeCheck does what the store does at each commit, and times it.
func writeCheck(dir string) Check {
	c := check(SectionData, "data-write", "durable writes")
	took, mtime, err := timeSyncs(filepath.Join(dir, "sync"))
	if err != nil {
		return c.missing("Reeve cannot keep anything here.", err.Error(), "Choose another --data on a local disk.")
	}
	meaning := fmt.Sprintf("A write is on the disk after %s (the middle of %d): what one commit costs, shared by all that happens meanwhile.", round(took), syncRounds)
	if apart := time.Since(mtime).Abs(); apart > clockApart {
		return c.limited(meaning, fmt.Sprintf("the file system's clock is %s away from this machine's", round(apart)), "Choose another --data on a local disk.")
	}
	if took > slowSync {
		return c.limited(meaning, "that is slow: each create waits for one of these", "Put --data on a local solid-state disk.")
	}
	return c.ok(meaning)
}

// timeSyncs returns the median time of a small append with its sync, and when
// the file system says the last one was.
func timeSyncs(path string) (took time.Duration, mtime time.Time, err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return 0, mtime, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	block := make([]byte, 4096)
	var all []time.Duration
	for range syncRounds {
		begin := time.Now()
		if _, err := f.Write(block); err != nil {
			return 0, mtime, err
		}
		if err := f.Sync(); err != nil {
			return 0, mtime, err
		}
		all = append(all, time.Since(begin))
	}
	info, err := f.Stat()
	if err != nil {
		return 0, mtime, err
	}
	slices.Sort(all)
	return all[len(all)/2], info.ModTime(), nil
}

func round(d time.Duration) time.Duration {
	if d > 10*time.Millisecond {
		return d.Round(time.Millisecond)
	}
	return d.Round(10 * time.Microsecond)
}

func spaceCheck(dir string) Check {
	c := check(SectionData, "data-space", "disk space")
	free, all, err := diskSpace(dir)
	if err != nil {
		return c.limited("How much space is left cannot be asked.", err.Error(), "")
	}
	meaning := fmt.Sprintf("%s of %s are free for this user.", size(free), size(all))
	const advice = "Free some space, or choose another --data; reeve prune removes old output and events."
	switch {
	case free < hardlyAny:
		return c.missing(meaning, "the disk is full: nothing more can be kept", advice)
	case free < littleSpace:
		return c.limited(meaning, "that is little for the output of jobs", advice)
	}
	return c.ok(meaning)
}

// size writes bytes as people read them.
func size(n uint64) string {
	units := []string{"bytes", "KiB", "MiB", "GiB", "TiB"}
	f, i := float64(n), 0
	for ; f >= 1024 && i < len(units)-1; i++ {
		f /= 1024
	}
	if i == 0 {
		return fmt.Sprintf("%d bytes", n)
	}
	return fmt.Sprintf("%.1f %s", f, units[i])
}

func socketCheck(dataDir string) Check {
	c := check(SectionData, "data-socket", "unix socket")
	path := filepath.Join(dataDir, "reeve.sock")
	if len(path) > maxSocket {
		return c.limited("The daemon's socket gets a short path elsewhere, recorded in the data directory.",
			fmt.Sprintf("a socket here would have a path of %d bytes, and %d is safe", len(path), maxSocket), "Choose a shorter --data if that is in the way.")
	}
	return c.ok("The daemon's socket is in the data directory, for this user only.")
}
