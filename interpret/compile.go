package interpret

import (
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/reeverun/reeve/process"
)

// kinds lists, for each kind of rule, the keys it has beside the common ones,
// and whether a line it matches is explained, hence no error line.
func kinds() map[string]kindSpec {
	return map[string]kindSpec{
		"benign":      {"", true, compileNothing},
		"tally":       {"", true, compileNothing},
		"phase":       {"name label nested from to", true, compilePhase},
		"phase_exit":  {"name", true, compilePhaseExit},
		"progress":    {"detect percent done total unit starting hint", true, compileProgress},
		"label":       {"label", true, compileLabel},
		"summary":     {"message", true, compileSummary},
		"warning":     {"code message", true, compileWarning},
		"notes":       {"code severity action", true, compileNotes},
		"prompt":      {"message", true, compilePrompt},
		"finding":     {"code message severity action related related_next", false, compileFinding},
		"known_error": {"code message if_failed", false, compileKnownError},
	}
}

const commonKeys = "id kind match contains stream continue once tally"

type kindSpec struct {
	keys    string
	explain bool
	compile func(r *rule, s ruleSpec) error
}

func compile(s ruleSpec) (*rule, error) {
	all := kinds()
	k, ok := all[s.Kind]
	if !ok {
		return nil, fmt.Errorf("kind: %q is not a kind: want one of %s", s.Kind, strings.Join(slices.Sorted(maps.Keys(all)), ", "))
	}
	if err := checkKeys(s, k.keys); err != nil {
		return nil, err
	}
	r := &rule{kind: s.Kind, goOn: s.Continue, once: s.Once, tally: s.Tally, explain: k.explain}
	if err := r.compileMatch(s); err != nil {
		return nil, err
	}
	switch s.Stream {
	case "", "both":
	case string(process.Stdout), string(process.Stderr):
		r.stream = process.Stream(s.Stream)
	default:
		return nil, fmt.Errorf("stream: %q is not stdout, stderr or both", s.Stream)
	}
	if s.Kind == "tally" && s.Tally == "" {
		return nil, fmt.Errorf("tally: missing")
	}
	return r, k.compile(r, s)
}

// checkKeys refuses keys that mean nothing for the rule's kind.
func checkKeys(s ruleSpec, allowed string) error {
	v := reflect.ValueOf(s)
	for i := range v.NumField() {
		key := v.Type().Field(i).Tag.Get("yaml")
		if !v.Field(i).IsZero() && !listed(" "+commonKeys+" "+allowed+" ", key) {
			return fmt.Errorf("%s: a rule of kind %s has no such key", key, s.Kind)
		}
	}
	return nil
}

func (r *rule) compileMatch(s ruleSpec) (err error) {
	switch {
	case s.Detect != "" && s.Match != "":
		return fmt.Errorf("detect: a rule has either match or detect")
	case s.Detect != "":
		var ok bool
		if r.detect, ok = detectorNamed(s.Detect); !ok {
			return fmt.Errorf("detect: %q is not percent or ratio", s.Detect)
		}
		return nil
	case s.Match == "":
		return fmt.Errorf("match: missing")
	}
	if r.re, err = regexp.Compile(s.Match); err != nil {
		return fmt.Errorf("match: %w", err)
	}
	set := literalsOf(s.Match)
	if len(s.Contains) > 0 {
		set = nil
		for _, text := range s.Contains {
			if text == "" {
				return fmt.Errorf("contains: empty")
			}
			set = append(set, literal{text: text})
		}
	}
	for _, l := range set {
		r.lits = append(r.lits, newSearch(l))
	}
	return nil
}

// texts compiles templates into the places they are for; the first that is
// broken is reported with its key.
func (r *rule) texts(all ...textSpec) error {
	for _, t := range all {
		if t.text == "" {
			continue
		}
		var err error
		if *t.to, err = parseTemplate(t.text, r.re); err != nil {
			return fmt.Errorf("%s: %w", t.key, err)
		}
	}
	return nil
}

type textSpec struct {
	key, text string
	to        *template
}
