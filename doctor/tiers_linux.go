package doctor

import (
	"os"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/reeverun/reeve/keeper"
)

// commandChecks confine a process as a command is confined whose work folder
// is on the file system of the data directory.
func commandChecks(dataDir string) []Check {
	dir := existing(dataDir)
	if unix.Access(dir, unix.X_OK) != nil {
		dir = os.TempDir() // what is wrong with it, another check says
	}
	return []Check{
		commandCheck(keeper.Confined, dir, "Commands can run with sandbox confined: they write in few places, gain no rights, and touch no other process.",
			"Commands with sandbox confined run with less than that kept from them."),
		commandCheck(keeper.Sandboxed, dir, "Commands can run with sandbox sandbox: they have the system's programs and their work folder, and see nobody and no network.",
			"Commands with sandbox sandbox run with less than that kept from them."),
	}
}

func commandCheck(kind keeper.Sandbox, dir, meaning, without string) Check {
	c := check(SectionSandbox, "sandbox-"+string(kind), "sandbox "+string(kind))
	e, err := keeper.ProbeSandbox(kind, dir)
	switch {
	case err != nil:
		return c.missing("Commands cannot run with sandbox "+string(kind)+".", err.Error(), "")
	case len(e.Missing) > 0:
		return c.limited(without, strings.Join(e.Missing, "; "),
			"Each run's record says what it ran without; require refuses to run it so.")
	}
	return c.ok(meaning)
}
