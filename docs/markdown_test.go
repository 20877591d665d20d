//go:build linux

package docs_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// document is one Markdown file.
type document struct {
	path string // from this folder
	name string // from the repository
	text string
	// prose is the text without its blocks.
	prose  []string
	blocks []block
}

// block is a fenced one.
type block struct {
	line int
	kind string // sh, console, go, …
	text string
	skip string // why no test can run it
	file string // what its first line, a comment, says that it is
}

func (b block) where(d *document) string { return fmt.Sprintf("%s:%d", d.name, b.line) }

var (
	skipMark = regexp.MustCompile(`^<!-- test: (skip|needs) (.+) -->$`)
	fileMark = regexp.MustCompile(`^(?:#|//) (\S+\.(?:yaml|ts|py|txt|json))(?: |\n)`)
)

func documents(t *testing.T) []*document {
	t.Helper()
	paths, err := filepath.Glob("*.md")
	if err != nil || len(paths) < 10 {
		t.Fatalf("%d documents, %v", len(paths), err)
	}
	var all []*document
	for _, path := range append(paths, "../README.md", "../CONTRIBUTING.md", "../CHANGELOG.md") {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		d := &document{path: path, name: strings.TrimPrefix(filepath.Join("docs", path), "../"), text: string(text)}
		if err := d.parse(); err != nil {
			t.Fatal(err)
		}
		all = append(all, d)
	}
	return all
}

// parse finds the blocks; what is between them is prose.
func (d *document) parse() error {
	var open *block
	skip := ""
	for i, line := range strings.Split(d.text, "\n") {
		switch {
		case open != nil && line == "```":
			if m := fileMark.FindStringSubmatch(open.text); m != nil {
				open.file = m[1]
			}
			d.blocks = append(d.blocks, *open)
			open = nil
		case open != nil:
			open.text += line + "\n"
		case strings.HasPrefix(line, "```"):
			open, skip = &block{line: i + 1, kind: line[3:], skip: skip}, ""
		default:
			skip = ""
			if m := skipMark.FindStringSubmatch(line); m != nil {
				skip = reason(m[1], m[2])
			} else if strings.HasPrefix(line, "<!-- test:") {
				return fmt.Errorf("%s:%d: the mark above a block is <!-- test: skip REASON --> or <!-- test: needs PROGRAM -->", d.name, i+1)
			}
			d.prose = append(d.prose, line)
		}
	}
	if open != nil {
		return fmt.Errorf("%s:%d: the block is not closed", d.name, open.line)
	}
	return nil
}

// reason is why a marked block is not run: because it says so, or because the
// program it needs is not installed.
func reason(mark, text string) string {
	if mark == "needs" {
		if _, err := exec.LookPath(text); err == nil {
			return ""
		}
		text += " is not installed"
	}
	return text
}

// step is a command of a console block and what it prints.
type step struct{ command, want string }

// steps are the commands of a console block: what follows "$ ", with lines that
// begin with "> " belonging to it, and everything else being what it prints.
func (b block) steps() (all []step) {
	for line := range strings.Lines(b.text) {
		last := len(all) - 1
		switch {
		case strings.HasPrefix(line, "$ "):
			all = append(all, step{command: line[2:]})
		case last >= 0 && all[last].want == "" && strings.HasPrefix(line, "> "):
			all[last].command += line[2:]
		case last >= 0:
			all[last].want += line
		}
	}
	return all
}

// commands are the lines of a block that look like some.
func (b block) commands() (all []string) {
	if b.kind == "sh" {
		return []string{b.text}
	}
	for _, s := range b.steps() {
		all = append(all, s.command)
	}
	for line := range strings.Lines(b.text) {
		if b.kind == "text" && regexp.MustCompile(`^(reeve|curl|go run|make) [a-z-]`).MatchString(line) && !strings.HasPrefix(line, "reeve top ") {
			all = append(all, line)
		}
	}
	return all
}
