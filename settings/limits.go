package settings

import (
	"errors"
	"fmt"
	"time"

	"github.com/reeverun/reeve/process"
)

// setLimit sets one limit of several.
func setLimit(field func(*Settings) *process.Limits) func(*Settings, string) error {
	return func(s *Settings, v string) error {
		what, n, err := entry(v, "WHAT=N, such as memory=256MiB")
		if err != nil {
			return err
		}
		l := field(s)
		switch what {
		case "memory":
			if n == None {
				return errors.New("memory always has a limit: give it a size")
			}
			l.MemoryBytes, err = ParseSize(n)
		case "output":
			l.OutputBytes, err = orNoLimit(n, ParseSize)
		case "cpu":
			l.CPUMS, err = orNoLimit(n, parseCPU)
		default:
			return fmt.Errorf("%q is not a limit: known are memory, cpu and output", what)
		}
		return err
	}
}

// orNoLimit reads none as 0.
func orNoLimit(v string, parse func(string) (int64, error)) (int64, error) {
	if v == None {
		return 0, nil
	}
	return parse(v)
}

func parseCPU(v string) (int64, error) {
	d, err := ParseDuration(v)
	if err == nil && d < time.Millisecond {
		err = fmt.Errorf("%q is too short: give at least 1ms, or none", v)
	}
	return d.Milliseconds(), err
}

func setTools(s *Settings, v string) error {
	if v == None {
		s.Tools = ""
		return nil
	}
	return text(func(s *Settings) *string { return &s.Tools })(s, v)
}

func setApprovalLife(s *Settings, v string) (err error) {
	s.ApprovalLife, err = ParseDuration(v)
	if err == nil && s.ApprovalLife < time.Second {
		err = fmt.Errorf("%q is too short for a person: give at least 1s", v)
	}
	return err
}
