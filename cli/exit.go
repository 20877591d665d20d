package cli

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"syscall"

	"github.com/reeverun/reeve/client"
	"github.com/reeverun/reeve/process"
	"github.com/spf13/cobra"
)

// The exit codes of everything that is not a job's own.
const (
	exitOK      = 0
	exitFailure = 1
	exitUsage   = 2
	exitPipe    = 128 + 13 // as a program that SIGPIPE ended
)

// usageError is a command line that cannot be understood.
type usageError struct{ err error }

func (e usageError) Error() string { return e.err.Error() }
func (e usageError) Unwrap() error { return e.err }

// usagef makes a usage error.
func usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// exitError ends the command with a code. What there was to say has been said.
type exitError struct{ code int }

func (e exitError) Error() string { return fmt.Sprintf("exit status %d", e.code) }

// exitWith returns the error for an exit code; none for 0.
func exitWith(code int) error {
	if code == exitOK {
		return nil
	}
	return exitError{code}
}

// report says what went wrong, on standard error, and returns the exit code.
func (a *App) report(cmd *cobra.Command, err error) int {
	var exit exitError
	var usage usageError
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &exit):
		return exit.code
	case errors.Is(err, syscall.EPIPE): // the reader of a pipe had enough
		return exitPipe
	case errors.As(err, &usage) || isCobraUsage(err) || refused(err):
		a.say("%s", firstLine(err.Error()))
		fmt.Fprintf(a.Stderr, "Run '%s --help' for how to use it.\n", cmd.CommandPath())
		for _, line := range strings.Split(err.Error(), "\n")[1:] {
			fmt.Fprintln(a.Stderr, line)
		}
		return exitUsage
	}
	a.say("%s", err)
	return exitFailure
}

// refused reports whether the daemon found a mistake in what the command line
// said.
func refused(err error) bool {
	var status *client.StatusError
	return errors.As(err, &status) && errors.Is(err, process.ErrInvalid)
}

// isCobraUsage recognises the mistakes that cobra itself finds; it has no type
// for them.
func isCobraUsage(err error) bool {
	for _, prefix := range []string{"unknown command", "required flag", "if any flags in the group", "at least one of the flags"} {
		if strings.HasPrefix(err.Error(), prefix) {
			return true
		}
	}
	return false
}

// say prints a sentence of Reeve's own on standard error. What it quotes of
// others cannot move the cursor.
func (a *App) say(format string, args ...any) {
	lines := strings.Split(fmt.Sprintf(format, args...), "\n")
	for i := range lines {
		lines[i] = plain(lines[i])
	}
	text := "reeve: " + strings.Join(lines, "\n") + "\n"
	if a.raw != nil && a.raw.Load() {
		text = "\r\n" + strings.ReplaceAll(text, "\n", "\r\n")
	}
	_, _ = io.WriteString(a.Stderr, text)
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}
