package cli

import (
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// Every command explains itself, shows how it is used, and says nothing twice.
func TestEveryCommandHasHelp(t *testing.T) {
	commands := 0
	var visit func(c *cobra.Command)
	visit = func(c *cobra.Command) {
		for _, sub := range c.Commands() {
			visit(sub)
		}
		if c.Name() == "help" || c.Name() == "completion" || c.Parent() != nil && c.Parent().Name() == "completion" {
			return // cobra's own
		}
		commands++
		if c.Short == "" || c.Long == "" || c.Example == "" {
			t.Errorf("%s has no help", c.CommandPath())
		}
		if strings.HasSuffix(c.Short, ".") {
			t.Errorf("%s: a title has no full stop", c.CommandPath())
		}
		for _, line := range strings.Split(c.Long+"\n"+c.Example, "\n") {
			if columns(line) > 95 {
				t.Errorf("%s: %d columns: %s", c.CommandPath(), columns(line), line)
			}
		}
	}
	root := Command(App{})
	visit(root)
	if commands < 19 {
		t.Errorf("only %d commands", commands)
	}
}
