package settings

import (
	"errors"
	"fmt"
	"log/slog"
	"math"
	"net"
	"net/url"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/reeverun/reeve/process"
)

type dur = time.Duration

// environmentTypeScript is an environment that this package has defaults for.
const environmentTypeScript = "typescript"

// Programs mostly wait, so more of them than CPUs run at a time.
const programsPerCPU = 16

func defaultConcurrency() string {
	n := runtime.NumCPU()
	return fmt.Sprintf("%s=%d,%s=%d", process.EnvCommand, n, environmentTypeScript, programsPerCPU*n)
}

// text sets a string that must not be empty.
func text(field func(*Settings) *string) func(*Settings, string) error {
	return func(s *Settings, v string) error {
		if strings.TrimSpace(v) == "" {
			return errors.New("is empty: leave it out or give it a value")
		}
		*field(s) = v
		return nil
	}
}

func count(field func(*Settings) *int) func(*Settings, string) error {
	return func(s *Settings, v string) (err error) {
		*field(s), err = parseCount(v)
		return err
	}
}

func positive(field func(*Settings) *int) func(*Settings, string) error {
	return func(s *Settings, v string) error {
		n, err := strconv.Atoi(v)
		if err != nil || n < 1 {
			return fmt.Errorf("%q is not a positive number", v)
		}
		*field(s) = n
		return nil
	}
}

func duration(field func(*Settings) *dur) func(*Settings, string) error {
	return func(s *Settings, v string) (err error) {
		*field(s), err = ParseDuration(v)
		return err
	}
}

func retention(field func(*Settings) *dur) func(*Settings, string) error {
	return func(s *Settings, v string) error {
		if v == None {
			*field(s) = -1
			return nil
		}
		d, err := ParseDuration(v)
		if err == nil && d == 0 {
			err = fmt.Errorf("%q keeps nothing: give a time, or none to keep it for ever", v)
		}
		*field(s) = d
		return err
	}
}

func size(field func(*Settings) *int64) func(*Settings, string) error {
	return func(s *Settings, v string) (err error) {
		*field(s), err = ParseSize(v)
		return err
	}
}

func setListen(s *Settings, v string) error {
	if s.Listen = v; v == None {
		return nil
	}
	_, port, err := net.SplitHostPort(v)
	if err == nil {
		_, err = strconv.ParseUint(port, 10, 16)
	}
	if err != nil {
		return fmt.Errorf("%q is not an address: write HOST:PORT, such as 127.0.0.1:7338, or none", v)
	}
	return nil
}

func setConcurrency(s *Settings, v string) error {
	name, n, err := entry(v, "ENVIRONMENT=N, such as command=4")
	if err != nil {
		return err
	}
	s.Concurrency[name], err = parseCount(n)
	return err
}

func setDefaultTimeout(s *Settings, v string) error {
	return setTime(s.DefaultTimeout, v, "ENVIRONMENT=MS, such as typescript=30000")
}

func setHeartbeat(s *Settings, v string) error {
	return setTime(s.Heartbeat, v, "ENVIRONMENT=DURATION, such as agent=2m")
}

// setTime sets the time of one environment, in milliseconds or as a duration;
// none is 0.
func setTime(times map[string]time.Duration, v, want string) error {
	name, ms, err := entry(v, want)
	if err != nil {
		return err
	}
	var d time.Duration
	if n, bad := strconv.ParseInt(ms, 10, 64); bad == nil && n >= 0 && n <= math.MaxInt64/int64(time.Millisecond) {
		d = time.Duration(n) * time.Millisecond
	} else if ms != None {
		if d, err = ParseDuration(ms); err != nil {
			return fmt.Errorf("%q is not a time: write milliseconds (30000), a duration (30s) or none", ms)
		}
	}
	times[name] = d
	return nil
}

func setRawOutput(s *Settings, v string) error {
	s.RawOutput = process.RawOutput(v)
	if !slices.Contains(process.RawOutputs(), s.RawOutput) {
		return fmt.Errorf("%q is not a policy: want persist, persist-gzip, memory or disabled", v)
	}
	return nil
}

func setAllowHost(s *Settings, v string) error {
	if v == "" || strings.ContainsAny(v, "/ @?#") {
		return fmt.Errorf("%q is not a host name: write it without scheme and path, such as build.example.org", v)
	}
	s.AllowHosts = append(s.AllowHosts, v)
	return nil
}

func setStopJobs(s *Settings, v string) (err error) {
	if s.StopJobs, err = strconv.ParseBool(v); err != nil {
		return fmt.Errorf("%q is neither true nor false", v)
	}
	return nil
}

func setKeeper(s *Settings, v string) (err error) {
	if s.Keeper, err = strconv.ParseBool(v); err != nil {
		return fmt.Errorf("%q is neither true nor false", v)
	}
	return nil
}

func setLogLevel(s *Settings, v string) error {
	if !slices.Contains([]string{"debug", "info", "warn", "error"}, v) {
		return fmt.Errorf("%q is not a level: want debug, info, warn or error", v)
	}
	return (*slog.Level).UnmarshalText(&s.LogLevel, []byte(v))
}

func setLogFormat(s *Settings, v string) error {
	if s.LogFormat = v; v != "text" && v != "json" {
		return fmt.Errorf("%q is not a format: want text or json", v)
	}
	return nil
}

func setEndpoint(s *Settings, v string) error {
	if s.OTLPEndpoint = v; v == None {
		return nil
	}
	u, err := url.Parse(v)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return errors.New("is not an address: write a URL, such as http://127.0.0.1:4318, or none")
	}
	return nil
}

// entry takes NAME=VALUE apart.
func entry(v, want string) (name, value string, err error) {
	name, value, ok := strings.Cut(v, "=")
	name, value = strings.TrimSpace(name), strings.TrimSpace(value)
	if !ok || name == "" || value == "" {
		return "", "", fmt.Errorf("%q is not an entry: write %s", v, want)
	}
	return name, value, nil
}
