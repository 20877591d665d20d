//go:build linux

package docs_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/reeverun/reeve/cli"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

var inlineCode = regexp.MustCompile("`([^`]+)`")

// Commands that are mentioned in a sentence exist, too, with their flags.
func TestCommandsThatAreMentionedExist(t *testing.T) {
	found := 0
	for _, d := range documents(t) {
		for _, line := range d.prose {
			for _, m := range inlineCode.FindAllStringSubmatch(line, -1) {
				found += checkCommands(t, d.name, []string{m[1]})
			}
		}
	}
	if found < 100 {
		t.Errorf("only %d commands were found", found)
	}
}

// checkCommands holds command lines against what there is: commands and flags of
// reeve, targets of the Makefile, packages and scripts of the repository. It
// returns how many it could say something about.
func checkCommands(t *testing.T, where string, lines []string) (checked int) {
	t.Helper()
	for _, line := range lines {
		for _, words := range simpleCommands(line) {
			var err error
			switch {
			case words[0] == "reeve" && len(words) > 1:
				err = checkReeve(words[1:])
			case words[0] == "make" && len(words) > 1:
				err = checkMake(words[1])
			case words[0] == "go" && len(words) > 2 && words[1] == "run":
				err = exists(words[2])
			case strings.HasPrefix(words[0], "./"):
				err = exists(words[0])
			default:
				continue
			}
			checked++
			if err != nil {
				t.Errorf("%s: %s: %v", where, strings.Join(words, " "), err)
			}
		}
	}
	return checked
}

func checkReeve(words []string) error {
	root := cli.Command(cli.App{})
	var c *cobra.Command = root
	for i, word := range words {
		word = strings.Trim(word, "[]…,")
		switch {
		case word == "--":
			return nil
		case strings.HasPrefix(word, "--"):
			name, _, _ := strings.Cut(word[2:], "=")
			if flag(c, name) == nil && name != "help" && name != "version" {
				return fmt.Errorf("%s has no flag --%s", c.CommandPath(), name)
			}
		case strings.HasPrefix(word, "-") && len(word) == 2:
			if c.InheritedFlags().ShorthandLookup(word[1:]) == nil && c.Flags().ShorthandLookup(word[1:]) == nil {
				return fmt.Errorf("%s has no flag %s", c.CommandPath(), word)
			}
		default:
			if sub := subcommand(c, word); sub != nil {
				c = sub
			} else if i == 0 && word != "help" {
				return fmt.Errorf("there is no command %q", word)
			}
		}
	}
	return nil
}

func flag(c *cobra.Command, name string) *pflag.Flag {
	if f := c.Flags().Lookup(name); f != nil {
		return f
	}
	return c.InheritedFlags().Lookup(name)
}

func subcommand(c *cobra.Command, name string) *cobra.Command {
	for _, sub := range c.Commands() {
		if sub.Name() == name || sub.HasAlias(name) {
			return sub
		}
	}
	return nil
}

func checkMake(target string) error {
	b, err := os.ReadFile("../Makefile")
	if err != nil {
		return err
	}
	if !regexp.MustCompile(`(?m)^` + regexp.QuoteMeta(target) + `:`).Match(b) {
		return fmt.Errorf("the Makefile has no target %q", target)
	}
	return nil
}

func exists(path string) error {
	_, err := os.Stat(filepath.Join("..", strings.TrimSuffix(path, "...")))
	return err
}
