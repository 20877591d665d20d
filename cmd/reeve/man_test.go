package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/reeverun/reeve/cli"
	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
)

// manEnv names a folder to keep the pages in: "make man" sets it. They are made
// by a test so that the program itself does not carry their generator.
const manEnv = "REEVE_MAN_DIR"

func TestManPages(t *testing.T) {
	dir := os.Getenv(manEnv)
	if dir == "" {
		dir = t.TempDir()
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	root := cli.Command(app())
	root.DisableAutoGenTag = true
	root.InitDefaultCompletionCmd()
	date := time.Unix(0, 0).UTC() // the same pages from the same source
	if err := doc.GenManTree(root, &doc.GenManHeader{Section: "1", Source: "Reeve", Manual: "Reeve", Date: &date}, dir); err != nil {
		t.Fatal(err)
	}
	eachCommand(root, func(c *cobra.Command) {
		path := filepath.Join(dir, strings.ReplaceAll(c.CommandPath(), " ", "-")+".1")
		page, err := os.ReadFile(path)
		if err != nil {
			t.Error(err)
		} else if !strings.Contains(string(page), "SYNOPSIS") {
			t.Errorf("%s says nothing", path)
		}
	})
}

// Every command says what it is, in one line and not as a sentence.
func TestCommandsAreDescribed(t *testing.T) {
	eachCommand(cli.Command(app()), func(c *cobra.Command) {
		if c.Short == "" || strings.HasSuffix(c.Short, ".") || strings.Contains(c.Short, "\n") {
			t.Errorf("%s: %q", c.CommandPath(), c.Short)
		}
	})
}

func eachCommand(c *cobra.Command, f func(*cobra.Command)) {
	if c.Hidden || c.Name() == "help" {
		return
	}
	f(c)
	for _, sub := range c.Commands() {
		eachCommand(sub, f)
	}
}
