package interpret

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/reeverun/reeve/process"
)

// fallback makes something of a failure that no rule explained: its last
// error line.
type fallback struct {
	code    string
	summary bool // it becomes the summary, not a known error
	streams []process.Stream
	prefer  *regexp.Regexp // of several lines, the last that matches; nil: the last
}

func compileFallback(s *fallbackSpec) (_ *fallback, err error) {
	if s == nil {
		return nil, nil
	}
	f := &fallback{code: s.Code, streams: []process.Stream{process.Stderr, process.Stdout}}
	switch s.As {
	case "", "known_error":
		if s.Code == "" {
			return nil, fmt.Errorf("code: missing")
		}
	case "summary":
		if s.Code != "" {
			return nil, fmt.Errorf("code: a summary has none")
		}
		f.summary = true
	default:
		return nil, fmt.Errorf("as: %q is not known_error or summary", s.As)
	}
	if s.Prefer != "" {
		if f.prefer, err = regexp.Compile(s.Prefer); err != nil {
			return nil, fmt.Errorf("prefer: %w", err)
		}
	}
	switch s.Stream {
	case "", "both":
	case string(process.Stdout), string(process.Stderr):
		f.streams = []process.Stream{process.Stream(s.Stream)}
	default:
		return nil, fmt.Errorf("stream: %q is not stdout, stderr or both", s.Stream)
	}
	return f, nil
}

func (f *fallback) apply(e *engine, c *Context) {
	line := f.errorLine(e, c)
	switch {
	case line == "":
	case !f.summary:
		c.KnownError(f.code, line)
	case c.s.evidence.Summary == "":
		c.Summary(line)
	}
}

// errorLine returns the last line no rule explains: of stderr, else of stdout.
func (f *fallback) errorLine(e *engine, c *Context) string {
	for _, stream := range f.streams {
		last := ""
		for line := range c.Recent(stream) {
			text, ok := e.read(line)
			if !ok || e.explained(stream, text) {
				continue
			}
			if text = strings.TrimSpace(text); f.prefer == nil || f.prefer.MatchString(text) {
				return text
			}
			if last == "" {
				last = text
			}
		}
		if last != "" {
			return last
		}
	}
	return ""
}

func (e *engine) explained(stream process.Stream, text string) bool {
	for _, r := range e.rules {
		if _, ok := r.match(text); ok && r.reads(stream) {
			return r.explain
		}
	}
	return strings.TrimSpace(text) == ""
}
