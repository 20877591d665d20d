//go:build linux

package main

import (
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"strings"
)

// pm2 is the process manager of Node.
type pm2 struct {
	home
	path    string
	started bool
}

func newPM2(path, dir string) manager {
	return &pm2{home: newHome(dir, "PM2_HOME="+dir, "HOME="+dir), path: path}
}

// start brings the daemon up, and what was saved before a crash, which is what
// its own startup script does.
func (p *pm2) start() error {
	if err := os.MkdirAll(p.Dir, 0o700); err != nil {
		return err
	}
	args := []string{"ping"}
	if p.started {
		args = []string{"resurrect"}
	}
	p.started = true
	_, err := p.call(p.path, args...)
	return err
}

// pid is 0 where it is not known.
func (p *pm2) pid() int {
	text, err := os.ReadFile(p.Dir + "/pm2.pid")
	if err != nil {
		return 0
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		return 0
	}
	return pid
}

func (p *pm2) submit(file string) error {
	_, err := p.call(p.path, "start", "/bin/sh", "--name", "job", "--interpreter", "none", "--no-autorestart",
		"--kill-timeout", fmt.Sprint(grace.Milliseconds()), "--", file)
	if err != nil {
		return err
	}
	_, err = p.call(p.path, "save")
	return err
}

func (p *pm2) stop() error { _, err := p.call(p.path, "stop", "job"); return err }

func (p *pm2) output() (string, error) {
	out, err := os.ReadFile(p.Dir + "/logs/job-out.log")
	return string(out), err
}

func (p *pm2) exit() string {
	out, err := p.call(p.path, "jlist")
	if err != nil {
		return ""
	}
	var list []struct {
		Env struct {
			ExitCode *int `json:"exit_code"`
		} `json:"pm2_env"`
	}
	at := strings.Index(out, "[")
	if at < 0 || json.Unmarshal([]byte(out[at:]), &list) != nil || len(list) == 0 || list[0].Env.ExitCode == nil {
		return ""
	}
	return fmt.Sprint(*list[0].Env.ExitCode)
}

func (p *pm2) close() {
	if !p.started {
		return
	}
	pid := p.pid()
	if _, err := p.call(p.path, "kill"); err != nil {
		_ = killOne(pid)
	}
}
