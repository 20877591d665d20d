package compile

import (
	"errors"
	"os"
	"strings"
	"testing"
	"time"
)

// A worker that somebody else killed, or that the machine had no memory for, says
// nothing about its source: the next try may go well.
func TestHostileFailureOfAWorkerIsNotKept(t *testing.T) {
	c := open(t, Config{Deadline: time.Nanosecond})
	const source = "let innocent = 1"
	var wrong *Error
	if _, err := c.Compile(t.Context(), source); !errors.As(err, &wrong) {
		t.Fatal(err)
	}
	c.cfg.Deadline = time.Minute // the machine is less busy now
	if _, err := c.Compile(t.Context(), source); err != nil {
		t.Errorf("a source is judged by the machine's load: %v", err)
	}
	c.cfg.Executable = "/bin/true" // a worker that ends at once
	if _, err := os.Stat(c.cfg.Executable); err != nil {
		t.Skip(err)
	}
	c.Close()
	const other = "let other = 1"
	if _, err := c.Compile(t.Context(), other); err == nil {
		t.Fatal("compiled by nobody")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c.cfg.Executable = self
	if _, err := c.Compile(t.Context(), other); err != nil {
		t.Errorf("a source is judged by a worker's death: %v", err)
	}
}

// Sources of one dialect are not found by another.
func TestHostileDialects(t *testing.T) {
	const source = "class A { @d accessor x = 1 }\nfunction d(a: any, b: any) {}"
	a, err := open(t, Config{Dialect: Chrome136}).Compile(t.Context(), source)
	if err != nil {
		t.Fatal(err)
	}
	b, err := open(t, Config{Dialect: ES2023}).Compile(t.Context(), source)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(b.Code, "accessor x") || a.Code == "" {
		t.Errorf("%s", b.Code)
	}
}

// Whatever a source is called or quotes, its error is for a person to read.
func TestHostileErrorsAreShort(t *testing.T) {
	long := strings.Repeat("ä", 1<<19)
	for name, source := range map[string]string{
		"a name twice": "let " + long + ";\nlet " + long,
		"a long label": "break " + long,
		"an import":    "import '" + long + "'",
		"a string":     "let a = '" + long + "\n",
		"a jsx":        "<" + long,
		"many":         strings.Repeat("let "+long[:1000]+";\n", 50),
	} {
		_, err := open(t, Config{Deadline: 30 * time.Second}).Compile(t.Context(), source)
		if err == nil {
			continue
		}
		if n := len(err.Error()); n > 16<<10 {
			t.Errorf("%s: an error of %d bytes", name, n)
		}
	}
}
