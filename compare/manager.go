//go:build linux

package main

import (
	"context"

	"github.com/reeverun/reeve/internal/peers"
)

// manager is something that starts, stops and watches jobs. It lives in one
// folder.
type manager interface {
	// start brings the manager up; also again, after a crash, as its users do.
	start() error
	// pid is the process to kill for a crash; 0: it is not known.
	pid() int
	// submit starts a job: the system's shell with the script in a file.
	submit(file string) error
	// stop ends the job and returns when the manager says that it has.
	stop() error
	// output is what the job has written, as the manager keeps it.
	output() (string, error)
	// exit is what the manager says of the job's exit code, or "".
	exit() string
	// close ends the manager.
	close()
}

// home is the folder of a manager, and how its programs are called there.
type home struct{ peers.Home }

func newHome(dir string, env ...string) home { return home{peers.Home{Dir: dir, Env: env}} }

// call runs a program to its end and returns what it prints.
func (h home) call(name string, args ...string) (string, error) {
	return h.Call(context.Background(), name, args...)
}
