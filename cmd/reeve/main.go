// Command reeve is the daemon and its command line in one program; see
// "reeve help". This file only wires: the world to package cli, and package
// daemon to "reeve serve".
package main

import (
	"os"
	"os/signal"
	"syscall"

	"github.com/reeverun/reeve/cli"
	"github.com/reeverun/reeve/daemon"
	"github.com/reeverun/reeve/doctor"
	_ "github.com/reeverun/reeve/keeper/remote" // this program is its own keeper
)

// Stamped by the linker: -ldflags "-X main.version=v1.2.3 -X main.commit=…".
var version, commit string

func main() {
	workers()
	os.Exit(cli.Main(app(), os.Args[1:]))
}

func app() cli.App {
	built := daemon.BuildVersion(version, commit)
	built.Engines = engineNames()
	return cli.App{
		Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
		Env: os.LookupEnv, Environ: os.Environ, Dir: os.Getwd, Executable: os.Executable,
		Signals: interrupts, Version: built, Checks: []doctor.Extra{checkTypeScript},
		Serve: daemon.Server(daemon.Wiring{Version: built, Environments: environments}),
	}
}

// interrupts delivers what asks a client command to end.
func interrupts() (<-chan os.Signal, func()) {
	c := make(chan os.Signal, 2)
	signal.Notify(c, os.Interrupt, syscall.SIGTERM)
	return c, func() { signal.Stop(c) }
}
