//go:build cgo && linux && (amd64 || arm64)

package v8

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// helloSize bounds the first message of a zygote.
const helloSize = 16 << 10

// startZygote returns a zygote that is ready to fork.
func startZygote(ctx context.Context, c Config, jitless bool) (*zygote, error) {
	near, far, err := newControl()
	if err != nil {
		return nil, err
	}
	defer far.Close()
	group, held := newCgroup()
	process, err := launch(c, jitless, far)
	if err != nil {
		near.conn.Close()
		group.remove()
		return nil, fmt.Errorf("start the V8 zygote: %w", err)
	}
	far.Close() // or its end would not be seen
	z := &zygote{control: near, process: process, group: group, ended: make(chan struct{}),
		pending: map[int64]*birth{}, children: map[int64]*child{}}
	held = append(held, group.add(process.Pid)...)
	told, err := z.hello(ctx)
	if err != nil {
		_ = process.Kill()
		z.bury()
		return nil, fmt.Errorf("start the V8 zygote: %w", err)
	}
	z.holds = append(told, held...)
	go z.serve()
	return z, nil
}

// launch starts the process, in namespaces that it cannot enter by itself if
// the machine gives them: detected by doing.
func launch(c Config, jitless bool, far *os.File) (*os.Process, error) {
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	defer null.Close()
	var failed error
	for _, flags := range namespaces(os.Geteuid() == 0) {
		prelude, err := memoryFile(c.Prelude)
		if err != nil {
			return nil, err
		}
		p, err := os.StartProcess(c.Executable, []string{"reeve-v8"}, &os.ProcAttr{
			Dir:   "/",
			Env:   environment(c, jitless, flags&syscall.CLONE_NEWUSER != 0),
			Files: []*os.File{null, null, null, far, prelude},
			Sys:   attributes(flags),
		})
		prelude.Close()
		if err == nil {
			return p, nil
		}
		failed = err
	}
	return nil, failed
}

// namespaces are the sets to try. Root needs no user namespace for the others,
// and makes one when it has become somebody else.
func namespaces(root bool) []uintptr {
	if root {
		return []uintptr{syscall.CLONE_NEWPID, 0}
	}
	return []uintptr{syscall.CLONE_NEWUSER | syscall.CLONE_NEWPID, syscall.CLONE_NEWUSER, 0}
}

func attributes(flags uintptr) *syscall.SysProcAttr {
	sys := &syscall.SysProcAttr{Setsid: true, Cloneflags: flags}
	if flags&syscall.CLONE_NEWUSER != 0 {
		sys.UidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Geteuid(), Size: 1}}
		sys.GidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getegid(), Size: 1}}
	}
	return sys
}

// environment is all that a zygote sees of ours. Time and words are fixed: a
// program shall not depend on the machine's. The linker does its work at once,
// not again in every child.
func environment(c Config, jitless, userNamespace bool) []string {
	env := []string{
		"REEVE_V8_ZYGOTE=3", "LD_BIND_NOW=1", "TZ=UTC", "LC_ALL=en_US.UTF-8", "GLIBC_TUNABLES=glibc.malloc.arena_max=1",
		"REEVE_V8_UID=" + strconv.Itoa(c.UID), "REEVE_V8_GID=" + strconv.Itoa(c.GID),
		"REEVE_V8_MAX_HEAP=" + strconv.FormatUint(c.MaxHeap, 10),
	}
	if jitless {
		env = append(env, "REEVE_V8_JITLESS=1")
	}
	if userNamespace {
		env = append(env, "REEVE_V8_USERNS=1")
	}
	if c.probe != 0 {
		env = append(env, "REEVE_V8_PROBE="+strconv.Itoa(c.probe))
	}
	return env
}

func memoryFile(text string) (*os.File, error) {
	fd, err := unix.MemfdCreate("prelude", unix.MFD_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("memory for the prelude: %w", err)
	}
	f := os.NewFile(uintptr(fd), "prelude")
	if _, err := f.WriteString(text); err == nil {
		_, err = f.Seek(0, 0)
	}
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("memory for the prelude: %w", err)
	}
	return f, nil
}

// hello waits until the zygote is ready and returns how it is confined.
func (z *zygote) hello(ctx context.Context) (holds, error) {
	stop := context.AfterFunc(ctx, func() { _ = z.control.conn.SetReadDeadline(time.Unix(1, 0)) })
	m, text, fd, err := z.control.receive(make([]byte, helloSize))
	if fd >= 0 {
		unix.Close(fd)
	}
	if !stop() {
		return nil, context.Cause(ctx)
	}
	if err != nil {
		return nil, errors.New("it ended before it was ready")
	}
	if reason, failed := strings.CutPrefix(text, "error "); failed || m.Op != opHello {
		return nil, errors.New(reason)
	}
	z.version = firstAfter(text, "version ")
	return parseHolds(text), nil
}

// firstAfter returns what follows a word on its line.
func firstAfter(text, word string) string {
	_, rest, _ := strings.Cut(text, word)
	line, _, _ := strings.Cut(rest, "\n")
	return line
}
