package keeper_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// attack is something a job may try. Its words, and whom each sandbox lets
// succeed, are also the table of docs/security.md.
type attack struct {
	name                       string
	trusted, confined, sandbox verdict
	try                        func(target) error // nil: it worked
}

// verdict says whether an attack works.
type verdict string

const (
	yes    verdict = "yes"
	no     verdict = "no"
	asRoot verdict = "as root" // only for a job of root's
	varies verdict = "varies"  // the machine decides
)

// target is what is attacked.
type target struct {
	Work, Outside, Secret string
	TCP, UDP, Abstract    string
	Socket, WorkSocket    string
	Victim                int
	SetUID                string // empty: there is none
}

var attacks = []attack{
	{"read a file outside the work folder that all may read", yes, yes, no, func(t target) error { return read(t.Secret) }},
	{"read `/etc/shadow`", asRoot, asRoot, no, func(target) error { return read("/etc/shadow") }},
	{"write a folder of its user's outside the work folder", yes, no, no, func(t target) error { return write(t.Outside) }},
	{"write under `/usr`", asRoot, no, no, func(target) error { return write("/usr") }},
	{"TCP to the host's loopback", yes, yes, no, func(t target) error { return dial("tcp", t.TCP) }},
	{"UDP to the host's loopback", yes, yes, no, func(t target) error { return echo(t.UDP) }},
	{"an abstract unix socket", yes, no, no, func(t target) error { return dial("unix", t.Abstract) }},
	{"a unix socket outside the work folder", yes, yes, no, func(t target) error { return dial("unix", t.Socket) }},
	{"a unix socket in the work folder", yes, yes, yes, func(t target) error { return dial("unix", t.WorkSocket) }},
	{"see a process outside", yes, yes, no, func(t target) error { return seeProcess(t.Victim) }},
	{"signal a process outside", yes, no, no, func(t target) error { return syscall.Kill(t.Victim, syscall.SIGCONT) }},
	{"trace a process outside", yes, no, no, func(t target) error { return trace(t.Victim) }},
	{"read the environment of a process outside", yes, no, no, func(t target) error { return read(fmt.Sprintf("/proc/%d/environ", t.Victim)) }},
	{"make a user namespace", yes, no, no, func(target) error { return unshare() }},
	{"mount", asRoot, no, no, func(t target) error { return mount(t.Work + "/mnt") }},
	{"change its root", asRoot, no, no, func(target) error { return unix.Chroot("/") }},
	{"`bpf`", asRoot, no, no, func(target) error { return bpf() }},
	{"`io_uring`", varies, no, no, func(target) error { return ioURing() }},
	{"the kernel's keys", varies, no, no, func(target) error { _, err := unix.KeyctlGetKeyringID(unix.KEY_SPEC_USER_KEYRING, true); return err }},
	{"packet sockets", asRoot, no, no, func(target) error { return socket(unix.AF_PACKET, unix.SOCK_RAW, 0) }},
	{"raw sockets", asRoot, no, no, func(target) error { return socket(unix.AF_INET, unix.SOCK_RAW, unix.IPPROTO_ICMP) }},
	{"gain rights by a set-user-id program", yes, no, no, func(t target) error { return becomeRoot(t.SetUID) }},
	{"make a set-user-id program", yes, no, no, func(t target) error { return makeSetUID(t.Work) }},
	{"keep a capability", asRoot, no, no, func(target) error { return capability() }},
	{"fill the disk by way of `/tmp`", yes, yes, no, func(target) error { return fill("/tmp") }},
}

// attackMain is what the test binary does inside a job: it tries everything
// and prints what came of it.
func attackMain() {
	text := os.Getenv("KEEPER_TEST_ATTACK")
	if text == "" {
		return
	}
	if text == "euid" { // the set-user-id copy
		fmt.Println(os.Geteuid())
		os.Exit(0)
	}
	var t target
	if err := json.Unmarshal([]byte(text), &t); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	came := map[string]string{}
	for _, a := range attacks {
		came[a.name] = onThread(func() error { return a.try(t) })
	}
	out, _ := json.Marshal(came)
	fmt.Println(string(out))
	os.Exit(0)
}

