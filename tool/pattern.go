package tool

import (
	"fmt"
	"strings"
)

// CheckPattern says what is wrong with a pattern.
func CheckPattern(pattern string) error {
	if pattern == "*" {
		return nil
	}
	service, tool, ok := strings.Cut(pattern, "/")
	if !ok || service == "" || tool == "" {
		return fmt.Errorf("%q is not a pattern: write SERVICE/TOOL, where * stands for any characters, or * alone", Clip(pattern, 200))
	}
	for _, part := range []string{service, tool} {
		if len(part) > 2*maxName {
			return fmt.Errorf("the pattern %q is too long: a part has at most %d characters", Clip(pattern, 200), 2*maxName)
		}
		for i := range len(part) {
			if c := part[i]; !nameByte(c) && c != '*' && c != '?' {
				return fmt.Errorf("the pattern %q must not contain %q: names consist of letters, digits and _ . -", Clip(pattern, 200), string(rune(c)))
			}
		}
	}
	return nil
}

// Match reports whether a pattern matches a tool. One that is malformed matches
// none.
func Match(pattern, service, tool string) bool {
	if pattern == "*" {
		return true
	}
	s, t, ok := strings.Cut(pattern, "/")
	return ok && glob(s, service) && glob(t, tool)
}

// MatchAny reports whether one of the patterns matches; nil patterns match all.
func MatchAny(patterns []string, service, tool string) bool {
	if patterns == nil {
		return true
	}
	for _, p := range patterns {
		if Match(p, service, tool) {
			return true
		}
	}
	return false
}

// glob matches with * and ?, in time linear in each star's reach: it goes back
// to the last star only.
func glob(pattern, s string) bool {
	p, i := 0, 0
	star, mark := -1, 0
	for i < len(s) {
		switch {
		case p < len(pattern) && pattern[p] == '*':
			star, mark = p, i
			p++
		case p < len(pattern) && (pattern[p] == s[i] || pattern[p] == '?'):
			p, i = p+1, i+1
		case star >= 0:
			mark++
			p, i = star+1, mark
		default:
			return false
		}
	}
	return strings.Trim(pattern[p:], "*") == ""
}
