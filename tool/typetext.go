package tool

import (
	"encoding/json"
	"slices"
	"strings"
)

// literal writes a string as TypeScript does. JSON's way is one of those, and
// Go's escapes the separators that end a line there.
func literal(s string) string {
	b, _ := json.Marshal(s)
	return string(b)
}

// literalType writes the type of exactly one value.
func literalType(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case string:
		return literal(v)
	case bool:
		if v {
			return "true"
		}
		return "false"
	case json.Number, float64:
		b, err := json.Marshal(v)
		if err != nil {
			return "number"
		}
		return string(b)
	}
	return "unknown"
}

// unionOf joins alternatives, each once.
func unionOf(all []string) string {
	var distinct []string
	for _, t := range all {
		if t == "unknown" {
			return "unknown" // whatever else, it may be anything
		}
		if t != "never" && !slices.Contains(distinct, t) {
			distinct = append(distinct, t)
		}
	}
	switch len(distinct) {
	case 0:
		return "never"
	case 1:
		return distinct[0]
	}
	for i, t := range distinct {
		if operators(t)&hasAnd != 0 {
			distinct[i] = "(" + t + ")"
		}
	}
	return strings.Join(distinct, " | ")
}

// intersection joins what all holds at once.
func intersection(all []string) string {
	var distinct []string
	for _, t := range all {
		if t != "unknown" && !slices.Contains(distinct, t) {
			distinct = append(distinct, t)
		}
	}
	switch len(distinct) {
	case 0:
		return "unknown"
	case 1:
		return distinct[0]
	}
	for i, t := range distinct {
		distinct[i] = grouped(t)
	}
	return strings.Join(distinct, " & ")
}

// grouped puts a type in parentheses where an operator follows it.
func grouped(t string) string {
	if operators(t) != 0 {
		return "(" + t + ")"
	}
	return t
}

const (
	hasOr = 1 << iota
	hasAnd
)

// operators reports which operators stand in a type outside all brackets,
// strings and comments.
func operators(t string) (found int) {
	depth := 0
	for i := 0; i < len(t); i++ {
		switch c := t[i]; {
		case c == '"':
			i = stringEnd(t, i)
		case strings.HasPrefix(t[i:], "/*"):
			i += 2 + strings.Index(t[i+2:], "*/") + 1
		case strings.IndexByte("{[(<", c) >= 0:
			depth++
		case strings.IndexByte("}])>", c) >= 0:
			depth--
		case depth == 0 && c == '|':
			found |= hasOr
		case depth == 0 && c == '&':
			found |= hasAnd
		}
	}
	return found
}

// stringEnd returns where the string literal that begins at i ends.
func stringEnd(t string, i int) int {
	for i++; i < len(t); i++ {
		switch t[i] {
		case '\\':
			i++
		case '"':
			return i
		}
	}
	return i
}
