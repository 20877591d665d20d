package cli

import (
	"github.com/reeverun/reeve/process"
)

// report ends the command as the run ended, saying what the program itself
// could not.
func (j *job) report(rec process.Record) error {
	if j.app.global.json {
		if err := j.app.printJSON(&rec); err != nil {
			return err
		}
	} else if !(j.passed.Load() && bySignal(&rec)) { // what was asked for is no news
		j.app.sayOutcome(&rec)
	}
	return exitWith(exitCode(&rec))
}

// exitCode is the job's own.
func exitCode(rec *process.Record) int {
	switch {
	case rec.Exit != nil && rec.Exit.Code == 0 && rec.ExitState != nil && *rec.ExitState != process.ExitSuccess,
		rec.Exit == nil && (rec.ExitState == nil || *rec.ExitState != process.ExitSuccess):
		return exitFailure
	case rec.Exit == nil:
		return exitOK
	}
	return rec.Exit.Code
}

// sayOutcome tells an end that is not the program's own: it could not be started,
// was killed, or took too long. A program that fails says so itself.
func (a *App) sayOutcome(rec *process.Record) {
	if rec.Outcome != nil {
		for _, s := range rec.Outcome.Survivors {
			a.say("%s: process %d (%s) is still alive", rec.ID, s.PID, plain(s.Command))
		}
	}
	switch {
	case rec.ExitState == nil:
		a.say("%s did not run: see 'reeve show %s'", rec.ID, rec.ID)
	case *rec.ExitState == process.ExitTimeout:
		a.say("%s took longer than its timeout of %s and was ended", rec.ID, rec.Options.Timeout)
	case *rec.ExitState == process.ExitCanceled:
		a.say("%s was canceled", rec.ID)
	case *rec.ExitState == process.ExitFailed && !byItself(rec):
		a.say("%s failed: %s", rec.ID, plain(firstLine(unset(rec.Error)))) // the rest was on stderr
	}
}

// byItself reports whether a command ended with an exit code of its own.
func byItself(rec *process.Record) bool {
	if rec.Environment != process.EnvCommand || rec.Outcome == nil || rec.Outcome.Reason == nil {
		return false
	}
	kind := rec.Outcome.Reason.Kind
	return !bySignal(rec) && (kind == process.FailExitCode || kind == process.FailKnownError)
}

// bySignal reports whether a signal ended a program, other than by a kill of
// Reeve's.
func bySignal(rec *process.Record) bool {
	return rec.Exit != nil && rec.Exit.Signal != "" && rec.ExitState != nil && *rec.ExitState == process.ExitFailed
}

// unset is a text that may be absent.
func unset(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
