package interpret

import (
	"regexp/syntax"
	"strings"
	"unicode/utf8"
)

// literal is a text that every line a rule matches contains; with fold in any
// case of ASCII letters, the text being in lower case.
type literal struct {
	text string
	fold bool
}

// literalsOf derives from an expression a set of literals one of which every
// match contains; nil if there is no such set.
func literalsOf(expr string) []literal {
	re, err := syntax.Parse(expr, syntax.Perl)
	if err != nil {
		return nil
	}
	return required(re.Simplify())
}

func required(re *syntax.Regexp) []literal {
	switch re.Op {
	case syntax.OpLiteral:
		return literalOf(re)
	case syntax.OpCapture, syntax.OpPlus:
		return required(re.Sub[0])
	case syntax.OpRepeat:
		if re.Min > 0 {
			return required(re.Sub[0])
		}
	case syntax.OpConcat:
		var best []literal
		for _, sub := range re.Sub {
			if set := required(sub); weight(set) > weight(best) {
				best = set
			}
		}
		return best
	case syntax.OpAlternate:
		var all []literal
		for _, sub := range re.Sub {
			set := required(sub)
			if set == nil {
				return nil
			}
			all = append(all, set...)
		}
		return all
	}
	return nil
}

func literalOf(re *syntax.Regexp) []literal {
	text := string(re.Rune)
	if strings.ContainsRune(text, utf8.RuneError) { // stands for bytes that are not in the block
		return nil
	}
	fold := re.Flags&syntax.FoldCase != 0
	if fold {
		text = strings.ToLower(text)
		for i := range len(text) {
			if text[i] >= utf8.RuneSelf {
				return nil
			}
		}
	}
	return []literal{{text, fold}}
}

// weight ranks sets: the one whose shortest literal is longest says most, and
// of such, the one with fewest literals costs least.
func weight(set []literal) int {
	if len(set) == 0 {
		return 0
	}
	shortest := 64
	for _, l := range set {
		shortest = min(shortest, len(l.text))
	}
	return shortest<<10 - min(len(set), 1000)
}
