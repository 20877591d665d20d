package tool

import (
	"slices"
	"strings"
	"unicode"
)

// words is the text of a tool, lower-cased, for searching.
type words struct {
	name, service, description string
	nameWords, textWords       []string
}

func searchWords(service string, t Tool) words {
	w := words{name: strings.ToLower(t.Name), service: strings.ToLower(service), description: strings.ToLower(t.Description)}
	w.nameWords = split(t.Name)
	w.textWords = split(t.Description)
	return w
}

// split cuts a text into lower-case words, also within camelCase names.
func split(s string) []string {
	var b strings.Builder
	var before rune
	for _, r := range s {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			b.WriteByte(' ')
		case unicode.IsUpper(r) && unicode.IsLower(before):
			b.WriteByte(' ')
			b.WriteRune(unicode.ToLower(r))
		default:
			b.WriteRune(unicode.ToLower(r))
		}
		before = r
	}
	return strings.Fields(b.String())
}

// score says how well one word of a query fits, 0 if not at all. The name
// counts more than the service, that more than the description.
func (w words) score(word string) int {
	switch {
	case w.name == word:
		return 32
	case slices.Contains(w.nameWords, word):
		return 16
	case strings.Contains(w.name, word):
		return 12
	case w.service == word:
		return 8
	case strings.Contains(w.service, word):
		return 6
	case slices.Contains(w.textWords, word):
		return 4
	case strings.Contains(w.description, word):
		return 2
	}
	return 0
}

// maxWords is how many words of a query count: each is held against every tool,
// and it is the host that does it.
const maxWords = 32

type hit struct {
	tool           *listed
	matched, score int
}

// search returns the tools that contain every word of the query or, if there is
// none, those that contain one, the best first.
func search(tools []*listed, query string) []*listed {
	wanted := strings.FieldsFunc(strings.ToLower(query), func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune("/,;:()\"'", r) })
	wanted = wanted[:min(len(wanted), maxWords)]
	var hits []hit
	most := 0
	for _, t := range tools {
		h := hit{tool: t}
		for _, word := range wanted {
			if s := t.search.score(word); s > 0 {
				h.matched++
				h.score += s
			}
		}
		if h.matched > 0 || len(wanted) == 0 {
			hits = append(hits, h)
			most = max(most, h.matched)
		}
	}
	if most == len(wanted) {
		hits = slices.DeleteFunc(hits, func(h hit) bool { return h.matched < most })
	}
	slices.SortStableFunc(hits, better)
	found := make([]*listed, len(hits))
	for i, h := range hits {
		found[i] = h.tool
	}
	return found
}

func better(a, b hit) int {
	switch {
	case a.matched != b.matched:
		return b.matched - a.matched
	case a.score != b.score:
		return b.score - a.score
	case a.tool.service != b.tool.service:
		return strings.Compare(a.tool.service, b.tool.service)
	}
	return strings.Compare(a.tool.Name, b.tool.Name)
}
