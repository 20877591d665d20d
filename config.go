package reeve

import (
	"cmp"
	"context"
	"log/slog"
	"path/filepath"
	"runtime"
	"time"

	"github.com/reeverun/reeve/env/function"
	"github.com/reeverun/reeve/keeper"
	"github.com/reeverun/reeve/process"
)

// Config says how a runtime works. The zero Config runs in memory and writes no
// file. Zero fields take the defaults given here.
type Config struct {
	// Dir is the data directory: database, logs, key and owner lock. Empty:
	// everything is in memory.
	Dir string
	// Database is the SQLite file. Default: reeve.db in Dir.
	Database string
	// LogDir holds the output files, <LogDir>/<id>/<run>.stdout and .stderr.
	// Default: logs in Dir.
	LogDir string

	// Recover has a damaged database replaced by a new one with what can be
	// read of it. The damaged one is kept beside it. Default: Open fails with
	// a store.Unavailable, and nothing is touched.
	Recover bool

	// RawOutput is the policy of processes that name none. Default: Persist,
	// or MemoryOnly without a LogDir.
	RawOutput RawOutput
	// LogCap bounds each stream's file; head and tail are kept. Default 1 GiB.
	LogCap int64
	// MemoryLogCap does so for MemoryOnly. Default 1 MiB.
	MemoryLogCap int64
	// Retention removes old events and logs.
	Retention Retention

	// Concurrency is how many commands run at a time. Default: CPU count.
	Concurrency int
	// Slots is the same for other environments. Default: no limit.
	Slots map[string]int
	// MaxActive bounds the processes that are not idle. Default: no limit.
	MaxActive int
	// Grace is the time between SIGTERM and SIGKILL. Default 5 s.
	Grace time.Duration
	// Drain is the time descendants have after their leader's exit. Default 1 s.
	Drain time.Duration
	// DefaultTimeout is, by environment, the timeout of processes that name
	// none. Default: none.
	DefaultTimeout map[string]time.Duration
	// Heartbeat is, by environment, the silence after which processes that
	// name no heartbeat are said to have stalled. Default: none.
	Heartbeat map[string]time.Duration
	// MaxTree bounds how many processes of one tree are alive, or not waited
	// for, while a program starts children by itself. Default 256.
	MaxTree int
	// Tools are what programs may call. Default: none.
	Tools Tools
	// ToolTimeout bounds each call of a tool. Default: the run's timeout does.
	ToolTimeout time.Duration
	// ApprovalLife is how long a call waits for a person's decision before it
	// fails; the run's clock stands still meanwhile. Default 24 h.
	ApprovalLife time.Duration
	// SubscriberBuffer is how many events a subscriber may fall behind before
	// it is told that it lags. Default 4096.
	SubscriberBuffer int

	// Functions can be run by name, also by a runtime opened later.
	Functions map[string]func(context.Context, *FuncCall) error
	// Environments are run beside "command", "function" and "supervisor".
	Environments map[string]Environment
	// Interpreters can be named by processes, beside the built-in ones.
	Interpreters map[string]func() Interpreter
	// RulesDir holds rule files (*.yaml), each an interpreter.
	RulesDir string

	// Spawner starts commands. Default: in this process, by the strongest
	// tier of tree control the machine gives. It stays the caller's to close.
	Spawner keeper.Spawner
	// Keep, with a Dir, opens a spawner whose commands go on when the runtime
	// is closed or dies, and which the next one takes up: see package
	// keeper/remote. It is called when Dir is this runtime's, which closes the
	// spawner in the end. If it returns neither a spawner nor an error, there
	// is the default one. Default: commands end with the runtime.
	Keep func(context.Context) (keeper.Lasting, error)
	// EndRunning has Close end commands that could go on without the runtime.
	EndRunning bool
	// Tier forces a tier of the default Spawner. Default: the strongest.
	Tier keeper.Tier
	// NoProcessGroup (Unix) leaves commands in this program's process group,
	// so that the terminal's Ctrl-C reaches them.
	NoProcessGroup bool
	// ShowWindows (Windows) lets commands open console windows, as if each
	// had HideWindow(false).
	ShowWindows bool

	// UserAgent is how it introduces itself to who is notified. Default "reeve".
	UserAgent string
	// Private are folders, beside Dir and LogDir, that no confined or sandboxed
	// command may work in, nor in what holds them: where sockets are, say.
	Private []string

	// Observe is called when a process was created and when a run of it started,
	// stalled or finished, each after its commit. It must not block, and not change
	// the record. The context is Spawn's when a process was created.
	Observe func(context.Context, Moment, *Process)
	// Logger hears what no caller can be told. Default: none.
	Logger *slog.Logger
}

// withDefaults resolves paths and defaults.
func (c Config) withDefaults() Config {
	if c.Dir == "" && c.Database != "" {
		c.Dir = filepath.Dir(c.Database)
	}
	if c.Dir != "" {
		c.Database = cmp.Or(c.Database, filepath.Join(c.Dir, "reeve.db"))
		c.LogDir = cmp.Or(c.LogDir, filepath.Join(c.Dir, "logs"))
	}
	if c.RawOutput == "" {
		c.RawOutput = process.Persist
		if c.LogDir == "" {
			c.RawOutput = process.MemoryOnly
		}
	}
	if c.Concurrency <= 0 {
		c.Concurrency = runtime.NumCPU()
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	return c
}

// durable reports whether records survive the runtime.
func (c *Config) durable() bool { return c.Dir != "" }

func (c *Config) functions() map[string]function.Func {
	named := make(map[string]function.Func, len(c.Functions))
	for name, fn := range c.Functions {
		named[name] = fn
	}
	return named
}

// private are the folders that are the runtime's alone.
func (c *Config) private() []string {
	all := append([]string{}, c.Private...)
	if c.durable() {
		all = append(all, c.Dir, c.Database)
	}
	if c.LogDir != "" {
		all = append(all, c.LogDir)
	}
	return all
}
