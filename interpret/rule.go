package interpret

import (
	"regexp"
	"slices"

	"github.com/reeverun/reeve/process"
)

// rule is one compiled rule.
type rule struct {
	index   int
	kind    string
	stream  process.Stream // empty: both
	re      *regexp.Regexp
	detect  detector
	lits    []search // one of them is in every line the rule matches; none: not known
	goOn    bool
	once    bool
	tally   string
	slice   *slice
	explain bool // a line it matches is no error line
	do      func(*engine, *Context, match)
}

func (r *rule) reads(s process.Stream) bool { return r.stream == "" || r.stream == s }

// match tries the rule on a line. The expression is only tried on a line that
// has one of its literals.
func (r *rule) match(line string) (m match, ok bool) {
	m.line = line
	if r.detect != nil {
		m.progress, ok = r.detect.detect(line)
		return m, ok
	}
	if len(r.lits) == 0 || slices.ContainsFunc(r.lits, func(l search) bool { return l.in(line) }) {
		m.loc = r.re.FindStringSubmatchIndex(line)
	}
	return m, m.loc != nil
}

// possible reports whether a line has one of the rule's literals.
func (r *rule) possible(line []byte) bool {
	for i := range r.lits {
		if r.lits[i].find(line, 0) < len(line) {
			return true
		}
	}
	return len(r.lits) == 0
}
