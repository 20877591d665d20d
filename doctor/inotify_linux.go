package doctor

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// Reeve needs one instance, and a watch for each file that is being written.
const (
	fewInstances = 8
	fewWatches   = 1024
)

const inotifyLoss = "New output is then looked for by polling, which is slower to notice and costs a little CPU."

func inotifyCheck(dataDir string) Check {
	c := check(SectionSystem, "inotify", "inotify")
	const advice = "Raise sysctl fs.inotify.max_user_instances and fs.inotify.max_user_watches."
	err := tryInotify(existing(dataDir))
	if errors.Is(err, unix.EACCES) { // that is told with the data directory
		err = tryInotify("/")
	}
	if err != nil {
		return c.missing("File changes cannot be watched. "+inotifyLoss, "no "+err.Error(), advice)
	}
	maxInstances, maxWatches := readNumber("/proc/sys/fs/inotify/max_user_instances"), readNumber("/proc/sys/fs/inotify/max_user_watches")
	instances, watches := inotifyInUse()
	meaning := fmt.Sprintf("This user has %d of %d instances and %d of %d watches in use, as far as can be seen.", instances, maxInstances, watches, maxWatches)
	if maxInstances-instances < fewInstances || maxWatches-watches < fewWatches {
		return c.limited(meaning, "few are left. "+inotifyLoss, advice)
	}
	return c.ok(meaning)
}

func tryInotify(dir string) error {
	fd, err := unix.InotifyInit1(unix.IN_CLOEXEC | unix.IN_NONBLOCK)
	if err != nil {
		return fmt.Errorf("instance: %w", err)
	}
	defer unix.Close(fd)
	if _, err := unix.InotifyAddWatch(fd, dir, unix.IN_MODIFY); err != nil {
		return fmt.Errorf("watch on %s: %w", dir, err)
	}
	return nil
}

// inotifyInUse counts what the processes of this user hold.
func inotifyInUse() (instances, watches int64) {
	links, _ := filepath.Glob("/proc/[0-9]*/fd/*")
	mine := map[string]bool{} // by process folder
	for _, link := range links {
		if target, err := os.Readlink(link); err != nil || target != "anon_inode:inotify" {
			continue
		}
		proc := filepath.Dir(filepath.Dir(link))
		own, seen := mine[proc]
		if !seen {
			own = ownedBy(proc, os.Geteuid())
			mine[proc] = own
		}
		if !own {
			continue
		}
		instances++
		info, _ := os.ReadFile(filepath.Join(proc, "fdinfo", filepath.Base(link)))
		watches += int64(strings.Count("\n"+string(info), "\ninotify "))
	}
	return instances, watches
}

func ownedBy(path string, uid int) bool {
	var st unix.Stat_t
	return unix.Stat(path, &st) == nil && int(st.Uid) == uid
}
