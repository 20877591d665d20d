//go:build linux

package docs_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"
)

var (
	link    = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading = regexp.MustCompile(`(?m)^#+ (.+)$`)
)

// Links within the repository lead somewhere, down to the heading.
func TestLinksLeadSomewhere(t *testing.T) {
	all := documents(t)
	for _, d := range all {
		for _, line := range d.prose {
			for _, m := range link.FindAllStringSubmatch(line, -1) {
				if strings.Contains(m[1], "://") {
					continue
				}
				file, anchor, _ := strings.Cut(m[1], "#")
				path := filepath.Join(filepath.Dir(d.path), file)
				if file == "" {
					path = d.path
				}
				text, err := os.ReadFile(path)
				if info, statErr := os.Stat(path); err != nil && (statErr != nil || !info.IsDir()) {
					t.Errorf("%s: %s: %v", d.name, m[1], err)
				} else if anchor != "" && !anchors(string(text))[anchor] {
					t.Errorf("%s: %s: there is no such heading", d.name, m[1])
				}
			}
		}
	}
}

// anchors are what the headings of a document are called in links.
func anchors(text string) map[string]bool {
	all := map[string]bool{}
	for _, m := range heading.FindAllStringSubmatch(text, -1) {
		all[strings.Map(func(c rune) rune {
			switch {
			case c == ' ':
				return '-'
			case unicode.IsLetter(c), unicode.IsDigit(c), c == '-', c == '_':
				return unicode.ToLower(c)
			}
			return -1
		}, m[1])] = true
	}
	return all
}

// Each document can be found from the index, and each picture is used.
func TestEveryDocumentIsInTheIndex(t *testing.T) {
	index, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range documents(t) {
		if filepath.Dir(d.path) == "." && d.path != "README.md" && !strings.Contains(string(index), "]("+d.path+")") {
			t.Errorf("README.md of this folder does not link to %s", d.path)
		}
	}
	pictures, err := filepath.Glob("images/*")
	if err != nil {
		t.Fatal(err)
	}
	text := ""
	for _, d := range documents(t) {
		text += d.text
	}
	for _, p := range pictures {
		if !strings.Contains(text, p+")") {
			t.Errorf("no document shows %s", p)
		}
	}
}
