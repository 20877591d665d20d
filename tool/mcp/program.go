package mcp

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/reeverun/reeve/process"
)

// program is a server that runs as a process of ours.
type program struct {
	cmd    *exec.Cmd
	stdin  *os.File
	stdout *os.File
	exited chan struct{}
	once   sync.Once
}

// startProgram starts the server's program.
func (a *Adapter) startProgram(c *connection) (mcp.Transport, error) {
	words := &tailWriter{log: a.log, redact: a.secrets.Redact}
	cmd := exec.Command(a.cfg.Command[0], a.cfg.Command[1:]...)
	cmd.Dir, cmd.Env, cmd.Stderr = a.cfg.Dir, environment(a.cfg.Env), words
	cmd.WaitDelay = time.Second // for a descendant that keeps stderr open
	ownGroup(cmd)
	p, err := start(cmd)
	if err != nil {
		return nil, err
	}
	c.stop, c.last = p.stop, words.tail
	return &mcp.IOTransport{Reader: p.stdout, Writer: nopCloser{p.stdin}, MaxLineLength: maxMessage}, nil
}

// nopCloser leaves closing to who starts and stops the program.
type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }

// start starts a command with pipes of our own: those of os/exec lose what is
// read after Wait.
func start(cmd *exec.Cmd) (*program, error) {
	theirIn, ourOut, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	ourIn, theirOut, err := os.Pipe()
	if err != nil {
		theirIn.Close()
		ourOut.Close()
		return nil, err
	}
	cmd.Stdin, cmd.Stdout = theirIn, theirOut
	err = cmd.Start()
	theirIn.Close()
	theirOut.Close()
	if err != nil {
		ourOut.Close()
		ourIn.Close()
		return nil, fmt.Errorf("start the server: %w", err)
	}
	p := &program{cmd: cmd, stdin: ourOut, stdout: ourIn, exited: make(chan struct{})}
	go func() { // ends with the program, which stop ends and waits for
		defer close(p.exited)
		_ = cmd.Wait()
		endGroup(cmd, true) // what it left behind would keep our pipe open
	}()
	return p, nil
}

// stop ends the program as the protocol asks: its input is closed, then it is
// asked to end, then it is killed.
func (p *program) stop() {
	p.once.Do(func() {
		p.stdin.Close()
		if !p.within(closeTime) {
			endGroup(p.cmd, false)
			if !p.within(closeTime / 2) {
				endGroup(p.cmd, true)
			}
		}
		<-p.exited
		p.stdout.Close()
	})
}

// within reports whether the program ends in time.
func (p *program) within(d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-p.exited:
		return true
	case <-t.C:
		return false
	}
}

// usual are the variables that programs need to work at all. The others of the
// host's environment may hold secrets.
var usual = map[bool][]string{
	false: {"HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER", "LANG", "LC_ALL", "TZ", "TMPDIR"},
	true: {
		"APPDATA", "COMSPEC", "HOMEDRIVE", "HOMEPATH", "LOCALAPPDATA", "PATH", "PATHEXT", "PROCESSOR_ARCHITECTURE",
		"PROGRAMFILES", "SYSTEMDRIVE", "SYSTEMROOT", "TEMP", "TMP", "USERNAME", "USERPROFILE",
	},
}

// environment is what a program gets to see.
func environment(configured map[string]process.Secret) []string {
	env := []string{}
	windows := runtime.GOOS == "windows"
	for _, pair := range os.Environ() {
		name, _, _ := strings.Cut(pair, "=")
		if windows {
			name = strings.ToUpper(name)
		}
		if slices.Contains(usual[windows], name) {
			env = append(env, pair)
		}
	}
	for name, value := range configured { // the last of two wins
		env = append(env, name+"="+value.Reveal())
	}
	return env
}
