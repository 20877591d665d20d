package cli

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/reeverun/reeve/api"
	"github.com/reeverun/reeve/process"
	"github.com/reeverun/reeve/settings"
	"github.com/spf13/cobra"
)

// boundFlags say how far a command is held.
type boundFlags struct {
	sandbox string
	limit   []string
	require []string
}

func (o *boundFlags) register(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.sandbox, "sandbox", "", "`kind`, how far it is confined: trusted (not at all), confined (writes in few places, gains no rights) or sandbox (sees the system's programs and its directory only, and no network)")
	f.StringArrayVar(&o.limit, "limit", nil, "what it may consume with all its descendants: `list` of memory=SIZE, pids=N, cpu=DURATION, output=SIZE, files=N (may be repeated)")
	f.StringSliceVar(&o.require, "require", nil, "`names` of what it must not run without, such as tree-kill, memory, pids, landlock, no-network")
	completeWords(cmd, "sandbox", "trusted", "confined", "sandbox")
}

// check finds what is wrong with the flags before a daemon is asked, or started.
func (o *boundFlags) check(cmd *cobra.Command) error {
	if cmd.Flags().Changed("sandbox") && !slices.Contains(process.Sandboxes(), process.Sandbox(o.sandbox)) {
		return usagef("--sandbox %q: want trusted, confined or sandbox", o.sandbox)
	}
	if _, err := parseLimits(o.limit); err != nil {
		return usagef("--limit: %v", err)
	}
	return nil
}

// bound adds to a body what the flags say.
func (o *boundFlags) bound(body *api.Create) error {
	if o.sandbox == "" && len(o.limit) == 0 && len(o.require) == 0 {
		return nil
	}
	if body.Options == nil {
		body.Options = &api.Options{}
	}
	body.Options.Sandbox, body.Options.Require = o.sandbox, o.require
	if len(o.limit) == 0 {
		return nil
	}
	limits, err := parseLimits(o.limit)
	body.Options.Limits = &limits
	return err
}

// inherit leaves out of the caller's variables what a sandbox keeps out, and
// reports whether the daemon shall add its own few.
func (o *boundFlags) inherit(own []string) (kept []string, clear bool) {
	s := process.Sandbox(o.sandbox)
	kept = slices.DeleteFunc(slices.Clone(own), func(pair string) bool {
		name, _, _ := strings.Cut(pair, "=")
		return !s.Inherits(name)
	})
	return kept, !s.Confines()
}

const wantLimit = "write a list such as memory=256M,pids=64,cpu=10s,output=10M,files=256"

// parseLimits reads what --limit is given.
func parseLimits(given []string) (l api.Limits, err error) {
	seen := map[string]bool{}
	for _, list := range given {
		for part := range strings.SplitSeq(list, ",") {
			name, value, _ := strings.Cut(strings.TrimSpace(part), "=")
			name, value = strings.TrimSpace(name), strings.TrimSpace(value)
			if seen[name] {
				return l, fmt.Errorf("%s is given twice", name)
			}
			seen[name] = true
			if err := parseLimit(&l, name, value); err != nil {
				return l, err
			}
		}
	}
	return l, nil
}

func parseLimit(l *api.Limits, name, value string) (err error) {
	switch name {
	case "memory":
		l.MemoryBytes, err = settings.ParseSize(value)
	case "output":
		l.OutputBytes, err = settings.ParseSize(value)
	case "pids":
		l.PIDs, err = limitCount(value)
	case "files":
		l.OpenFiles, err = limitCount(value)
	case "cpu":
		var d time.Duration
		if d, err = settings.ParseDuration(value); err == nil && d < time.Millisecond {
			err = fmt.Errorf("%q is too short: give at least 1ms", value)
		}
		l.CPUMS = d.Milliseconds()
	default:
		return fmt.Errorf("%q is not a limit: %s", name, wantLimit)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

func limitCount(value string) (int64, error) {
	n, err := strconv.ParseInt(value, 10, 64)
	if err != nil || n < 1 {
		return 0, errors.New(strconv.Quote(value) + " is not a number: give 1 or more")
	}
	return n, nil
}

// limitText is what limits were asked for, as they would be given.
func limitText(l process.Limits) string {
	var words []string
	add := func(name string, n int64, show func(int64) string) {
		if n > 0 {
			words = append(words, name+"="+show(n))
		}
	}
	count := func(n int64) string { return strconv.FormatInt(n, 10) }
	size := func(n int64) string { return strings.ReplaceAll(process.SizeText(n), " ", "") }
	add("memory", l.MemoryBytes, size)
	add("pids", l.PIDs, count)
	add("cpu", l.CPUMS, func(n int64) string { return (time.Duration(min(n, longest)) * time.Millisecond).String() })
	add("output", l.OutputBytes, size)
	add("files", l.OpenFiles, count)
	return strings.Join(words, ",")
}
