package command

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"
)

// maxArg is the longest single argument Linux takes (32 pages, with the NUL).
// Other systems take more.
const maxArg = 128<<10 - 1

// splitScript lets a shell run a script that is too long for one argument: it
// comes in several, which the shell joins. $0, $# and line numbers are as they
// would be, and neither a descriptor nor a file is needed.
func splitScript(program string, args []string) []string {
	if len(args) != 2 || args[0] != "-c" || len(args[1]) <= maxArg || !isShell(program) {
		return args
	}
	var join strings.Builder
	out := []string{"-c", "", filepath.Base(program)}
	for rest := args[1]; rest != ""; {
		n := min(len(rest), maxArg-1)
		for n < len(rest) && n > maxArg-utf8.UTFMax && !utf8.RuneStart(rest[n]) {
			n--
		}
		out = append(out, rest[:n])
		rest = rest[n:]
		fmt.Fprintf(&join, "${%d}", len(out)-3)
	}
	out[1] = `reeve_script="` + join.String() + `"; shift $#; eval "unset reeve_script; $reeve_script"`
	return out
}

func isShell(program string) bool {
	return slices.Contains([]string{"sh", "dash", "bash", "ksh", "zsh"}, filepath.Base(program))
}
