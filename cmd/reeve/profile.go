//go:build reeve_profile && unix

package main

import (
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"runtime/pprof"
	"strconv"
	"syscall"
)

// A daemon built with the tag reeve_profile writes what its processor time goes
// to into the file REEVE_PROFILE-PID.pprof, from its start to a SIGUSR2, and
// what it then holds in memory into REEVE_PROFILE-PID.heap.pprof. The benchmarks
// build it so when they are asked for profiles; no release is.
func init() {
	prefix := os.Getenv("REEVE_PROFILE")
	if prefix == "" || len(os.Args) < 2 || os.Args[1] != "serve" {
		return
	}
	path := prefix + "-" + strconv.Itoa(os.Getpid()) + ".pprof"
	f, err := os.Create(path + ".part")
	if err == nil {
		err = pprof.StartCPUProfile(f)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "reeve: no profile:", err)
		return
	}
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, syscall.SIGUSR2)
	go func() {
		<-stop
		if heap, err := os.Create(prefix + "-" + strconv.Itoa(os.Getpid()) + ".heap.pprof"); err == nil {
			runtime.GC()
			_ = pprof.WriteHeapProfile(heap)
			_ = heap.Close()
		}
		pprof.StopCPUProfile()
		if err := f.Close(); err == nil {
			_ = os.Rename(f.Name(), path)
		}
	}()
}
