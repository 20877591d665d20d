//go:build linux

package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"

	"github.com/reeverun/reeve/internal/peers"
)

// supervisor is supervisord, driven by supervisorctl.
type supervisor struct {
	home
	root   string
	group  bool // stopasgroup and killasgroup, which are off by default
	server *peers.Server
}

func newSupervisor(root, dir string) manager {
	return &supervisor{home: newHome(dir, peers.SupervisorEnv(root)...), root: root}
}

func newSupervisorGroup(root, dir string) manager {
	s := newSupervisor(root, dir).(*supervisor)
	s.group = true
	return s
}

func (s *supervisor) program(name string) string { return filepath.Join(s.root, "usr/bin", name) }

const supervisorConfig = `[unix_http_server]
file=%[1]s/sock
[supervisord]
logfile=%[1]s/supervisord.log
pidfile=%[1]s/pid
childlogdir=%[1]s
[rpcinterface:supervisor]
supervisor.rpcinterface_factory = supervisor.rpcinterface:make_main_rpcinterface
[supervisorctl]
serverurl=unix://%[1]s/sock
[include]
files = %[1]s/job.conf
`

func (s *supervisor) start() (err error) {
	if err := os.MkdirAll(s.Dir, 0o700); err != nil {
		return err
	}
	if err := os.WriteFile(s.Dir+"/conf", fmt.Appendf(nil, supervisorConfig, s.Dir), 0o600); err != nil {
		return err
	}
	if s.server, err = s.Serve("python3", "-W", "ignore", s.program("supervisord"), "-n", "-c", s.Dir+"/conf"); err != nil {
		return err
	}
	return peers.Soon(func() error { _, err := s.ask("pid"); return err })
}

func (s *supervisor) ask(args ...string) (string, error) {
	return s.call("python3", append([]string{"-W", "ignore", s.program("supervisorctl"), "-c", s.Dir + "/conf"}, args...)...)
}

func (s *supervisor) pid() int { return s.server.PID() }

func (s *supervisor) submit(file string) error {
	job := fmt.Sprintf("[program:job]\ncommand=sh %s\nstartsecs=0\nautorestart=false\nstopwaitsecs=%d\nstdout_logfile=%s/out\nstopasgroup=%t\nkillasgroup=%[4]t\n",
		file, int(grace.Seconds()), s.Dir, s.group)
	if err := os.WriteFile(s.Dir+"/job.conf", []byte(job), 0o600); err != nil {
		return err
	}
	_, err := s.ask("update")
	return err
}

func (s *supervisor) stop() error { _, err := s.ask("stop", "job"); return err }

func (s *supervisor) output() (string, error) {
	out, err := os.ReadFile(s.Dir + "/out")
	return string(out), err
}

var supervisorExit = regexp.MustCompile(`exited: job \(exit status (\d+)`)

func (s *supervisor) exit() string {
	log, err := os.ReadFile(s.Dir + "/supervisord.log")
	if all := supervisorExit.FindAllSubmatch(log, -1); err == nil && len(all) > 0 {
		return string(all[len(all)-1][1])
	}
	return ""
}

func (s *supervisor) close() {
	if s.server == nil {
		return
	}
	_, err := s.ask("shutdown")
	s.server.End()
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		fmt.Fprintln(os.Stderr, "supervisor did not shut down by itself")
	}
}
