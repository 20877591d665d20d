package keeper_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/reeverun/reeve/keeper"
)

// TestAsHost is no test: it is what other tests start this program for, a host
// that spawns one sleeper, freezes it if told to, and waits to be killed.
func TestAsHost(t *testing.T) {
	name := os.Getenv("KEEPER_TEST_HOST")
	if name == "" {
		t.Skip("for TestHostKilled and others")
	}
	s := open(t, keeper.Options{Name: name, Tier: keeper.Tier(os.Getenv("KEEPER_TEST_TIER"))})
	up, stdout, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	j, err := s.Spawn(context.Background(), keeper.Spec{Path: "/bin/sh", Args: []string{"-c",
		"setsid sh -c 'echo up; exec sleep " + os.Getenv("KEEPER_TEST_MARK") + "' & wait"}, Stdout: stdout})
	if err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(up).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	if os.Getenv("KEEPER_TEST_FREEZE") != "" {
		if err := j.Freeze(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
	_, _ = os.Stdout.WriteString(line)
	_, _ = io.Copy(io.Discard, os.Stdin)
}

// host starts TestAsHost in a process of its own.
func host(t *testing.T, name string, tier keeper.Tier, mark string) *exec.Cmd {
	t.Helper()
	c := exec.Command("/proc/self/exe", "-test.run=^TestAsHost$")
	startHost(t, c, name, tier, mark)
	return c
}

func startHost(t *testing.T, c *exec.Cmd, name string, tier keeper.Tier, mark string) {
	t.Helper()
	c.Env = append(os.Environ(), "KEEPER_TEST_HOST="+name, "KEEPER_TEST_TIER="+string(tier), "KEEPER_TEST_MARK="+mark)
	c.Stderr = os.Stderr
	if _, err := c.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = c.Process.Kill()
		_ = c.Wait()
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil || line != "up\n" {
		t.Fatalf("the host says %q, %v", line, err)
	}
}

// In a delegated cgroup, jobs are beside the host's own.
func TestDelegatedCgroup(t *testing.T) {
	s, err := keeper.NewInProcess(keeper.Options{Name: t.Name(), Tier: keeper.TierCgroup2})
	if err != nil {
		t.Skip(err)
	}
	_, out := shell(t, s, keeper.Spec{}, inside+`echo ${base%/*/*}`)
	s.Close()
	unit := strings.TrimSpace(out) + fmt.Sprintf("/reeve-test-unit-%d", os.Getpid())
	if err := os.MkdirAll(unit+"/main", 0o755); err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { _ = syscall.Rmdir(unit + "/main"); _ = syscall.Rmdir(unit) })
	if err := unix.Setxattr(unit, "trusted.delegate", []byte("1"), 0); err != nil {
		t.Skip(err)
	}
	fd, err := os.Open(unit + "/main")
	if err != nil {
		t.Fatal(err)
	}
	defer fd.Close()
	m := mark(t, 6)
	c := exec.Command("/proc/self/exe", "-test.run=^TestAsHost$")
	c.SysProcAttr = &syscall.SysProcAttr{UseCgroupFD: true, CgroupFD: int(fd.Fd())}
	startHost(t, c, t.Name(), keeper.TierCgroup2, m)
	if found, _ := filepath.Glob(unit + "/reeve-*/*/cgroup.procs"); len(found) == 0 {
		t.Error("no job's cgroup is beside the host's")
	}
	if found, _ := filepath.Glob(unit + "/main/reeve-*"); len(found) != 0 {
		t.Errorf("%v are below the host's", found)
	}
	_ = c.Process.Kill()
	_ = c.Wait()
	jobs, _ := filepath.Glob(unit + "/reeve-*")
	for _, dir := range jobs {
		_ = os.WriteFile(dir+"/cgroup.kill", []byte("1"), 0)
	}
	for deadline := time.Now().Add(patience); sleeping(m) && time.Now().Before(deadline); time.Sleep(time.Millisecond) {
	}
	for _, dir := range jobs {
		runs, _ := filepath.Glob(dir + "/[0-9]*")
		for _, run := range runs {
			_ = syscall.Rmdir(run)
		}
		_ = syscall.Rmdir(dir)
	}
	v1, _ := filepath.Glob(fmt.Sprintf("/sys/fs/cgroup/*/reeve-*-%d-*", c.Process.Pid))
	v1b, _ := filepath.Glob(fmt.Sprintf("/sys/fs/cgroup/*/*/*/reeve-*-%d-*", c.Process.Pid))
	for _, dir := range append(v1, v1b...) {
		runs, _ := filepath.Glob(dir + "/[0-9]*")
		for _, run := range runs {
			_ = syscall.Rmdir(run)
		}
		_ = syscall.Rmdir(dir)
	}
}

func mark(t *testing.T, n int) string { return fmt.Sprintf("601.%d%d", os.Getpid(), n) }

func sleeping(mark string) bool {
	files, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, f := range files {
		if b, _ := os.ReadFile(f); strings.Contains(string(b), mark) {
			return true
		}
	}
	return false
}

// A new host of the same name ends what a dead one left, and touches neither a
// living host's jobs nor another name's.
func TestSweepOfDeadHosts(t *testing.T) {
	s, err := keeper.NewInProcess(keeper.Options{Name: t.Name(), Tier: keeper.TierCgroup2})
	if err != nil {
		t.Skip(err)
	}
	s.Close()
	// Registered before the hosts' own cleanup, so it comes after: the living
	// host leaves its job behind when it is killed at last.
	t.Cleanup(func() { open(t, keeper.Options{Tier: keeper.TierCgroup2}).Close() })
	dead, living, other := mark(t, 1), mark(t, 2), mark(t, 3)
	a := host(t, t.Name(), keeper.TierCgroup2, dead)
	host(t, t.Name(), keeper.TierCgroup2, living)
	b := host(t, t.Name()+" other", keeper.TierCgroup2, other)
	for _, c := range []*exec.Cmd{a, b} {
		_ = c.Process.Kill()
		_ = c.Wait()
	}
	if !sleeping(dead) {
		t.Fatal("the job died with its host: nothing to sweep")
	}
	s = open(t, keeper.Options{Tier: keeper.TierCgroup2})
	defer s.Close()
	if sleeping(dead) {
		t.Error("a dead host's job is left")
	}
	if !sleeping(living) {
		t.Error("a living host's job was killed")
	}
	if !sleeping(other) {
		t.Error("another name's job was killed")
	}
	open(t, keeper.Options{Name: t.Name() + " other", Tier: keeper.TierCgroup2}).Close()
	if sleeping(other) {
		t.Error("its own name did not sweep it")
	}
}

// What a dead host left frozen is swept, too.
func TestSweepOfTheFrozen(t *testing.T) {
	s, err := keeper.NewInProcess(keeper.Options{Name: t.Name(), Tier: keeper.TierCgroup2})
	if err != nil {
		t.Skip(err)
	}
	s.Close()
	t.Setenv("KEEPER_TEST_FREEZE", "1")
	m := mark(t, 5)
	c := host(t, t.Name(), keeper.TierCgroup2, m)
	_ = c.Process.Kill()
	_ = c.Wait()
	if !sleeping(m) {
		t.Fatal("the job died with its host: nothing to sweep")
	}
	open(t, keeper.Options{Tier: keeper.TierCgroup2}).Close()
	if sleeping(m) {
		t.Error("a dead host's frozen job is left")
	}
}

// A subreaper whose host dies ends its job, and one that is frozen.
func TestHostOfSubreaperKilled(t *testing.T) {
	for _, freeze := range []string{"", "1"} {
		t.Setenv("KEEPER_TEST_FREEZE", freeze)
		hostOfSubreaperKilled(t)
	}
}

func hostOfSubreaperKilled(t *testing.T) {
	m := mark(t, 4)
	// Its empty cgroups are left to the next of its name.
	t.Cleanup(func() { open(t, keeper.Options{Tier: keeper.TierSubreaper}).Close() })
	c := host(t, t.Name(), keeper.TierSubreaper, m)
	_ = c.Process.Kill()
	_ = c.Wait()
	for deadline := time.Now().Add(patience); sleeping(m); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the job outlived its host")
		}
	}
}

