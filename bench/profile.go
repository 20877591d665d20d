package main

import (
	"errors"
	"os"
	"path/filepath"
	"runtime/pprof"

	"github.com/reeverun/reeve/bench/lab"
)

// profiled runs what is measured under the name of a row and, where profiles
// are asked for, has one written of this process, in which runtimes are
// embedded, and one of each daemon.
func profiled[R any](l *lab.Lab, o options, id string, run func() (R, error)) (r R, err error) {
	if o.profile == "" {
		return run()
	}
	folder, err := filepath.Abs(o.profile)
	if err == nil {
		err = os.MkdirAll(folder, 0o755)
	}
	if err != nil {
		return r, err
	}
	f, err := os.Create(filepath.Join(folder, id+"-bench.pprof"))
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if err := pprof.StartCPUProfile(f); err != nil {
		return r, err
	}
	defer pprof.StopCPUProfile()
	l.Profile = filepath.Join(folder, id+"-daemon")
	return run()
}
