package interpret

import (
	"regexp"
	"strings"

	"github.com/reeverun/reeve/process"
)

// follower takes the lines of its stream that belong to an earlier one.
type follower interface {
	// next is given the following line. If it does not take it, rules may;
	// when it is done, it is given no more.
	next(c *Context, line string) (taken, done bool)
	// end is called when there is no following line.
	end(c *Context)
}

// relatedNext is a finding whose place is told by the next line.
type relatedNext struct {
	finding process.Finding
	re      *regexp.Regexp
}

func (f *relatedNext) next(c *Context, line string) (taken, done bool) {
	m := f.re.FindStringSubmatch(line)
	if m != nil {
		f.finding.Related = &m[len(m)-1]
	}
	f.end(c)
	return m != nil, true
}

func (f *relatedNext) end(c *Context) { c.Finding(f.finding) }

// notes is a heading, an underline, and lines up to a blank one: a finding.
type notes struct {
	finding process.Finding
	open    bool // the underline was seen
	lines   []string
}

// maxNotes bounds the lines of one block of notes.
const maxNotes = 200

var underline = regexp.MustCompile(`^\s*[-=~]{3,}\s*$`)

func (n *notes) next(c *Context, line string) (taken, done bool) {
	switch {
	case !n.open:
		n.open = underline.MatchString(line)
		return n.open, !n.open
	case strings.TrimSpace(line) == "":
		n.end(c)
		return true, true
	case len(n.lines) < maxNotes:
		n.lines = append(n.lines, strings.TrimRight(line, " \t"))
	}
	return true, false
}

func (n *notes) end(c *Context) {
	if len(n.lines) > 0 {
		n.finding.Message = strings.Join(n.lines, "\n")
		c.Finding(n.finding)
	}
}

func compileNotes(r *rule, s ruleSpec) error {
	f, err := compileFindingSpec(r, s)
	r.do = func(e *engine, _ *Context, m match) { e.follow(m.stream, &notes{finding: f.of(m)}) }
	return err
}
