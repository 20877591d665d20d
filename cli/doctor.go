package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/reeverun/reeve/doctor"
	"github.com/reeverun/reeve/settings"
	"github.com/spf13/cobra"
)

func (a *App) doctorCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "doctor",
		Short: "Say what this machine gives Reeve, and why not more",
		Long: "Try out what Reeve needs of this machine, for this user: how surely a process tree is\n" +
			"held and killed, which limits and sandbox parts there are, whether the data directory\n" +
			"is fit, of which version the daemon is that runs. Each check says what it means and,\n" +
			"where it could be better, what to do. No daemon is needed.",
		Example: "  reeve doctor\n  reeve doctor --json | jq '.checks[] | select(.status != \"ok\")'",
		Args:    usageArgs(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			dir, err := a.Dir()
			if err != nil {
				return fmt.Errorf("find the working directory: %w", err)
			}
			data, err := settings.ClientData(a.global.data, a.Env, dir)
			if err != nil {
				return err
			}
			report := doctor.Probe(cmd.Context(), string(data), a.Checks...)
			if c, ok := a.checkDaemon(cmd.Context()); ok {
				report.Checks = append(report.Checks, c)
			}
			if a.global.json {
				return a.printJSON(&report)
			}
			_, err = io.WriteString(a.Stdout, doctorText(&report, width(a.Stdout), a.palette(a.Stdout)))
			return err
		},
	}
}

// doctorText lays the report out for a width; 0 is any width.
func doctorText(r *doctor.Report, width int, p palette) string {
	var b strings.Builder
	s := r.System
	system := strings.Join(strings.Fields(s.OS+" "+s.Kernel+" "+s.Arch), " ")
	fmt.Fprintf(&b, "%s, user %s, data in %s\n", plain(system), plain(s.User), plain(s.DataDir))
	for _, section := range r.Sections() {
		fmt.Fprintf(&b, "\n%s\n", p.bold(section.Title))
		for _, c := range section.Checks {
			doctorCheck(&b, c, width, p)
		}
	}
	fmt.Fprintf(&b, "\n%d ok, %d limited, %d missing\n", r.Count(doctor.OK), r.Count(doctor.Limited), r.Count(doctor.Missing))
	return b.String()
}

func doctorCheck(b *strings.Builder, c doctor.Check, width int, p palette) {
	paint := map[doctor.Status]func(string) string{doctor.OK: p.green, doctor.Limited: p.yellow, doctor.Missing: p.red}[c.Status]
	if paint == nil {
		paint = p.red
	}
	fmt.Fprintf(b, "  %s %s\n", paint(fmt.Sprintf("%-8s", c.Status)), plain(c.Name))
	indented := func(label, text string) {
		if text == "" {
			return
		}
		for i, line := range wrap(plain(text), width-13) {
			if i > 0 {
				label = strings.Repeat(" ", len(label))
			}
			fmt.Fprintf(b, "           %s%s\n", p.dim(label), line)
		}
	}
	indented("", c.Meaning)
	indented("why: ", c.Reason)
	indented("do:  ", c.Advice)
}

// wrap breaks a text between words into lines of at most so many columns; a
// width too small to be of use is none.
func wrap(text string, width int) []string {
	if width < 20 {
		return []string{text}
	}
	var lines []string
	line := ""
	for _, word := range strings.Fields(text) {
		if line != "" && columns(line)+1+columns(word) > width {
			lines, line = append(lines, line), ""
		}
		if line != "" {
			line += " "
		}
		line += word
	}
	return append(lines, line)
}
