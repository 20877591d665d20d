package cli

import "github.com/spf13/cobra"

// Command returns the whole command tree, for those who describe it: man pages
// and completions are made of it.
func Command(a App) *cobra.Command { return a.root() }
