package settings

import (
	"runtime"
	"strconv"
	"strings"

	"github.com/reeverun/reeve/process"
)

// Setting is a row of the table.
type Setting struct {
	Name    string // the flag, and the key of the config file
	Value   string // what it accepts, for people
	Default string // as one would write it; empty: see Usage
	Usage   string // one sentence

	shape   shape
	path    bool          // relative values are resolved against their source
	implied func() string // a default that depends on the machine
	set     func(*Settings, string) error
}

type shape int

const (
	scalar  shape = iota
	boolean       // as a flag it needs no value
	list          // may be given again
	mapping       // entries NAME=VALUE; may be given again
)

// Variable is the name of the setting's variable.
func (t Setting) Variable() string {
	return "REEVE_" + strings.ToUpper(strings.ReplaceAll(t.Name, "-", "_"))
}

// Boolean reports whether the flag needs no value.
func (t Setting) Boolean() bool { return t.shape == boolean }

// Repeatable reports whether the flag may be given again.
func (t Setting) Repeatable() bool { return t.shape == list || t.combines() }

// Path reports whether its values are paths.
func (t Setting) Path() bool { return t.path }

func (t Setting) combines() bool { return t.shape == mapping }

// split takes a variable's or a default's value apart.
func (t Setting) split(v string) []string {
	if !t.Repeatable() {
		return []string{v}
	}
	parts := strings.Split(v, ",")
	for i := range parts {
		parts[i] = strings.TrimSpace(parts[i])
	}
	return parts
}

