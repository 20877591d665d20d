package process

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
)

// Sandbox says how much of the machine a run may reach. Empty is Trusted.
type Sandbox string

// The sandboxes. See docs/security.md for what each stops and what not.
const (
	Trusted   Sandbox = "trusted"  // whatever its user may
	Confined  Sandbox = "confined" // writes in few places, gains no rights
	Sandboxed Sandbox = "sandbox"  // sees the system's programs and its work folder, nobody, and no network
)

// Sandboxes lists them, the weakest first.
func Sandboxes() []Sandbox { return []Sandbox{Trusted, Confined, Sandboxed} }

// Confines reports whether anything is taken from the run.
func (s Sandbox) Confines() bool { return s == Confined || s == Sandboxed }

// Inherits reports whether a run gets a variable of its host's, or of whoever
// asks for it, without its being given. A trusted one gets all; others those that
// tell how to talk to a person, and a confined one where things are, but nothing
// that may be a secret.
func (s Sandbox) Inherits(name string) bool {
	if !s.Confines() {
		return true
	}
	name = strings.ToUpper(name)
	talk := []string{"LANG", "LANGUAGE", "TZ", "TERM", "COLORTERM", "NO_COLOR"}
	if slices.Contains(talk, name) || strings.HasPrefix(name, "LC_") {
		return true
	}
	windows := []string{"SYSTEMROOT", "SYSTEMDRIVE", "WINDIR", "COMSPEC", "PATHEXT", "TEMP", "TMP", "OS"}
	if runtime.GOOS == "windows" && (slices.Contains(windows, name) || name == "PATH") {
		return true
	}
	return s == Confined && slices.Contains([]string{"PATH", "HOME", "USER", "LOGNAME", "SHELL"}, name)
}

// TreeKill is required by who wants every process of a run held: no process of
// its tree outlives its kill.
const TreeKill = "tree-kill"

// Lacking returns which of some names are not held, each with its reason.
func (e *Enforced) Lacking(names []string) (lacking []string) {
	for _, name := range names {
		if slices.Contains(e.Confined, name) || name == TreeKill && !slices.Contains([]string{"", "none", "pgroup"}, e.TreeKill) {
			continue
		}
		why := name + ": not to be had here"
		for _, m := range e.Missing {
			if strings.HasPrefix(m, name+":") {
				why = m
			}
		}
		lacking = append(lacking, why)
	}
	return lacking
}

// LimitFinding is what is noticed of a run that met a limit; option is its
// field in Options.Limits.
func LimitFinding(s Severity, limit, option, message string) Finding {
	return Finding{Severity: s, Code: "reeve." + limit + "_limit", Message: message,
		Action: &Action{Kind: ActionInstruction, Value: "if that is too little, raise options.limits." + option}}
}

// SizeText is a number of bytes for people.
func SizeText(n int64) string {
	units := []string{"KiB", "MiB", "GiB", "TiB"}
	for i := len(units) - 1; i >= 0; i-- {
		if unit := int64(1) << (10 * (i + 1)); n >= unit {
			if n%unit != 0 {
				return fmt.Sprintf("%.1f %s", float64(n)/float64(unit), units[i])
			}
			return fmt.Sprintf("%d %s", n/unit, units[i])
		}
	}
	return fmt.Sprintf("%d bytes", n)
}
