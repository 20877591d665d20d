package supervisor

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/reeverun/reeve/api"
	"github.com/reeverun/reeve/process"
)

// tree is what a code says, defaults filled in.
type tree struct {
	name     string
	strategy string
	max      int
	window   time.Duration
	backoff  backoff
	members  []api.Member
}

// Check refuses a code that is not a supervisor's, and takes the secrets out of
// it: what is stored and shown as code does not hold them.
func (e *Env) Check(s *process.Spec) error {
	if s.Command != nil {
		return process.Invalid("command", "is for the environment command, not for supervisor")
	}
	var t api.Supervisor
	if err := api.Decode([]byte(s.Code), &t); err != nil {
		return err
	}
	if _, err := e.cfg.Specs.Members(&t); err != nil {
		return err
	}
	s.Label = cmp.Or(s.Label, t.Name, "supervisor")
	hidden := secrets{}
	hidden.hide(&t, "")
	if len(hidden) == 0 {
		return nil
	}
	var code strings.Builder
	enc := json.NewEncoder(&code)
	enc.SetEscapeHTML(false) // people read it
	if err := enc.Encode(&t); err != nil {
		return fmt.Errorf("write the code: %w", err)
	}
	kept, err := json.Marshal(hidden)
	if err != nil {
		return fmt.Errorf("write the secrets: %w", err)
	}
	s.Code, s.Hidden = code.String(), process.Secret(kept)
	return nil
}

// read returns the tree of a spec that Check has seen.
func (e *Env) read(s *process.Spec) (*tree, error) {
	var t api.Supervisor
	if err := api.Decode([]byte(s.Code), &t); err != nil {
		return nil, err
	}
	if s.Hidden != "" {
		var hidden secrets
		if err := json.Unmarshal([]byte(s.Hidden.Reveal()), &hidden); err != nil {
			return nil, fmt.Errorf("read the secrets: %w", err)
		}
		hidden.reveal(&t, "")
	}
	members, err := e.cfg.Specs.Members(&t)
	if err != nil {
		return nil, err
	}
	out := &tree{name: cmp.Or(t.Name, s.Label), strategy: cmp.Or(t.Strategy, api.DefaultStrategy), max: api.DefaultMaxRestarts,
		window: millis(t.Window.Or(api.DefaultWindowMS)), backoff: backoffOf(t.Backoff), members: members}
	if t.MaxRestarts != nil {
		out.max = *t.MaxRestarts
	}
	return out, nil
}

// millis is a duration of n milliseconds, as long as one can be.
func millis(n int64) time.Duration {
	return time.Duration(min(n, math.MaxInt64/int64(time.Millisecond))) * time.Millisecond
}

// secrets are what a code leaves out, by its path.
type secrets map[string]string

// hide moves the secrets out of a description.
func (s secrets) hide(t *api.Supervisor, path string) {
	each(t, path, func(c *api.Child, path string) {
		s.hideVars(c.Env, path+".env.")
		s.hideNotify(c.Notify, path+".notify.")
		command := c.Create.Command
		if command == nil {
			return
		}
		s.hideVars(command.Env, path+".command.env.")
		shown := process.Redacted
		switch {
		case command.Stdin != nil:
			s[path+".command.stdin"], command.Stdin = *command.Stdin, &shown
		case command.StdinBase64 != nil:
			s[path+".command.stdinBase64"] = string(command.StdinBase64)
			command.StdinBase64, command.Stdin = nil, &shown
		}
	})
}

func (s secrets) hideVars(vars map[string]string, path string) {
	for name, value := range vars {
		s[path+name], vars[name] = value, process.Redacted
	}
}

func (s secrets) hideNotify(n *api.Notify, path string) {
	if n == nil {
		return
	}
	s[path+"url"], n.URL = n.URL, (&process.Notify{URL: process.Secret(n.URL)}).Shown()
	if n.Secret != nil {
		shown := process.Redacted
		s[path+"secret"], n.Secret = *n.Secret, &shown
	}
}

func (s secrets) revealNotify(n *api.Notify, path string) {
	if n == nil {
		return
	}
	if url, ok := s[path+"url"]; ok {
		n.URL = url
	}
	if secret, ok := s[path+"secret"]; ok {
		n.Secret = &secret
	}
}

// reveal puts them back.
func (s secrets) reveal(t *api.Supervisor, path string) {
	each(t, path, func(c *api.Child, path string) {
		s.revealVars(c.Env, path+".env.")
		s.revealNotify(c.Notify, path+".notify.")
		command := c.Create.Command
		if command == nil {
			return
		}
		s.revealVars(command.Env, path+".command.env.")
		if text, ok := s[path+".command.stdin"]; ok {
			command.Stdin = &text
		}
		if b, ok := s[path+".command.stdinBase64"]; ok {
			command.Stdin, command.StdinBase64 = nil, []byte(b)
		}
	})
}

func (s secrets) revealVars(vars map[string]string, path string) {
	for name := range vars {
		if value, ok := s[path+name]; ok {
			vars[name] = value
		}
	}
}

// each goes through the children of a description, and of those below it.
func each(t *api.Supervisor, path string, f func(c *api.Child, path string)) {
	for i := range t.Children {
		c := &t.Children[i]
		at := fmt.Sprintf("%schildren[%d]", path, i)
		f(c, at)
		if c.Supervisor != nil {
			each(c.Supervisor, at+".supervisor.", f)
		}
	}
}
