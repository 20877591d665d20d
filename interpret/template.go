package interpret

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/reeverun/reeve/process"
)

// template is a text with references to a rule's groups: $1, $name, ${name},
// and $$ for a dollar sign. References are checked when the rules are loaded.
type template []part

// part is literal text, or a group when group is 0 or more.
type part struct {
	text  string
	group int
}

// reference is what may follow a dollar sign.
var reference = regexp.MustCompile(`^(?:\$|([0-9]+)|([A-Za-z_][A-Za-z_0-9]*)|\{([A-Za-z_0-9]+)\})`)

func parseTemplate(s string, re *regexp.Regexp) (template, error) {
	var t template
	for {
		text, rest, found := strings.Cut(s, "$")
		t = append(t, part{text, -1})
		if !found {
			return t, nil
		}
		m := reference.FindStringSubmatch(rest)
		if m == nil {
			return nil, fmt.Errorf("%q: a $ must be followed by a group ($1, $name, ${name}); $$ is a dollar sign", "$"+rest)
		}
		if m[0] == "$" {
			t = append(t, part{"$", -1})
		} else {
			group, err := groupOf(m[1]+m[2]+m[3], re)
			if err != nil {
				return nil, err
			}
			t = append(t, part{"", group})
		}
		s = rest[len(m[0]):]
	}
}

func groupOf(ref string, re *regexp.Regexp) (int, error) {
	if re == nil {
		return 0, fmt.Errorf("$%s: this rule has no expression to take groups from", ref)
	}
	if n, err := strconv.Atoi(ref); err == nil {
		if n > re.NumSubexp() {
			return 0, fmt.Errorf("$%s: the expression has %d groups", ref, re.NumSubexp())
		}
		return n, nil
	}
	n := re.SubexpIndex(ref)
	if n < 0 {
		return 0, fmt.Errorf("$%s: the expression has no group of this name", ref)
	}
	return n, nil
}

// static reports whether the text refers to no group.
func (t template) static() bool {
	for _, p := range t {
		if p.group >= 0 {
			return false
		}
	}
	return true
}

// match is a line a rule's expression matched.
type match struct {
	stream   process.Stream
	line     string
	loc      []int            // as of regexp.FindStringSubmatchIndex
	progress process.Progress // as detected, by a rule that detects
}

func (m match) group(n int) string {
	if 2*n+1 >= len(m.loc) || m.loc[2*n] < 0 {
		return ""
	}
	return m.line[m.loc[2*n]:m.loc[2*n+1]]
}

// expand fills a template in. An empty template gives the whole line.
func (m match) expand(t template) string {
	if len(t) == 0 {
		return strings.TrimSpace(m.line)
	}
	var b strings.Builder
	for _, p := range t {
		if p.group >= 0 {
			b.WriteString(m.group(p.group))
		} else {
			b.WriteString(p.text)
		}
	}
	return strings.TrimSpace(b.String())
}
