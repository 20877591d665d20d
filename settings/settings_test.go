package settings

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"testing"
	"time"

	"github.com/reeverun/reeve/process"
)

// sources makes Sources of a config file's text, variables and flags.
func sources(t *testing.T, file string, env map[string]string, flags map[string][]string) Sources {
	t.Helper()
	dir := t.TempDir()
	src := Sources{Flags: map[string][]string{}, Dir: dir, Env: func(name string) (string, bool) {
		v, ok := env[name]
		return v, ok
	}}
	for k, v := range flags {
		src.Flags[k] = v
	}
	if env == nil {
		env = map[string]string{}
	}
	if env["HOME"] == "" {
		env["HOME"] = filepath.Join(dir, "home")
	}
	if file != "" {
		if err := os.WriteFile(filepath.Join(dir, "reeve.yaml"), []byte(file), 0o600); err != nil {
			t.Fatal(err)
		}
		src.Flags["config"] = []string{"reeve.yaml"}
	}
	return src
}

func load(t *testing.T, src Sources) Settings {
	t.Helper()
	s, err := Load(src)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestDefaults(t *testing.T) {
	src := sources(t, "", nil, nil)
	s := load(t, src)
	want := map[string]any{
		"127.0.0.1:7338": s.Listen, filepath.Join(src.Dir, "home", ".local", "share", "reeve"): s.Data,
		"typescript": s.Environment, "30s": s.DefaultTimeout["typescript"], "0s": s.DefaultTimeout["command"],
		"5s": s.Grace, "1s": s.Drain, "1073741824": s.LogCap, "1048576": s.MemoryLogCap, "33554432": s.MaxBody,
		"1000": s.MaxRequests, "720h0m0s": s.RetentionEvents, "168h0m0s": s.RetentionLogs, "pinned": s.PinnedTag,
		"persist": s.RawOutput, "INFO": s.LogLevel, "text": s.LogFormat, "[]": s.AllowHosts, "false": s.StopJobs,
		"{134217728 0 0 67108864 0}": s.Limit, "{4294967296 0 0 0 0}": s.LimitMax, "": s.Tools, "24h0m0s": s.ApprovalLife,
		"map[agent:2m0s]": s.Heartbeat,
	}
	for w, got := range want {
		if fmt.Sprint(got) != w {
			t.Errorf("got %v, want %s", got, w)
		}
	}
	if s.Concurrency["command"] < 1 || s.Concurrency["typescript"] <= s.Concurrency["command"] {
		t.Errorf("concurrency %v", s.Concurrency)
	}
}

// Each setting obeys flag over variable over file over default.
func TestPrecedence(t *testing.T) {
	const file, env, flag = "grace: 2s\n", "3s", "4s"
	for _, c := range []struct {
		file, env, flag string
		want            time.Duration
	}{
		{"", "", "", 5 * time.Second}, {file, "", "", 2 * time.Second},
		{file, env, "", 3 * time.Second}, {file, env, flag, 4 * time.Second}, {"", "", flag, 4 * time.Second},
	} {
		flags := map[string][]string{}
		if c.flag != "" {
			flags["grace"] = []string{c.flag}
		}
		if s := load(t, sources(t, c.file, map[string]string{"REEVE_GRACE": c.env}, flags)); s.Grace != c.want {
			t.Errorf("%+v: got %v", c, s.Grace)
		}
	}
}

// Every row of the table can be given by each of its sources, and changes what
// is in force.
func TestEverySettingHasThreeSources(t *testing.T) {
	other := map[string]string{
		"listen": "none", "data": "/elsewhere", "environment": "command", "concurrency": "command=77", "max-active": "7",
		"default-timeout": "command=1500", "grace": "7s", "drain": "7s", "raw-output": "memory", "log-dir": "/logs",
		"log-cap": "7MiB", "memory-log-cap": "7KiB", "retention-events": "7d", "retention-logs": "none",
		"pinned-tag": "keep", "rules-dir": "/rules", "max-body": "7MB", "max-requests": "7", "allow-host": "a.example",
		"stop-timeout": "7s", "drain-for": "7s", "log-level": "debug", "log-format": "json", "otlp-endpoint": "http://127.0.0.1:4318",
		"heartbeat": "command=7s", "limit": "cpu=7s", "limit-max": "memory=7GiB", "tools": "/tools.yaml", "approval-life": "7h",
		"agent-model": "m", "agent-price": "m=1/0.1/7", "agent-window": "m=7000",
		"stop-jobs": "true", "keeper": strconv.FormatBool(runtime.GOOS != "linux"),
	}
	for _, set := range Table() {
		if set.Name == "config" {
			continue // it is the file itself
		}
		v, ok := other[set.Name]
		if !ok {
			t.Errorf("%s: this test has no value for it", set.Name)
			continue
		}
		without := fmt.Sprintf("%+v", load(t, sources(t, "", map[string]string{"HOME": "/h"}, nil)))
		var with []string
		for _, src := range []Sources{
			sources(t, "", map[string]string{"HOME": "/h"}, map[string][]string{set.Name: {v}}),
			sources(t, "", map[string]string{"HOME": "/h", set.Variable(): v}, nil),
			sources(t, set.Name+": "+v+"\n", map[string]string{"HOME": "/h"}, nil),
		} {
			s := load(t, src)
			s.Config = ""
			with = append(with, fmt.Sprintf("%+v", s))
		}
		if with[0] == without || with[1] != with[0] || with[2] != with[0] {
			t.Errorf("%s: default %s\nflag %s\nvariable %s\nfile %s", set.Name, without, with[0], with[1], with[2])
		}
	}
}

func TestEntriesOfEnvironmentsAreCombinedAndListsReplaced(t *testing.T) {
	file := "concurrency:\n  command: 2\n  agent: 3\n  typescript: 5\ndefault-timeout: {agent: 60000, command: null}\nheartbeat: {command: 90s, agent: null}\nallow-host: [a.example, b.example]\n"
	s := load(t, sources(t, file,
		map[string]string{"REEVE_CONCURRENCY": "agent=4, typescript=none", "REEVE_ALLOW_HOST": "c.example,d.example"},
		map[string][]string{"concurrency": {"command=9"}, "default-timeout": {"typescript=none"}}))
	if got := fmt.Sprint(s.Concurrency); got != "map[agent:4 command:9 typescript:0]" {
		t.Error(got)
	}
	if got := fmt.Sprint(s.DefaultTimeout); got != "map[agent:1m0s command:0s typescript:0s]" {
		t.Error(got)
	}
	if got := fmt.Sprint(s.Heartbeat); got != "map[agent:0s command:1m30s]" {
		t.Error(got)
	}
	if got := fmt.Sprint(s.AllowHosts); got != "[c.example d.example]" {
		t.Error(got)
	}
}

func TestLimits(t *testing.T) {
	s := load(t, sources(t, "limit: {memory: 256MiB, cpu: 10s}\nlimit-max: {cpu: 1m, output: null}\n",
		map[string]string{"REEVE_LIMIT": "output=none,cpu=1500ms"}, map[string][]string{"limit-max": {"memory=1GiB"}}))
	if want := (process.Limits{MemoryBytes: 256 << 20, CPUMS: 1500}); s.Limit != want {
		t.Errorf("%+v", s.Limit)
	}
	if want := (process.Limits{MemoryBytes: 1 << 30, CPUMS: 60_000}); s.LimitMax != want {
		t.Errorf("%+v", s.LimitMax)
	}
}

func TestNoneIsNoToolFile(t *testing.T) {
	src := sources(t, "tools: tools.yaml\n", nil, nil)
	if s := load(t, src); s.Tools != filepath.Join(src.Dir, "tools.yaml") {
		t.Error(s.Tools)
	}
	src.Flags["tools"] = []string{None}
	if s := load(t, src); s.Tools != "" {
		t.Error(s.Tools)
	}
}

func TestPathsAreRelativeToWhereTheyAreWritten(t *testing.T) {
	src := sources(t, "", nil, map[string][]string{"data": {"d"}, "config": {"conf/reeve.yaml"}})
	if err := os.Mkdir(filepath.Join(src.Dir, "conf"), 0o700); err != nil {
		t.Fatal(err)
	}
	config := filepath.Join(src.Dir, "conf", "reeve.yaml")
	if err := os.WriteFile(config, []byte("rules-dir: rules\nlog-dir: /abs\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := load(t, src)
	if s.Data != filepath.Join(src.Dir, "d") || s.RulesDir != filepath.Join(src.Dir, "conf", "rules") || s.LogDir != "/abs" || s.Config != config {
		t.Errorf("%+v", s)
	}
}

func TestDefaultConfigFileIsReadIfThereIsOne(t *testing.T) {
	src := sources(t, "", nil, nil)
	home, _ := src.Env("HOME")
	dir := filepath.Join(home, ".config", "reeve")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "config.yaml"), []byte("# nothing but\ngrace: 9s\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if s := load(t, src); s.Grace != 9*time.Second {
		t.Error("it was not read")
	}
	src.Flags["config"] = []string{None}
	if s := load(t, src); s.Grace != 5*time.Second || s.Config != "" {
		t.Error("it was read in spite of none")
	}
	src.Flags["config"] = []string{"missing.yaml"}
	if _, err := Load(src); !errors.Is(err, os.ErrNotExist) {
		t.Error("a named file that is missing:", err)
	}
}

func TestUnits(t *testing.T) {
	for text, want := range map[string]int64{"1": 1, "1024": 1024, "1k": 1024, "1KiB": 1024, "1kb": 1000, "1.5 MiB": 3 << 19, "2G": 2 << 30, "1TB": 1e12} {
		if got, err := ParseSize(text); got != want || err != nil {
			t.Errorf("%s: %d, %v", text, got, err)
		}
	}
	for text, want := range map[string]time.Duration{"30d": 720 * time.Hour, "0.5d": 12 * time.Hour, "1h30m": 90 * time.Minute, "0": 0} {
		if got, err := ParseDuration(text); got != want || err != nil {
			t.Errorf("%s: %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "d", "NaNd", "Infd", "-1d", "5"} {
		if got, err := ParseDuration(text); err == nil {
			t.Errorf("%q: %v", text, got)
		}
	}
	for _, text := range []string{"", "-1", "1e3", ".", "1 2", "0", "MiB"} {
		if got, err := ParseSize(text); err == nil {
			t.Errorf("%q: %v", text, got)
		}
	}
}

func TestLogLevels(t *testing.T) {
	for text, want := range map[string]slog.Level{"debug": -4, "info": 0, "warn": 4, "error": 8} {
		if s := load(t, sources(t, "", nil, map[string][]string{"log-level": {text}})); s.LogLevel != want {
			t.Errorf("%s: %v", text, s.LogLevel)
		}
	}
}
