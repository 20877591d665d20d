package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/reeverun/reeve/api"
	"github.com/reeverun/reeve/process"
)

// readTree reads and checks the file of a tree. Directories in it are meant from
// where it lies; from - they are meant from the working directory.
func (a *App) readTree(arg string) (api.Supervisor, error) {
	dir, err := a.Dir()
	if err != nil {
		return api.Supervisor{}, fmt.Errorf("find the working directory: %w", err)
	}
	var text []byte
	name := arg
	if arg == "-" {
		name = "standard input"
		text, err = readInput(a.Stdin)
	} else {
		path := arg
		if !filepath.IsAbs(path) {
			path = filepath.Join(dir, path)
		}
		dir = filepath.Dir(path)
		text, err = os.ReadFile(path)
	}
	if err != nil {
		return api.Supervisor{}, fmt.Errorf("read the tree: %w", err)
	}
	// The daemon's default environment and tier are not known here; what is wrong
	// whatever they are is.
	tree, err := api.ParseTree(name, text, api.Specs{Environment: process.EnvTypeScript})
	if err != nil {
		return tree, usageError{err}
	}
	if tree.Name == "" && arg != "-" {
		base := filepath.Base(arg)
		tree.Name = strings.TrimSuffix(base, filepath.Ext(base))
	}
	place(&tree, dir)
	return tree, nil
}

// place makes the directories of commands absolute.
func place(t *api.Supervisor, dir string) {
	for i := range t.Children {
		c := &t.Children[i]
		switch {
		case c.Supervisor != nil:
			place(c.Supervisor, dir)
		case c.Create.Command != nil && (c.Dir == "" || c.Create.Command.Dir != ""):
			c.Create.Command.Dir = from(dir, c.Create.Command.Dir)
		case c.Dir != "" || c.Environment == process.EnvCommand || len(c.Env) > 0:
			c.Dir = from(dir, c.Dir)
		}
	}
}

func from(dir, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, path)
}
