package interpret

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/reeverun/reeve/process"
)

const docsFile = "../docs/interpreters.md"

func readDocs(t *testing.T) string {
	t.Helper()
	doc, err := os.ReadFile(docsFile)
	if err != nil {
		t.Fatal(err)
	}
	return string(doc)
}

// fences returns the fenced blocks of a language.
func fences(doc, lang string) (out []string) {
	for _, m := range regexp.MustCompile("(?s)```"+lang+"\n(.*?)```").FindAllStringSubmatch(doc, -1) {
		out = append(out, m[1])
	}
	return out
}

// The example of the documentation does what the documentation says.
func TestDocumentedRuleFile(t *testing.T) {
	doc := readDocs(t)
	rules, texts := fences(doc, "yaml"), fences(doc, "text")
	if len(rules) != 1 || len(texts) != 2 {
		t.Fatalf("%d yaml and %d text blocks", len(rules), len(texts))
	}
	r := mustLoad(t, rules[0])
	s := fixedSession(r.New())
	got := feed(s, process.Stdout, texts[0])
	if asked := s.Partial(process.Stdout, "Continue? [y/N] "); len(asked) != 1 {
		t.Errorf("prompt: %v", asked)
	}
	got = append(got, s.Exit(process.Exit{})...)
	if g := golden(t, got); g != texts[1] {
		t.Errorf("got\n%swant\n%s", g, texts[1])
	}

	s = fixedSession(r.New())
	feed(s, process.Stderr, "web2 refused: no such key\n")
	expect(t, s.Exit(process.Exit{Code: 1}))
	if e := s.Evidence().KnownError; e == nil || e.Code != "deploy.refused" || e.Message != "web2: no such key" {
		t.Errorf("%v", e)
	}
}

// The Go example of the documentation is the one that is compiled and run.
func TestDocumentedInterpreter(t *testing.T) {
	src, err := os.ReadFile("example_test.go")
	if err != nil {
		t.Fatal(err)
	}
	code := fences(readDocs(t), "go")
	if len(code) != 1 || !strings.Contains(string(src), strings.TrimSpace(code[0])) {
		t.Error("the example in " + docsFile + " is not the one in example_test.go")
	}
}

// Every key a rule file may have is documented.
func TestEveryKeyIsDocumented(t *testing.T) {
	doc := readDocs(t)
	src, err := os.ReadFile("spec.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile("`yaml:\"(\\w+)\"`").FindAllStringSubmatch(string(src), -1) {
		if !strings.Contains(doc, m[1]) {
			t.Errorf("%s is not documented", m[1])
		}
	}
	for kind := range kinds() {
		if !strings.Contains(doc, "| `"+kind+"` |") {
			t.Errorf("kind %s is not documented", kind)
		}
	}
}
