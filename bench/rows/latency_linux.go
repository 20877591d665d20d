package rows

import (
	"bufio"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"

	"golang.org/x/sys/unix"

	"github.com/reeverun/reeve/bench/lab"
)

// noticedAfter is how long a line takes from a child's write into a file to
// who watches the file by inotify and reads it.
func noticedAfter(ctx context.Context, l *lab.Lab, n int) (float64, error) {
	dir, err := l.Scratch()
	if err != nil {
		return 0, err
	}
	f, err := os.Create(filepath.Join(dir, "lines"))
	if err != nil {
		return 0, err
	}
	defer f.Close()
	watch, err := watched(f.Name())
	if err != nil {
		return 0, err
	}
	defer watch.Close()
	cmd := exec.CommandContext(ctx, l.Child, "clock", strconv.Itoa(n), clockEvery.String())
	cmd.Stdout = f
	from := time.Now()
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	figure, err := waysOf(n, from, func(seen func([]byte)) error { return tail(watch, f.Name(), n, seen) })
	return figure, errors.Join(err, cmd.Wait())
}

func watched(path string) (*os.File, error) {
	fd, err := unix.InotifyInit1(unix.IN_NONBLOCK | unix.IN_CLOEXEC)
	if err != nil {
		return nil, err
	}
	watch := os.NewFile(uintptr(fd), "inotify")
	if _, err := unix.InotifyAddWatch(fd, path, unix.IN_MODIFY); err != nil {
		return nil, errors.Join(err, watch.Close())
	}
	return watch, nil
}

// tail reads n lines of a file, each time that it is said to have grown.
func tail(watch *os.File, path string, n int, seen func([]byte)) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := watch.SetReadDeadline(time.Now().Add(time.Minute)); err != nil {
		return err
	}
	news := make([]byte, 4096)
	for n > 0 {
		if _, err := watch.Read(news); err != nil {
			return err
		}
		lines := bufio.NewScanner(f)
		for lines.Scan() {
			seen(lines.Bytes())
			n--
		}
		if lines.Err() != nil {
			return lines.Err()
		}
	}
	return nil
}
