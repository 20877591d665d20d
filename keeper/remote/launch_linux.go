package remote

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	ossignal "os/signal"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/reeverun/reeve/keeper/internal/procs"
	"github.com/reeverun/reeve/process"
)

// How a process knows that it is a keeper: by its arguments, as people see
// them, and by one variable that carries its Config.
const (
	workerName = "keeper"
	workerKey  = "REEVE_KEEPER"
	self       = "/proc/self/exe" // also when the file has been replaced meanwhile
	logName    = "log"
	maxLog     = 1 << 20
	readyFD    = 3
	readyWord  = "ready"
)

// lockFor is how long a new keeper waits for the one before it to end.
const lockFor = 5 * time.Second

// launch starts a keeper and returns when it serves, or when another one has
// been quicker. The child is the caller's to reap.
func launch(ctx context.Context, c Config) (child *keeperProcess, err error) {
	if err := os.MkdirAll(c.Dir, 0o700); err != nil {
		return nil, err
	}
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	child, err = startKeeper(c, w)
	w.Close()
	if err != nil {
		return nil, fmt.Errorf("start the keeper: %w", err)
	}
	defer context.AfterFunc(ctx, func() { _ = r.SetReadDeadline(time.Unix(1, 0)) })()
	said, err := io.ReadAll(io.LimitReader(r, 64<<10))
	switch {
	case ctx.Err() != nil:
		return child, context.Cause(ctx)
	case err != nil:
		return child, err
	case string(said) != readyWord && len(said) > 0:
		return child, fmt.Errorf("the keeper could not start: %s", said)
	case len(said) == 0:
		return child, fmt.Errorf("the keeper ended at its start: see %s", filepath.Join(c.Dir, logName))
	}
	return child, nil
}

// keeperProcess is a keeper that this process has started.
type keeperProcess struct{ pidfd int }

func startKeeper(c Config, ready *os.File) (*keeperProcess, error) {
	dir, err := filepath.Abs(c.Dir)
	if err != nil {
		return nil, err
	}
	c.Dir = dir
	log, err := openLog(filepath.Join(dir, logName))
	if err != nil {
		return nil, err
	}
	defer log.Close()
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	defer null.Close()
	path := c.Executable
	if path == "" {
		path = self
	}
	conf, err := json.Marshal(c)
	if err != nil {
		return nil, err
	}
	p := &keeperProcess{pidfd: -1}
	_, err = syscall.ForkExec(path, []string{"reeve", workerName, dir}, &syscall.ProcAttr{
		Dir: "/", Env: []string{workerKey + "=" + string(conf)},
		Files: []uintptr{null.Fd(), null.Fd(), log.Fd(), ready.Fd()},
		Sys:   &syscall.SysProcAttr{Setsid: true, PidFD: &p.pidfd},
	})
	return p, err
}

// openLog opens the file for a keeper's own troubles, which are few.
func openLog(path string) (*os.File, error) {
	flags := os.O_WRONLY | os.O_CREATE | os.O_APPEND
	if st, err := os.Stat(path); err == nil && st.Size() > maxLog {
		flags |= os.O_TRUNC
	}
	return os.OpenFile(path, flags, 0o600)
}

// reap buries the keeper if it has ended, and waits a moment for one that is
// about to. One that lives is left alone.
func (p *keeperProcess) reap(patience time.Duration) {
	if p == nil || p.pidfd < 0 {
		return
	}
	deadline := time.Now().Add(patience)
	for pause := time.Millisecond; ; pause *= 2 {
		pid, _, _, err := procs.Waitid(procs.PPidfd, p.pidfd, syscall.WNOHANG)
		if pid != 0 || err != nil || time.Now().After(deadline) {
			break
		}
		time.Sleep(pause)
	}
	unix.Close(p.pidfd)
	p.pidfd = -1
}

// A process that was started as a keeper is one from here on, and nothing else.
// It must not pay for what the rest of the program does at its start: with the
// whole of Reeve linked in, that is two thirds of its memory and half the time
// it takes to come up. And a program that embeds Reeve need not know of it.
func init() {
	conf := os.Getenv(workerKey)
	if len(os.Args) != 3 || os.Args[1] != workerName || conf == "" {
		return
	}
	ready := os.NewFile(readyFD, "ready")
	if err := work(conf, ready); err != nil {
		_, _ = ready.WriteString(err.Error())
		fmt.Fprintln(os.Stderr, time.Now().UTC().Format(time.RFC3339), err)
		os.Exit(1)
	}
	os.Exit(0)
}

func work(conf string, ready *os.File) error {
	var c Config
	if err := json.Unmarshal([]byte(conf), &c); err != nil {
		return fmt.Errorf("%s cannot be read: %w", workerKey, err)
	}
	closeInherited()
	_ = os.WriteFile("/proc/self/comm", []byte("reeve-keeper"), 0)
	signals := make(chan os.Signal, 1)
	ossignal.Notify(signals, syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGTERM, syscall.SIGUSR1, syscall.SIGUSR2)
	up := func() {
		_, _ = ready.WriteString(readyWord)
		ready.Close()
	}
	h := host{score: protectKeeper(), signals: signals, up: up}
	for deadline := time.Now().Add(lockFor); ; time.Sleep(10 * time.Millisecond) {
		err := serve(context.Background(), c, h)
		if !errors.Is(err, process.ErrOwned) || time.Now().After(deadline) {
			return err
		}
		if sock, err := dialSocket(c.Dir); err == nil { // another one was quicker
			sock.Close()
			up()
			return nil
		}
	}
}

// closeInherited closes what came from the starter's own parents. The Go
// runtime's own descriptors are told by their close-on-exec flag.
func closeInherited() {
	unix.CloseOnExec(readyFD)
	entries, _ := os.ReadDir("/proc/self/fd")
	for _, e := range entries {
		fd, err := strconv.Atoi(e.Name())
		if err != nil || fd <= 2 || fd > math.MaxInt32 {
			continue
		}
		if flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0); err == nil && flags&unix.FD_CLOEXEC == 0 {
			unix.Close(fd)
		}
	}
}
