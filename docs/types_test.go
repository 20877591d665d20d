//go:build linux

package docs_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	gotypes "go/types"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
)

// imports are what a snippet may use without saying so.
var imports = []string{
	"context", "fmt", "os", "strings", "time", "log", "net/http",
	"github.com/reeverun/reeve", "github.com/reeverun/reeve/process", "github.com/reeverun/reeve/env",
	"github.com/reeverun/reeve/interpret", "github.com/reeverun/reeve/tool", "github.com/reeverun/reeve/tool/function",
}

// given are the names that snippets take for granted.
const given = `
var (
	ctx context.Context
	dir string
	rt *reeve.Runtime
	registry *interpret.Registry
)
`

// types checks Go code of documents against the packages as they are.
type types struct {
	mu  sync.Mutex // importers are not safe for concurrent use
	imp gotypes.Importer
	set *token.FileSet
}

func newTypes(t *testing.T) *types {
	t.Helper()
	list := exec.Command("go", append([]string{"list", "-export", "-deps", "-json=ImportPath,Export"}, imports...)...)
	list.Env = append(os.Environ(), "CGO_ENABLED=0")
	out, err := list.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	exports := map[string]string{}
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p struct{ ImportPath, Export string }
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		exports[p.ImportPath] = p.Export
	}
	set := token.NewFileSet()
	return &types{set: set, imp: importer.ForCompiler(set, "gc", func(path string) (io.ReadCloser, error) {
		return os.Open(exports[path])
	})}
}

// check compiles a snippet: declarations as they are, statements as the body of a
// function. What a snippet leaves unused is its reader's to use.
func (c *types) check(t *testing.T, where, snippet string) {
	t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	head := "package snippet\n"
	for _, path := range imports {
		head += fmt.Sprintf("import %q\n", path)
	}
	var file *ast.File
	var err error
	if strings.HasPrefix(snippet, "package ") {
		file, err = parser.ParseFile(c.set, where, snippet, 0)
	} else if file, err = parser.ParseFile(c.set, where, head+given+snippet, 0); err != nil {
		file, err = parser.ParseFile(c.set, where, head+given+"func _() error {\n"+snippet+"\nreturn nil\n}\n", 0)
	}
	if err != nil {
		t.Errorf("%s: %v", where, err)
		return
	}
	config := gotypes.Config{Importer: c.imp, Error: func(err error) {
		var wrong gotypes.Error
		if !errors.As(err, &wrong) || !wrong.Soft {
			t.Errorf("%s: %v", where, err)
		}
	}}
	_, _ = config.Check("snippet", c.set, []*ast.File{file}, nil)
}
