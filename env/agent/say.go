package agent

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/reeverun/reeve/process"
)

// say writes what the model says, while it says it.
func (r *run) say(text string) error { return r.host.Write(process.Stdout, []byte(text)) }

// tell writes what a person who reads along should know, one line on stderr.
func (r *run) tell(format string, args ...any) {
	line := "reeve: " + strings.ReplaceAll(fmt.Sprintf(format, args...), "\n", " ") + "\n"
	_ = r.host.Write(process.Stderr, []byte(line)) // the run does not depend on it
}

// speech is one message being said; it ends with a newline. A nil say is deaf.
type speech struct {
	say  func(string) error
	last byte
	err  error
}

func (s *speech) piece(text string) {
	if s.say == nil || s.err != nil || text == "" {
		return
	}
	s.err = s.say(text)
	s.last = text[len(text)-1]
}

func (s *speech) end() error {
	if s.last != 0 && s.last != '\n' {
		s.piece("\n")
	}
	return s.err
}

// cut shortens a text at a character's border, and says so.
func cut(text string, most int) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	if len(text) <= most {
		return text
	}
	n := most
	for !utf8.RuneStart(text[n]) {
		n--
	}
	return fmt.Sprintf("%s\n[reeve: %d more bytes were cut off]", text[:n], len(text)-n)
}
