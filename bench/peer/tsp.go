package peer

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/reeverun/reeve/bench/lab"
	"github.com/reeverun/reeve/internal/peers"
)

// tsp is task-spooler. Its server is started by the first call there is; each
// job has a process of its own that waits for it.
type tsp struct {
	peers.Home
	path string
	ids  []string // of what was started
}

func openTaskSpooler(s *Set, ctx context.Context, dir string) (manager, error) {
	path, err := s.get("task-spooler", func() (string, error) {
		path, _, err := peers.TaskSpooler(ctx, s.installed())
		return path, err
	})
	if err != nil {
		return nil, err
	}
	// Its folder is among its arguments, so that its processes are known by it.
	own := filepath.Join(dir, "tsp")
	if err := os.Symlink(path, own); err != nil {
		return nil, err
	}
	t := &tsp{Home: peers.Home{Dir: dir, Env: []string{"TS_SOCKET=" + dir + "/sock", "TMPDIR=" + dir, "TS_MAXCONN=2000"}}, path: own}
	_, err = t.Call(ctx, t.path, "-S", "2")
	return t, err
}

// run has the client stay until the job is over.
func (t *tsp) run(ctx context.Context, argv ...string) error {
	_, err := t.CallFor(ctx, 10*peers.Patience, t.path, append([]string{"-f"}, argv...)...)
	return err
}

func (t *tsp) start(ctx context.Context, n int, argv ...string) error {
	if _, err := t.Call(ctx, t.path, "-S", strconv.Itoa(len(t.ids)+n)); err != nil {
		return err
	}
	for range n {
		out, err := t.Call(ctx, t.path, argv...)
		if err != nil {
			return err
		}
		t.ids = append(t.ids, strings.TrimSpace(out))
	}
	return peers.SoonEvery(time.Millisecond, func() error { // it has begun
		_, err := t.Call(ctx, t.path, "-p", t.ids[len(t.ids)-1])
		return err
	})
}

func (t *tsp) kill(ctx context.Context) error {
	var failed []error
	for _, id := range t.ids {
		_, err := t.Call(ctx, t.path, "-k", id)
		failed = append(failed, err)
	}
	for _, id := range t.ids {
		_, _ = t.Call(ctx, t.path, "-w", id) // which returns what the job did
	}
	t.ids = nil
	return errors.Join(failed...)
}

func (t *tsp) kept(context.Context) (int64, error) { return sizes(t.Dir + "/ts-out.*") }

func (t *tsp) forget() error {
	files, err := filepath.Glob(t.Dir + "/ts-out.*")
	for _, file := range files {
		err = errors.Join(err, os.Remove(file))
	}
	return err
}

func (t *tsp) pids() []int {
	return lab.Arguments(func(args []string) bool { return args[0] == t.path })
}

func (t *tsp) close() error {
	_, err := t.Call(context.Background(), t.path, "-K")
	for _, pid := range t.pids() {
		end(pid) // a client that waits for a job
	}
	return err
}
