package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/reeverun/reeve/cli"
	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
)

// entry is a file of an archive.
type entry struct {
	name string // with slashes, below the archive's folder
	mode fs.FileMode
	data []byte
}

// content is what an archive holds beside the program: what "make install" would
// put in place on that platform.
func (r release) content(p platform) ([]entry, error) {
	files := map[string]string{"README.md": "README.md", "CHANGELOG.md": "CHANGELOG.md", "LICENSE": "LICENSE"}
	files["config.yaml"] = "packaging/config.yaml"
	if p.os == "linux" {
		files["systemd/system/reeve.service"] = "packaging/systemd/reeve.service"
		files["systemd/user/reeve.service"] = "packaging/systemd/user/reeve.service"
	}
	var all []entry
	for name, from := range files {
		data, err := os.ReadFile(filepath.Join(r.root, from))
		if errors.Is(err, fs.ErrNotExist) && name == "LICENSE" {
			continue // there is none yet
		}
		if err != nil {
			return nil, fmt.Errorf("read what is packed: %w", err)
		}
		all = append(all, entry{name, 0o644, data})
	}
	pages, err := manual()
	if err != nil {
		return nil, err
	}
	scripts, err := completions()
	return append(append(all, pages...), scripts...), err
}

// manual is a page for each command.
func manual() ([]entry, error) {
	dir, err := os.MkdirTemp("", "reeve-man-")
	if err != nil {
		return nil, fmt.Errorf("make a folder for the manual: %w", err)
	}
	defer os.RemoveAll(dir)
	root := cli.Command(cli.App{})
	root.DisableAutoGenTag = true
	date := time.Unix(0, 0).UTC() // the same pages from the same source
	if err := doc.GenManTree(root, &doc.GenManHeader{Section: "1", Source: "Reeve", Manual: "Reeve", Date: &date}, dir); err != nil {
		return nil, fmt.Errorf("make the manual: %w", err)
	}
	pages, err := filepath.Glob(filepath.Join(dir, "*.1"))
	if err != nil {
		return nil, err
	}
	var all []entry
	for _, page := range pages {
		data, err := os.ReadFile(page)
		if err != nil {
			return nil, err
		}
		all = append(all, entry{"man/" + filepath.Base(page), 0o644, data})
	}
	return all, nil
}

// completions are scripts for shells.
func completions() ([]entry, error) {
	root := cli.Command(cli.App{})
	var all []entry
	for name, write := range map[string]func(*cobra.Command, *bytes.Buffer) error{
		"completions/reeve":      func(c *cobra.Command, b *bytes.Buffer) error { return c.GenBashCompletionV2(b, true) },
		"completions/_reeve":     func(c *cobra.Command, b *bytes.Buffer) error { return c.GenZshCompletion(b) },
		"completions/reeve.fish": func(c *cobra.Command, b *bytes.Buffer) error { return c.GenFishCompletion(b, true) },
		"completions/reeve.ps1":  func(c *cobra.Command, b *bytes.Buffer) error { return c.GenPowerShellCompletionWithDesc(b) },
	} {
		var b bytes.Buffer
		if err := write(root, &b); err != nil {
			return nil, fmt.Errorf("make %s: %w", name, err)
		}
		all = append(all, entry{name, 0o644, b.Bytes()})
	}
	return all, nil
}