// Table returns every setting, in the order of documentation.
func Table() []Setting {
	return []Setting{
		{Name: "listen", Value: "ADDR|none", Default: "127.0.0.1:7338", set: setListen,
			Usage: "TCP address to serve on; none leaves the unix socket; beyond loopback a token must exist"},
		{Name: "data", Value: "DIR", path: true, set: text(func(s *Settings) *string { return &s.Data }),
			Usage: "data directory (default $XDG_DATA_HOME/reeve, else ~/.local/share/reeve)"},
		{Name: "config", Value: "FILE|none", path: true, set: func(*Settings, string) error { return nil },
			Usage: "config file (default $XDG_CONFIG_HOME/reeve/config.yaml, else ~/.config/reeve/config.yaml, if it exists)"},

		{Name: "environment", Value: "NAME", Default: environmentTypeScript, set: text(func(s *Settings) *string { return &s.Environment }),
			Usage: "environment of processes that name none"},
		{Name: "concurrency", Value: "ENV=N", implied: defaultConcurrency, shape: mapping, set: setConcurrency,
			Usage: "how many processes of an environment run at a time; none: no limit (default: command as many as CPUs, typescript 16 times that)"},
		{Name: "max-active", Value: "N", Default: "100000", set: count(func(s *Settings) *int { return &s.MaxActive }),
			Usage: "how many processes may be queued or running before new ones are refused (429); none: no limit"},
		{Name: "default-timeout", Value: "ENV=MS", Default: environmentTypeScript + "=30000", shape: mapping, set: setDefaultTimeout,
			Usage: "timeout of processes that name none, in milliseconds or as a duration; none: no limit"},
		{Name: "heartbeat", Value: "ENV=DURATION", Default: process.EnvAgent + "=2m", shape: mapping, set: setHeartbeat,
			Usage: "silence after which processes that name no heartbeat are said to have stalled; none: never"},
		{Name: "grace", Value: "DURATION", Default: "5s", set: duration(func(s *Settings) *dur { return &s.Grace }),
			Usage: "time between SIGTERM and SIGKILL"},
		{Name: "drain", Value: "DURATION", Default: "1s", set: duration(func(s *Settings) *dur { return &s.Drain }),
			Usage: "time that descendants of a command have after its exit"},
		{Name: "limit", Value: "WHAT=N", Default: "memory=128MiB,output=64MiB", shape: mapping, set: setLimit(func(s *Settings) *process.Limits { return &s.Limit }),
			Usage: "what a program may consume that names no limits: memory (of its heap) and output as sizes, cpu as a duration; none: no limit"},
		{Name: "limit-max", Value: "WHAT=N", Default: "memory=4GiB", shape: mapping, set: setLimit(func(s *Settings) *process.Limits { return &s.LimitMax }),
			Usage: "the most that a program may name as its limits; none: no limit"},

		{Name: "agent-model", Value: "MODEL", set: text(func(s *Settings) *string { return &s.AgentModel }),
			Usage: "model of agents that name none (default: they have to)"},
		{Name: "agent-price", Value: "MODEL=IN/CACHED/OUT", shape: mapping, set: setAgentPrice,
			Usage: "what a million tokens of a model cost, in US dollars, by the beginning of its name; without it the cost of a step is not known"},
		{Name: "agent-window", Value: "MODEL=TOKENS", shape: mapping, set: setAgentWindow,
			Usage: "how many tokens a model takes, by the beginning of its name (default 128000); a conversation that comes near it is summarised"},

		{Name: "tools", Value: "FILE|none", path: true, set: setTools,
			Usage: "file of the services whose tools programs can call, and of the policy (default: none; see docs/tools.md)"},
		{Name: "approval-life", Value: "DURATION", Default: "24h", set: setApprovalLife,
			Usage: "how long a tool call waits for a person's decision before it fails"},

		{Name: "raw-output", Value: "POLICY", Default: string(process.Persist), set: setRawOutput,
			Usage: "what is kept of output bytes: persist, persist-gzip, memory or disabled"},
		{Name: "log-dir", Value: "DIR", path: true, set: text(func(s *Settings) *string { return &s.LogDir }),
			Usage: "where output is kept (default logs in the data directory)"},
		{Name: "log-cap", Value: "SIZE", Default: "1GiB", set: size(func(s *Settings) *int64 { return &s.LogCap }),
			Usage: "how much of each output stream is kept on disk; beyond it the middle is dropped"},
		{Name: "memory-log-cap", Value: "SIZE", Default: "1MiB", set: size(func(s *Settings) *int64 { return &s.MemoryLogCap }),
			Usage: "the same for the policy memory"},
		{Name: "retention-events", Value: "DURATION|none", Default: "30d", set: retention(func(s *Settings) *dur { return &s.RetentionEvents }),
			Usage: "how long events are kept; none: for ever"},
		{Name: "retention-logs", Value: "DURATION|none", Default: "7d", set: retention(func(s *Settings) *dur { return &s.RetentionLogs }),
			Usage: "how long output is kept; none: for ever"},
		{Name: "pinned-tag", Value: "TAG", Default: "pinned", set: text(func(s *Settings) *string { return &s.PinnedTag }),
			Usage: "processes with this tag are exempt from retention"},
		{Name: "rules-dir", Value: "DIR", path: true, set: text(func(s *Settings) *string { return &s.RulesDir }),
			Usage: "folder of interpreter rule files (*.yaml)"},

		{Name: "max-body", Value: "SIZE", Default: "32MiB", set: size(func(s *Settings) *int64 { return &s.MaxBody }),
			Usage: "largest request body (413)"},
		{Name: "max-requests", Value: "N", Default: "1000", set: positive(func(s *Settings) *int { return &s.MaxRequests }),
			Usage: "how many requests are served at a time (429)"},
		{Name: "allow-host", Value: "NAME", shape: list, set: setAllowHost,
			Usage: "host name that requests may be addressed to, beside loopback and the listen address"},

		{Name: "stop-timeout", Value: "DURATION", Default: "30s", set: duration(func(s *Settings) *dur { return &s.StopTimeout }),
			Usage: "how long a stop may take before what still runs is killed"},
		{Name: "stop-jobs", Value: "BOOL", Default: "false", shape: boolean, set: setStopJobs,
			Usage: "end commands when the daemon is stopped, instead of leaving them to the keeper and the next daemon"},
		{Name: "keeper", Value: "BOOL", Default: strconv.FormatBool(runtime.GOOS == "linux"), shape: boolean, set: setKeeper,
			Usage: "have commands be the children of a small process of their own, which outlives the daemon (Linux)"},
		{Name: "drain-for", Value: "DURATION", Default: "10s", set: duration(func(s *Settings) *dur { return &s.DrainFor }),
			Usage: "how long serve --replace lets the programs and agents of the daemon that runs go on, before they are ended"},

		{Name: "log-level", Value: "LEVEL", Default: "info", set: setLogLevel,
			Usage: "what the daemon logs: debug, info, warn or error"},
		{Name: "log-format", Value: "FORMAT", Default: "text", set: setLogFormat,
			Usage: "how it logs, on standard error: text or json"},
		{Name: "otlp-endpoint", Value: "URL|none", set: setEndpoint,
			Usage: "where traces are sent, by OTLP over HTTP (default: as $OTEL_EXPORTER_OTLP_ENDPOINT says, else nowhere)"},
	}
}