// onThread tries on a thread that ends with the attempt, which may change it.
func onThread(f func() error) string {
	done := make(chan string)
	go func() {
		runtime.LockOSThread()
		if err := f(); err != nil {
			done <- err.Error()
			return
		}
		done <- ""
	}()
	return <-done
}

func read(path string) error {
	b, err := os.ReadFile(path)
	if err == nil && len(b) == 0 {
		return errors.New("empty")
	}
	return err
}

func write(dir string) error {
	path := filepath.Join(dir, fmt.Sprintf("reeve-attack-%d", os.Getpid()))
	if err := os.WriteFile(path, []byte("x"), 0o600); err != nil {
		return err
	}
	return os.Remove(path)
}

func dial(network, address string) error {
	c, err := net.DialTimeout(network, address, 5*time.Second)
	if err == nil {
		c.Close()
	}
	return err
}

func echo(address string) error {
	c, err := net.Dial("udp", address)
	if err != nil {
		return err
	}
	defer c.Close()
	if _, err := c.Write([]byte("x")); err != nil {
		return err
	}
	_ = c.SetReadDeadline(time.Now().Add(2 * time.Second))
	_, err = c.Read(make([]byte, 1))
	return err
}

func seeProcess(pid int) error {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/cmdline")
	if err == nil && !strings.Contains(string(b), "sleep") {
		return errors.New("another process")
	}
	return err
}

func trace(pid int) error {
	if err := unix.PtraceAttach(pid); err != nil {
		return err
	}
	_, _ = unix.Wait4(pid, nil, unix.WALL, nil)
	return unix.PtraceDetach(pid)
}

// unshare makes a child in a user namespace that gets as far as executing
// nothing; the namespace of this process is left alone, it has threads.
func unshare() error {
	_, err := syscall.ForkExec("/dev/null/x", []string{"x"}, &syscall.ProcAttr{Sys: &syscall.SysProcAttr{Cloneflags: unix.CLONE_NEWUSER}})
	if err == syscall.ENOTDIR {
		return nil
	}
	return err
}

func mount(dir string) error {
	if err := unix.Mount("none", dir, "tmpfs", 0, ""); err != nil {
		return err
	}
	return unix.Unmount(dir, 0)
}

func bpf() error {
	attr := struct{ kind, key, value, entries uint32 }{2, 4, 4, 1} // an array
	fd, _, e := unix.Syscall(unix.SYS_BPF, 0, uintptr(unsafe.Pointer(&attr)), unsafe.Sizeof(attr))
	if e != 0 {
		return e
	}
	return unix.Close(int(fd))
}

func ioURing() error {
	var params [120]byte
	fd, _, e := unix.Syscall(unix.SYS_IO_URING_SETUP, 1, uintptr(unsafe.Pointer(&params)), 0)
	if e != 0 {
		return e
	}
	return unix.Close(int(fd))
}

func socket(family, kind, protocol int) error {
	fd, err := unix.Socket(family, kind, protocol)
	if err == nil {
		unix.Close(fd)
	}
	return err
}

func becomeRoot(program string) error {
	c := exec.Command(program)
	c.Env = []string{"KEEPER_TEST_ATTACK=euid"}
	out, err := c.Output()
	if err == nil && strings.TrimSpace(string(out)) != "0" {
		return fmt.Errorf("still %s", out)
	}
	return err
}

func makeSetUID(dir string) error {
	path := dir + "/made"
	if err := os.WriteFile(path, nil, 0o700); err != nil {
		return err
	}
	if err := unix.Chmod(path, 0o4755); err != nil {
		return err
	}
	return os.Remove(path)
}

func capability() error {
	status, err := os.ReadFile("/proc/thread-self/status")
	if err != nil {
		return err
	}
	for line := range strings.Lines(string(status)) {
		key, value, _ := strings.Cut(line, ":")
		if strings.HasPrefix(key, "Cap") && key != "CapBnd" && strings.Trim(value, "0\t\n ") != "" {
			return nil
		}
	}
	return errors.New("none")
}

// fill writes more than a sandbox's own folder takes.
func fill(dir string) error {
	f, err := os.CreateTemp(dir, "reeve-fill-")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	defer f.Close()
	return unix.Fallocate(int(f.Fd()), 0, 0, 80<<20)
}
