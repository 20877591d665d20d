package peer

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/reeverun/reeve/bench/lab"
)

// pm2 is the process manager of Node, driven by a Node that has its API.
type pm2 struct {
	*talker
	dir    string
	daemon int
}

func openPM2(s *Set, ctx context.Context, dir string) (manager, error) {
	root, err := s.npm(ctx, "pm2")
	if err != nil {
		return nil, err
	}
	cmd := exec.Command("node", filepath.Join(root, "run.js"))
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "PM2_HOME="+dir, "HOME="+dir)
	t, err := talk(cmd)
	if err != nil {
		return nil, err
	}
	var d struct{ PID int }
	if err := t.ask(ctx, map[string]any{"daemon": true}, &d); err != nil {
		_ = t.close()
		return nil, err
	}
	return &pm2{t, dir, d.PID}, nil
}

func (p *pm2) run(ctx context.Context, argv ...string) error {
	var end struct{ Code int }
	err := p.ask(ctx, map[string]any{"run": found(argv)}, &end)
	if err == nil && end.Code != 0 {
		err = fmt.Errorf("%q ended with %d", argv, end.Code)
	}
	return err
}

// found has the program's path in place of its name: pm2 does not look for it.
func found(argv []string) []string {
	path, err := exec.LookPath(argv[0])
	if err != nil {
		return argv
	}
	return append([]string{path}, argv[1:]...)
}

func (p *pm2) start(ctx context.Context, n int, argv ...string) error {
	return p.ask(ctx, map[string]any{"start": found(argv), "n": n}, &struct{}{})
}

func (p *pm2) kill(ctx context.Context) error {
	return p.ask(ctx, map[string]any{"kill": true}, &struct{}{})
}

func (p *pm2) kept(context.Context) (int64, error) { return size(p.dir + "/out"), nil }

func (p *pm2) forget() error { return os.Truncate(p.dir+"/out", 0) }

func (p *pm2) pids() []int { return []int{p.daemon} }

// close ends the daemon, too, where the driver could not.
func (p *pm2) close() error {
	err := p.talker.close()
	for _, pid := range lab.Arguments(func(args []string) bool {
		return strings.Contains(args[0], "God Daemon ("+p.dir+")")
	}) {
		end(pid)
	}
	return err
}
