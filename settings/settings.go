// Package settings holds every runtime setting of the daemon. One table
// ([Table]) says what each is called, what it accepts, what it defaults to and
// what it is for; flags, variables, keys of the config file, help and
// documentation are made of it.
//
// A setting is taken from the first of these that has it: the flag --name, the
// variable REEVE_NAME, the key name of the config file, the default. Settings
// with entries (ENV=N) are combined, entry by entry, in that order; lists
// replace each other. Unknown keys and bad values are errors that name their
// source.
//
// The package also knows how the data directory is laid out ([DataDir]), as far
// as the daemon and its clients have to agree on it.
package settings

import (
	"log/slog"
	"path/filepath"
	"time"

	"github.com/reeverun/reeve/process"
)

// Settings are the values in force. Durations and sizes are what they say; see
// the table for what zero means.
type Settings struct {
	Listen string // host:port, or None
	Data   string // absolute
	Config string // the file that was read; empty: none

	// Recover and Replace (the daemon that runs) are asked for by flags only:
	// they are about this one start.
	Recover, Replace bool

	Environment    string
	Concurrency    map[string]int // 0: no limit
	MaxActive      int            // 0: no limit
	DefaultTimeout map[string]time.Duration
	Heartbeat      map[string]time.Duration // 0: none
	Grace          time.Duration
	Drain          time.Duration
	Limit          process.Limits // of programs that name none; 0: no limit
	LimitMax       process.Limits // the most that programs may name; 0: no limit

	AgentModel   string           // of agents that name none; empty: they have to
	AgentPrices  map[string]Price // by the beginning of a model's name
	AgentWindows map[string]int64 // likewise, in tokens

	Tools        string        // absolute; empty: no file
	ApprovalLife time.Duration // of an approval that nobody decides

	RawOutput       process.RawOutput
	LogDir          string // absolute; empty: logs in Data
	LogCap          int64
	MemoryLogCap    int64
	RetentionEvents time.Duration // negative: for ever
	RetentionLogs   time.Duration // negative: for ever
	PinnedTag       string
	RulesDir        string // absolute; empty: none

	MaxBody     int64
	MaxRequests int
	AllowHosts  []string

	StopTimeout time.Duration
	StopJobs    bool
	Keeper      bool
	DrainFor    time.Duration

	LogLevel     slog.Level
	LogFormat    string // "text" or "json"
	OTLPEndpoint string // a URL, or None; empty: as the OTEL_… variables say
}

// None is the value that turns a setting off.
const None = "none"

// Sources are where settings come from.
type Sources struct {
	Flags map[string][]string              // by the setting's name; what was given
	Env   func(name string) (string, bool) // as os.LookupEnv
	Dir   string                           // what relative paths of flags and variables are relative to
}

// Load puts the settings together. Its errors match process.ErrInvalid, except
// for a config file that cannot be read.
func Load(src Sources) (Settings, error) {
	s := Settings{Concurrency: map[string]int{}, DefaultTimeout: map[string]time.Duration{},
		Heartbeat: map[string]time.Duration{}, AgentPrices: map[string]Price{}, AgentWindows: map[string]int64{}}
	path, must := src.configFile()
	file, err := readFile(path, must)
	if err != nil {
		return Settings{}, err
	}
	for _, set := range Table() {
		if err := set.resolve(&s, src, file); err != nil {
			return Settings{}, err
		}
	}
	s.Config = file.path
	if s.Data == "" {
		if s.Data, err = DefaultData(src.Env); err != nil {
			return Settings{}, err
		}
	}
	return s, nil
}

// given is what one source says about one setting.
type given struct {
	source string   // for people: "--grace", "REEVE_GRACE", "grace in FILE, line 3"
	values []string // at least one
	dir    string   // of relative paths
}

// resolve applies a setting's sources, the weakest first.
func (t Setting) resolve(s *Settings, src Sources, file configFile) error {
	all := t.sources(src, file)
	if len(all) > 1 && !t.combines() {
		all = all[len(all)-1:]
	}
	for _, g := range all {
		for _, v := range g.values {
			if t.path && v != "" && v != None && !filepath.IsAbs(v) {
				v = filepath.Join(g.dir, v)
			}
			if err := t.set(s, v); err != nil {
				return &process.Error{Code: process.CodeInvalid, Field: g.source, Message: err.Error()}
			}
		}
	}
	return nil
}

// sources lists who names a setting, the weakest first.
func (t Setting) sources(src Sources, file configFile) (all []given) {
	weakest := t.Default
	if t.implied != nil {
		weakest = t.implied()
	}
	if weakest != "" {
		all = append(all, given{source: "default of " + t.Name, values: t.split(weakest)})
	}
	if g, ok := file.keys[t.Name]; ok {
		all = append(all, g)
	}
	if v := value(src.Env, t.Variable()); v != "" {
		all = append(all, given{source: t.Variable(), values: t.split(v), dir: src.Dir})
	}
	if v := src.Flags[t.Name]; len(v) > 0 {
		all = append(all, given{source: "--" + t.Name, values: v, dir: src.Dir})
	}
	return all
}

// value is a variable's value; empty if it is not set.
func value(env func(string) (string, bool), name string) string {
	if env == nil {
		return ""
	}
	v, _ := env(name)
	return v
}
