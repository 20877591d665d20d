package daemon

import (
	"encoding/json"
	"io"
	"log/slog"
	"os"

	"github.com/reeverun/reeve"
	"github.com/reeverun/reeve/api"
	"github.com/reeverun/reeve/process"
	"github.com/reeverun/reeve/settings"
	"github.com/reeverun/reeve/tool"
)

// Settings are settings.Settings, for those who only wire.
type Settings = settings.Settings

// Wiring is what a daemon is made of beside its settings.
type Wiring struct {
	// Environments are run beside "command" and "function"; nil: none. It is
	// called once, before the runtime is opened.
	Environments func(Parts) (map[string]reeve.Environment, error)
	Version      api.Version
	// Log is where it logs, line by line. Default: standard error.
	Log io.Writer
	// Signals starts to deliver the signals that stop it; the returned
	// function stops that. Default: SIGINT, SIGTERM and SIGHUP.
	Signals func() (<-chan os.Signal, func())
}

// Parts are what a daemon has for its environments.
type Parts struct {
	Settings Settings
	Tools    *tool.Registry // not started yet
	// Spec makes a Spec of the body by which a running program asks for a
	// child process; see server.Children.
	Spec   func(body json.RawMessage) (process.Spec, error)
	Logger *slog.Logger
}
