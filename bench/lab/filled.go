package lab

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/reeverun/reeve/internal/seal"
	"github.com/reeverun/reeve/process"
	"github.com/reeverun/reeve/store"
	"github.com/reeverun/reeve/store/sqlite"
)

// What the records of a filled folder are like: one in RareEvery failed,
// carries the tag RareTag and has the word RareWord in its label. The newest
// was created FilledAge ago, each one before it FilledStep earlier.
const (
	RareEvery  = 100
	RareTag    = "rare"
	RareWord   = "needle"
	FilledAge  = time.Hour
	FilledStep = time.Millisecond
)

// Filled returns a data folder with n finished processes and their events. It
// is made once and shared: whoever writes to it takes a FilledCopy.
func (l *Lab) Filled(ctx context.Context, n int) (string, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	dir := filepath.Join(l.Dir, fmt.Sprintf("filled-%d", n))
	if _, err := os.Stat(dir); err == nil {
		return dir, nil
	}
	making, err := l.Scratch()
	if err != nil {
		return "", err
	}
	if err := fill(ctx, making, n); err != nil {
		return "", fmt.Errorf("fill %d records: %w", n, err)
	}
	return dir, os.Rename(making, dir)
}

// FilledCopy is Filled in a folder of the caller's own.
func (l *Lab) FilledCopy(ctx context.Context, n int) (string, error) {
	from, err := l.Filled(ctx, n)
	if err != nil {
		return "", err
	}
	to, err := l.Scratch()
	if err != nil {
		return "", err
	}
	files, err := os.ReadDir(from)
	if err != nil {
		return "", err
	}
	for _, f := range files {
		if err := copyFile(filepath.Join(from, f.Name()), filepath.Join(to, f.Name())); err != nil {
			return "", err
		}
	}
	return to, nil
}

// copyFile makes a copy that only its owner can read, as a key must be.
func copyFile(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}

func fill(ctx context.Context, dir string, n int) error {
	box, err := seal.Open(filepath.Join(dir, "key"))
	if err != nil {
		return err
	}
	st, err := sqlite.Open(ctx, sqlite.Config{Path: filepath.Join(dir, "reeve.db"), Sealer: box})
	if err != nil {
		return err
	}
	const batch = 2000
	newest := time.Now().Add(-FilledAge).UTC()
	var changes []store.Change
	for id := 1; id <= n; id++ {
		changes = append(changes, finished(process.ID(id), newest.Add(-time.Duration(n-id)*FilledStep)))
		if len(changes) < batch && id < n {
			continue
		}
		if err := st.Apply(ctx, changes); err != nil {
			_ = st.Close() // the error before it says more
			return err
		}
		changes = changes[:0]
	}
	return st.Close()
}

// finished is a process and all that happened to it.
func finished(id process.ID, at time.Time) store.Change {
	label, tags := fmt.Sprint("job ", id), []string{"bench"}
	run := process.Run{Number: 1, Lifecycle: process.LifecycleDead, ExitState: process.ExitSuccess,
		Exit: &process.Exit{Reason: process.ReasonCompleted}, Outcome: &process.Outcome{Kind: process.OutcomeSucceeded},
		Captured: process.Persist, StartedAt: at, CompletedAt: at}
	if id%RareEvery == 0 {
		label, tags = fmt.Sprint(RareWord, " ", id), append(tags, RareTag)
		run.ExitState, run.Error = process.ExitFailed, "exit status 1"
		run.Exit = &process.Exit{Code: 1, Reason: run.Error}
		run.Outcome = &process.Outcome{Kind: process.OutcomeFailed, Reason: &process.FailureReason{Kind: process.FailExitCode, ExitCode: 1}}
	}
	events := []process.Event{
		process.New(process.ProcessCreated{Environment: process.EnvCommand, Label: &label, Tags: tags}),
		process.New(process.ProcessQueued{}),
		process.New(process.ProcessStarted{PID: 1 + int(id)%30_000}),
		process.New(process.Exited{Code: run.Exit.Code}),
		process.New(process.Reaped{Steps: []string{"orphans", "cancel", "wait", "context", "dead", "remove"}}),
		process.New(process.Finalized{Outcome: *run.Outcome}),
	}
	for i := range events {
		events[i].Seq, events[i].Process, events[i].Run, events[i].At = int64(i+1), id, 1, at
		events[i].Cursor = (int64(id)-1)*int64(len(events)) + events[i].Seq
	}
	return store.Change{Events: events, Insert: &process.Process{ID: id, State: process.Idle, CreatedAt: at, LastSeq: int64(len(events)), Run: run,
		Spec: process.Spec{Environment: process.EnvCommand, Label: label, Tags: tags, RawOutput: process.Persist,
			Command: &process.Command{Program: "true", Args: []string{"a", "b"}}}}}
}