// TestOrdinaryUser runs the suite as nobody, whom no cgroup serves.
func TestOrdinaryUser(t *testing.T) {
	asNobody(t, "^(TestConformance|TestBestTierOfUser|TestSubreaperKilled)$/^(subreaper|pgroup)?$", nil)
}

// TestOrdinaryUserInSandboxes runs the suite as nobody, in every sandbox.
func TestOrdinaryUserInSandboxes(t *testing.T) {
	if os.Getenv("REEVE_TORTURE") == "" {
		t.Skip("make torture runs the suite as nobody in sandboxes; here they are attacked as nobody")
	}
	asNobody(t, "^TestConformanceInSandboxes$/^(confined|sandbox)$/^subreaper$", nil)
}

// asNobody runs tests of this program as nobody. prepare gets a folder that
// only root writes, and returns more of the environment.
func asNobody(t *testing.T, tests string, prepare func(dir string) []string) {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("this is an ordinary user already")
	}
	dir, err := os.MkdirTemp("", "keeper")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	bin := dir + "/keeper.test"
	copyProgram(t, bin)
	const nobody = 65534
	if err := os.Mkdir(dir+"/tmp", 0o700); err != nil {
		t.Fatal(err)
	}
	for path, mode := range map[string]os.FileMode{dir: 0o755, bin: 0o755} {
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chown(dir+"/tmp", nobody, nobody); err != nil {
		t.Fatal(err)
	}
	c := exec.Command(bin, "-test.run="+tests, "-test.v="+strconv.FormatBool(testing.Verbose()))
	c.Dir = dir + "/tmp"
	c.Env = []string{"PATH=" + os.Getenv("PATH"), "TMPDIR=" + dir + "/tmp", "KEEPER_TEST_USER=1"}
	if prepare != nil {
		c.Env = append(c.Env, prepare(dir)...)
	}
	c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	out, err := c.CombinedOutput()
	if err != nil && c.ProcessState == nil {
		t.Skipf("cannot run as another user: %v", err)
	}
	if err != nil {
		t.Errorf("as nobody: %v\n%s", err, out)
	}
	t.Logf("%s", out)
}

func copyProgram(t *testing.T, to string) {
	t.Helper()
	src, err := os.Open("/proc/self/exe")
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	dst, err := os.Create(to)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(dst, src); err != nil {
		t.Fatal(err)
	}
	if err := dst.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestBestTierOfUser(t *testing.T) {
	if os.Getenv("KEEPER_TEST_USER") == "" {
		t.Skip("for TestOrdinaryUser")
	}
	s := open(t, keeper.Options{})
	defer s.Close()
	if s.Tier() != keeper.TierSubreaper || len(s.Reasons()) != 1 || !strings.Contains(s.Reasons()[0], "cgroup2") {
		t.Errorf("tier %s, %q", s.Tier(), s.Reasons())
	}
}
