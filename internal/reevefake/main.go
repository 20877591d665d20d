// Command reevefake is reeve for black-box tests: the same program, with the
// scriptable environments of package envfake under the names "fake",
// "typescript" and "agent".
package main

import (
	"os"
	"os/signal"
	"syscall"

	"github.com/reeverun/reeve/cli"
	"github.com/reeverun/reeve/daemon"
	"github.com/reeverun/reeve/env"
	"github.com/reeverun/reeve/env/envfake"
)

func main() {
	built := daemon.BuildVersion("fake", "")
	os.Exit(cli.Main(cli.App{
		Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
		Env: os.LookupEnv, Environ: os.Environ, Dir: os.Getwd, Executable: os.Executable,
		Signals: interrupts, Version: built,
		Serve: daemon.Server(daemon.Wiring{Version: built, Environments: environments}),
	}, os.Args[1:]))
}

func environments(daemon.Parts) (map[string]env.Environment, error) {
	return map[string]env.Environment{"fake": &envfake.Env{}, "typescript": &envfake.Env{}, "agent": &envfake.Agent{}}, nil
}

func interrupts() (<-chan os.Signal, func()) {
	c := make(chan os.Signal, 2)
	signal.Notify(c, os.Interrupt, syscall.SIGTERM)
	return c, func() { signal.Stop(c) }
}
