package settings

import (
	"errors"
	"strings"
	"testing"

	"github.com/reeverun/reeve/process"
)

// An error names its source, and what would be right.
func TestMistakesAreNamed(t *testing.T) {
	for _, c := range []struct {
		file string
		env  map[string]string
		flag string // name=value
		want []string
	}{
		{flag: "grace=fast", want: []string{"--grace", `"fast"`, "500ms"}},
		{flag: "grace=-1s", want: []string{"--grace"}},
		{env: map[string]string{"REEVE_MAX_BODY": "big"}, want: []string{"REEVE_MAX_BODY", `"big"`, "32MiB"}},
		{flag: "max-body=0", want: []string{"--max-body"}},
		{flag: "log-cap=1.5XB", want: []string{"--log-cap", "GiB"}},
		{flag: "log-cap=99999999999GiB", want: []string{"--log-cap"}},
		{flag: "retention-events=0s", want: []string{"--retention-events", "none"}},
		{flag: "retention-logs=1e300d", want: []string{"--retention-logs"}},
		{flag: "listen=7338", want: []string{"--listen", "127.0.0.1:7338", "none"}},
		{flag: "listen=localhost:http", want: []string{"--listen"}},
		{flag: "concurrency=4", want: []string{"--concurrency", "ENVIRONMENT=N"}},
		{flag: "concurrency=command=-1", want: []string{"--concurrency", "none"}},
		{flag: "default-timeout=typescript=soon", want: []string{"--default-timeout", "30000", "none"}},
		{flag: "default-timeout=typescript=-5", want: []string{"--default-timeout"}},
		{flag: "raw-output=tape", want: []string{"--raw-output", "persist-gzip"}},
		{flag: "max-requests=0", want: []string{"--max-requests"}},
		{flag: "allow-host=http://a.example", want: []string{"--allow-host", "scheme"}},
		{flag: "log-level=loud", want: []string{"--log-level", "debug, info, warn or error"}},
		{flag: "log-format=xml", want: []string{"--log-format", "text or json"}},
		{flag: "otlp-endpoint=127.0.0.1:4318", want: []string{"--otlp-endpoint", "http://"}},
		{flag: "stop-jobs=perhaps", want: []string{"--stop-jobs", "neither true nor false"}},
		{flag: "pinned-tag= ", want: []string{"--pinned-tag", "empty"}},
		{file: "graze: 1s\n", want: []string{"reeve.yaml, line 1", `"graze" is not a setting`, "grace"}},
		{file: "\ngrace: [1s]\n", want: []string{"reeve.yaml, line 2", "one value"}},
		{file: "grace: fast\n", want: []string{"grace in ", "reeve.yaml, line 1", "500ms"}},
		{file: "grace:\n", want: []string{"has no value"}},
		{file: "grace: 1s\ngrace: 2s\n", want: []string{"line 2", "twice"}},
		{file: "concurrency: 4\n", want: []string{"concurrency", "a name for each value", "{command: "}},
		{file: "limit: 128MiB\n", want: []string{"limit", "{memory: 128MiB}"}},
		{flag: "limit=memory=none", want: []string{"--limit", "memory always has a limit"}},
		{flag: "limit=memory=big", want: []string{"--limit", "is not a size"}},
		{flag: "limit=cpu=0", want: []string{"--limit", "at least 1ms"}},
		{flag: "limit-max=threads=4", want: []string{"--limit-max", "memory, cpu and output"}},
		{flag: "limit-max=4GiB", want: []string{"--limit-max", "WHAT=N"}},
		{flag: "agent-price=m=1/2", want: []string{"--agent-price", "INPUT/CACHED/OUTPUT"}},
		{flag: "agent-price=m=1/NaN/3", want: []string{"--agent-price", "is not a price"}},
		{flag: "agent-price=m=1/-2/3", want: []string{"--agent-price", "is not a price"}},
		{flag: "agent-window=m=10", want: []string{"--agent-window", "at least 1000"}},
		{flag: "agent-window=10", want: []string{"--agent-window", "MODEL=TOKENS"}},
		{flag: "approval-life=0s", want: []string{"--approval-life", "at least 1s"}},
		{file: "concurrency: {command: [1]}\n", want: []string{"plain value"}},
		{file: "config: other.yaml\n", want: []string{"config"}},
		{file: "- a\n", want: []string{"keys and values"}},
		{file: "a: b: c\n", want: []string{"is not YAML"}},
		{file: "grace: 1s\n---\ngrace: 2s\n", want: []string{"more than one document"}},
	} {
		flags := map[string][]string{}
		if name, v, ok := strings.Cut(c.flag, "="); ok {
			flags[name] = []string{v}
		}
		_, err := Load(sources(t, c.file, c.env, flags))
		if !errors.Is(err, process.ErrInvalid) {
			t.Errorf("%q %q %v: %v", c.flag, c.file, c.env, err)
			continue
		}
		for _, want := range c.want {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%q does not say %q", err, want)
			}
		}
	}
}

// The endpoint may carry a password: an error must not repeat it.
func TestEndpointIsNotRepeatedInErrors(t *testing.T) {
	_, err := Load(sources(t, "", nil, map[string][]string{"otlp-endpoint": {"user:hunter2@host"}}))
	if err == nil || strings.Contains(err.Error(), "hunter2") {
		t.Error(err)
	}
}
