package lab

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// TrueCommand creates and awaits the least of all commands.
const TrueCommand = `{"environment":"command","command":{"program":"true"},"block":true}`

// Daemon is a running one, spoken to over its socket.
type Daemon struct {
	PID     int
	Dir     string
	Client  *http.Client
	profile string // the file of its profile, if there is one
	cmd     *exec.Cmd
	ended   chan struct{} // closed when it has
	err     error         // how it ended
}

// Daemon starts one on a folder and waits until it is ready.
func (l *Lab) Daemon(ctx context.Context, dir string, args ...string) (*Daemon, error) {
	d, err := l.Start(dir, args...)
	if err != nil {
		return nil, err
	}
	if err := d.Ready(ctx); err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return d, nil
}

// Ready waits until it answers.
func (d *Daemon) Ready(ctx context.Context) error {
	var last error
	err := Until(ctx, time.Minute, func() bool {
		last = d.Do(ctx, "GET", "/ready", "", nil)
		return last == nil || d.gone()
	})
	if err != nil || last != nil {
		return errors.Join(fmt.Errorf("the daemon does not answer: %w", last), err)
	}
	return nil
}

// Start starts a daemon and does not wait for it. A Ctrl-C is not for it: Close
// ends it, once.
func (l *Lab) Start(dir string, args ...string) (*Daemon, error) {
	cmd := exec.Command(l.Binary, append([]string{"serve", "--data", dir, "--config", "none", "--listen", "none", "--log-level", "warn", "--stop-jobs"}, args...)...)
	cmd.Stderr = os.Stderr
	cmd.SysProcAttr = ownGroup()
	cmd.Env = append(os.Environ(), "REEVE_PROFILE="+l.Profile)
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	socket := filepath.Join(dir, "reeve.sock")
	d := &Daemon{PID: cmd.Process.Pid, Dir: dir, cmd: cmd, ended: make(chan struct{}), Client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 1024,
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "unix", socket)
		}}}}
	if l.Profile != "" {
		d.profile = fmt.Sprintf("%s-%d.pprof", l.Profile, d.PID)
	}
	go func() { // Close and Crash wait for it
		d.err = cmd.Wait()
		close(d.ended)
	}()
	return d, nil
}

// gone says whether it has ended.
func (d *Daemon) gone() bool {
	select {
	case <-d.ended:
		return true
	default:
		return false
	}
}

// Close stops it, and its jobs with it.
func (d *Daemon) Close() error {
	d.Client.CloseIdleConnections()
	if d.profile != "" {
		if err := d.endProfile(); err != nil {
			return err
		}
	}
	err := d.cmd.Process.Signal(syscall.SIGTERM)
	if errors.Is(err, os.ErrProcessDone) {
		err = nil // d.err says why
	}
	if err != nil {
		return err
	}
	<-d.ended
	return d.err
}

// endProfile waits until the profile is written.
func (d *Daemon) endProfile() error {
	if err := d.cmd.Process.Signal(profileSignal); err != nil {
		return err
	}
	return Until(context.Background(), 10*time.Second, func() bool {
		_, err := os.Stat(d.profile)
		return err == nil
	})
}

// Crash ends the daemon as kill -9 does. Its keeper and jobs live on; its
// profile does not.
func (d *Daemon) Crash() error {
	d.Client.CloseIdleConnections()
	err := d.cmd.Process.Kill()
	<-d.ended
	if d.profile != "" {
		_ = os.Remove(d.profile + ".part")
	}
	return err
}

// Run creates a process, waits for its end and returns its id. Anything but
// success is an error.
func (d *Daemon) Run(ctx context.Context, body string) (int64, error) {
	var rec struct {
		ID        int64  `json:"id"`
		ExitState string `json:"exitState"`
		Error     any    `json:"error"`
	}
	if err := d.Do(ctx, "POST", "/processes", body, &rec); err != nil {
		return 0, err
	}
	if rec.ExitState != "success" {
		return 0, fmt.Errorf("process %d ended as %q: %v", rec.ID, rec.ExitState, rec.Error)
	}
	return rec.ID, nil
}

// Create creates a process and returns its id.
func (d *Daemon) Create(ctx context.Context, body string) (int64, error) {
	var rec struct{ ID int64 }
	err := d.Do(ctx, "POST", "/processes", body, &rec)
	return rec.ID, err
}

// KillNow kills a process at once and waits for the end of its tree.
func (d *Daemon) KillNow(ctx context.Context, id int64) error {
	return d.Do(ctx, "POST", fmt.Sprintf("/processes/%d/signals/kill", id), `{"now":true,"block":true}`, nil)
}

// Do asks and decodes the answer, where into is not nil.
func (d *Daemon) Do(ctx context.Context, method, path, body string, into any) error {
	req, err := http.NewRequestWithContext(ctx, method, "http://reeve"+path, strings.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	res, err := d.Client.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	raw, err := io.ReadAll(res.Body)
	if err != nil {
		return err
	}
	if res.StatusCode >= 300 {
		return fmt.Errorf("%s %s: %d %s", method, path, res.StatusCode, raw)
	}
	if into == nil {
		return nil
	}
	return json.Unmarshal(raw, into)
}

// Events follows an event stream; path may have a query. The caller closes it.
func (d *Daemon) Events(ctx context.Context, path string) (io.ReadCloser, error) {
	req, err := http.NewRequestWithContext(ctx, "GET", "http://reeve"+path, nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Accept", "text/event-stream")
	res, err := d.Client.Do(req)
	if err != nil {
		return nil, err
	}
	if res.StatusCode != http.StatusOK {
		defer res.Body.Close()
		raw, _ := io.ReadAll(res.Body)
		return nil, fmt.Errorf("%s: %d %s", path, res.StatusCode, raw)
	}
	return res.Body, nil
}
