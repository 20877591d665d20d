// Package compile turns a client's TypeScript into the JavaScript that an engine
// runs: types are stripped by esbuild, top-level await and return become those
// of an async function, and a source map leads back to the client's own lines.
//
// Forty kilobytes of "{" keep esbuild busy for half a minute and take gigabytes,
// and a longer source overflows the stack of whatever process it runs in. So it
// runs in workers: re-executed children of the same program ([Worker]) with
// bounded memory, killed when they take too long. Results are cached by content.
package compile

import (
	"fmt"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

// Program is a compiled program.
type Program struct {
	Code     string `json:"code"`     // an expression whose value is an async function
	Mappings string `json:"mappings"` // of the source map, from the lines after Lines
	Lines    int    `json:"lines"`    // lines of Code before the first mapped one
}

// Name is what stack traces and messages call the client's source.
const Name = "program.ts"

const (
	head = "(async function () { \"use strict\";\n"
	tail = "\n})"
)

// Error is a source that does not compile, for a person.
type Error struct {
	Text string // file:line:column: what, then the source line and a caret
}

// Error returns the text.
func (e *Error) Error() string { return e.Text }

// Shown is the text as a terminal shows it best: each message below the line it
// is about, so that the last line says what is wrong.
func (e *Error) Shown() string {
	var lines, message []string
	flush := func() {
		lines = append(lines, message...)
		message = nil
	}
	for line := range strings.SplitSeq(e.Text, "\n") {
		if strings.HasPrefix(line, "    ") {
			lines = append(lines, line)
			continue
		}
		flush()
		message = []string{line}
	}
	flush()
	return strings.Join(lines, "\n")
}

// Dialect is what an engine understands.
type Dialect string

// The dialects.
const (
	Chrome136 Dialect = "chrome136" // V8 13.6
	ES2023    Dialect = "es2023"    // quickjs
)

// program compiles source in this process.
func program(source string, d Dialect) (*Program, error) {
	if strings.HasPrefix(source, "#!") {
		source = "//" + source[2:]
	}
	out, mappings, failed := strip(source, d)
	if len(failed) > 0 && strings.HasPrefix(failed[0].Text, "Top-level return") || len(failed) == 0 && maybeModule(out) {
		// A top-level return beside an await, or import and export, both are
		// seen for what they are inside a function.
		return within(source, d)
	}
	if len(failed) > 0 {
		return nil, explain(failed, 0)
	}
	return &Program{Code: head + out + tail, Mappings: mappings, Lines: 1}, nil
}

// within compiles source as the body of an async function. The function comes
// in a line of its own, so that columns stay, and has no name, so that traces
// show none. Helpers that esbuild adds stand before it.
func within(source string, d Dialect) (*Program, error) {
	out, mappings, failed := strip("const __program = []; __program.push(async function () {\n"+source+"\n})", d)
	if len(failed) > 0 {
		return nil, explain(failed, 1)
	}
	return &Program{Code: "(function () { \"use strict\";\n" + out + "\nreturn __program[0]; })()", Mappings: shift(mappings), Lines: 1}, nil
}

// maybeModule reports whether stripped code looks like it had import or export
// statements: esbuild prints them at the beginning of a line.
func maybeModule(code string) bool {
	for line := range strings.SplitSeq(code, "\n") {
		if strings.HasPrefix(line, "import") || strings.HasPrefix(line, "export") {
			return true
		}
	}
	return false
}

func strip(source string, d Dialect) (code, mappings string, failed []api.Message) {
	o := api.TransformOptions{Loader: api.LoaderTS, Sourcefile: Name, LogLevel: api.LogLevelSilent,
		Sourcemap: api.SourceMapExternal, SourcesContent: api.SourcesContentExclude}
	switch d {
	case ES2023:
		o.Target = api.ES2023
	default:
		o.Engines = []api.Engine{{Name: api.EngineChrome, Version: "136"}}
	}
	r := api.Transform(source, o)
	if len(r.Errors) > 0 {
		return "", "", r.Errors
	}
	return string(r.Code), mappingsOf(r.Map), nil
}

// explain is the error of a source, with the place and what is written there;
// lines are those that were put before the client's own.
func explain(failed []api.Message, lines int) *Error {
	var b strings.Builder
	for i, m := range failed {
		if i == 5 {
			fmt.Fprintf(&b, "\nand %d more", len(failed)-i)
			break
		}
		if i > 0 {
			b.WriteByte('\n')
		}
		describe(&b, m, lines)
	}
	return &Error{Text: b.String()}
}

func describe(b *strings.Builder, m api.Message, lines int) {
	l := m.Location
	if l == nil {
		fmt.Fprintf(b, "%s: %s", Name, meaning(m.Text, ""))
		return
	}
	fmt.Fprintf(b, "%s:%d:%d: %s", Name, l.Line-lines, l.Column+1, meaning(m.Text, l.LineText))
	shown, caret := excerpt(l.LineText, l.Column)
	fmt.Fprintf(b, "\n    %s\n    %s^", shown, caret)
}

// meaning says in our words what esbuild cannot know.
func meaning(text, line string) string {
	for _, word := range []string{"import", "export"} {
		if strings.HasPrefix(text, "Unexpected") && strings.HasPrefix(strings.TrimSpace(line), word) {
			return fmt.Sprintf("Unexpected %q: a program has no modules; what it may use is global (see reeve and its services)", word)
		}
	}
	if len(text) > maxMeaning { // it repeats a name, which can be as long as the source
		return strings.ToValidUTF8(text[:maxMeaning], "") + "…"
	}
	return text
}

// maxMeaning bounds what is said about one place.
const maxMeaning = 1 << 10

// excerpt cuts a long line around a column (in bytes), and returns what to put
// under it before the caret.
func excerpt(line string, column int) (shown, under string) {
	const around = 60
	column = min(column, len(line))
	from, to := max(0, column-around), min(len(line), column+around)
	before := strings.ToValidUTF8(line[from:column], "")
	pad := strings.Map(func(r rune) rune {
		if r == '\t' {
			return r
		}
		return ' '
	}, before)
	return before + strings.ToValidUTF8(line[column:to], ""), pad
}
