package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"

	"github.com/reeverun/reeve/process"
	"github.com/reeverun/reeve/settings"
)

// readyVariable tells a daemon in the background by which descriptor it reports
// to the one who started it.
const readyVariable = "REEVE_READY_FD"

// news is what a daemon in the background reports, once: that it serves, or why
// it does not.
type news struct {
	PID     int          `json:"pid"`
	Address string       `json:"address,omitempty"`
	Error   string       `json:"error,omitempty"`
	Code    process.Code `json:"code,omitempty"`
}

// startDaemon starts "reeve serve" in the background and waits until it serves
// or failed. Of this program the daemon keeps nothing: it has a session, a
// directory and descriptors of its own, and unless it is managed it is no part of
// the service that this program may be of.
func (a *App) startDaemon(ctx context.Context, data settings.DataDir, args []string, managed bool) (news, error) {
	if err := data.Make(); err != nil {
		return news{}, err
	}
	log, err := openLog(data.Log())
	if err != nil {
		return news{}, err
	}
	defer log.Close()
	program, err := a.Executable()
	if err != nil {
		return news{}, fmt.Errorf("find this program: %w", err)
	}
	cmd := exec.Command(program, append([]string{"serve"}, args...)...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = string(data), log, log
	cmd.Env = without(a.Environ(), "REEVE_TOKEN", "REEVE_HOST", notifySecretVariable)
	if managed {
		cmd.Stdout, cmd.Stderr = a.Stderr, a.Stderr
	} else {
		cmd.Env = without(cmd.Env, notifyVariable)
	}
	report, err := launch(cmd)
	if err != nil {
		return news{}, fmt.Errorf("start a daemon: %w", err)
	}
	defer report.Close()
	defer context.AfterFunc(ctx, func() { report.Close() })() // ends the wait, not the daemon
	return awaitNews(ctx, cmd, report, data)
}

// managed reports whether a service manager started this program, and is told by
// the daemon how it is: systemd's ExecReload. The daemon then logs where this
// program does, which the manager keeps.
func (a *App) managed() bool {
	socket, ok := a.Env(notifyVariable)
	return ok && socket != ""
}

const notifyVariable = "NOTIFY_SOCKET"

// logLimit is how large a log may be for a new daemon to go on with it.
const logLimit = 10 << 20

// openLog opens the log of a daemon in the background. A large one is put aside
// first, in the place of the one before.
func openLog(path string) (*os.File, error) {
	if info, err := os.Stat(path); err == nil && info.Size() > logLimit {
		if err := os.Rename(path, path+".old"); err != nil {
			return nil, err
		}
	}
	return os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
}

// without takes variables out: secrets that are for clients, since the daemon's
// jobs inherit its environment.
func without(environ []string, names ...string) []string {
	return slices.DeleteFunc(slices.Clone(environ), func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		return slices.Contains(names, name)
	})
}

// launch starts a daemon and returns the end of the pipe by which it reports.
func launch(cmd *exec.Cmd) (*os.File, error) {
	report, theirs, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer theirs.Close()
	err = detach(cmd, theirs)
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		report.Close()
		return nil, err
	}
	return report, nil
}

// awaitNews reads what the daemon reports.
func awaitNews(ctx context.Context, cmd *exec.Cmd, report io.Reader, data settings.DataDir) (n news, err error) {
	b, err := io.ReadAll(report)
	switch {
	case ctx.Err() != nil:
		return n, context.Cause(ctx)
	case err == nil && len(bytes.TrimSpace(b)) == 0: // it died without a word
		err = cmd.Wait()
		return n, fmt.Errorf("the daemon ended before it served (%v): see %s", err, data.Log())
	case err == nil:
		err = json.Unmarshal(b, &n)
	}
	if err != nil {
		return n, fmt.Errorf("understand the daemon: %w", err)
	}
	if n.Error != "" {
		return n, errors.Join(&process.Error{Code: n.Code, Message: n.Error}, ignoreExit(cmd.Wait()))
	}
	n.PID = cmd.Process.Pid
	return n, cmd.Process.Release()
}

// ignoreExit drops that a daemon exited with a code: it has said why.
func ignoreExit(err error) error {
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return nil
	}
	return err
}

// herald reports to the one who started this daemon in the background. The zero
// herald has nobody to report to.
type herald struct{ to *os.File }

// newHerald takes the descriptor over, so that no job ever sees it.
func (a *App) newHerald() *herald {
	fd, ok := a.Env(readyVariable)
	if !ok {
		return &herald{}
	}
	_ = os.Unsetenv(readyVariable)
	return &herald{inherited(fd)}
}

func (h *herald) ready(addr string) { h.tell(news{PID: os.Getpid(), Address: addr}) }

// failed reports an error, if nothing was reported before.
func (h *herald) failed(err error) {
	if err == nil {
		return
	}
	n := news{PID: os.Getpid(), Error: err.Error()}
	var known *process.Error
	if errors.As(err, &known) {
		n.Code = known.Code
	}
	h.tell(n)
}

func (h *herald) tell(n news) {
	if h.to == nil {
		return
	}
	// The one who started it may be gone; that is no reason not to serve.
	_ = json.NewEncoder(h.to).Encode(n)
	_ = h.to.Close()
	h.to = nil
}
