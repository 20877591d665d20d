package keeper_test

import (
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/reeverun/reeve/keeper"
)

// What a sandbox is made of, in all tiers.
func sandboxFeatures() []string {
	all := []string{"no-new-privs", "no-capabilities", "landlock", "seccomp", "own-root", "own-proc", "unprivileged-user", "no-network",
		"mount-namespace", "pid-namespace", "net-namespace", "ipc-namespace", "uts-namespace", "cgroup-namespace"}
	if os.Geteuid() != 0 {
		all = append(all, "user-namespace")
	}
	return all
}

// whole skips on a machine where not every part of a sandbox works.
func whole(t *testing.T, s keeper.Spawner) {
	t.Helper()
	j, _ := shell(t, s, keeper.Spec{Sandbox: keeper.Sandboxed, Dir: t.TempDir()}, "true")
	for _, f := range sandboxFeatures() {
		if !holds(t, j, f) {
			t.Skipf("this machine lacks %s: %q", f, j.Enforced().Missing)
		}
	}
}

// Everything a sandbox promises can be required and is then there.
func TestSandboxRequired(t *testing.T) {
	s := open(t, keeper.Options{})
	defer s.Close()
	whole(t, s)
	spec := keeper.Spec{Sandbox: keeper.Sandboxed, Dir: t.TempDir(), Require: append(sandboxFeatures(), "tree-kill")}
	if _, out := shell(t, s, spec, "echo in"); out != "in\n" {
		t.Errorf("%q", out)
	}
	spec = keeper.Spec{Require: []string{"landlock"}}
	requires(t, s, spec, "landlock")
}

// A part that a machine lacks is named, the job goes on without it or is
// refused, and the other parts hold.
func TestDegraded(t *testing.T) {
	whole(t, openForTest(t, keeper.Options{}))
	for _, tier := range []keeper.Tier{keeper.TierCgroup2, keeper.TierSubreaper, keeper.TierGroup} {
		for _, off := range []string{"landlock", "seccomp", "own-root", "own-proc", "mount-namespace", "pid-namespace", "net-namespace", "ipc-namespace"} {
			t.Run(string(tier)+"/"+off, func(t *testing.T) { degraded(t, tier, off) })
		}
	}
}

func openForTest(t *testing.T, o keeper.Options) keeper.Spawner {
	t.Helper()
	s := open(t, o)
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func degraded(t *testing.T, tier keeper.Tier, off string) {
	s, err := keeper.NewInProcess(keeper.Options{Name: t.Name(), Tier: tier}.Without(off))
	if err != nil {
		t.Skip(err)
	}
	defer s.Close()
	spec := keeper.Spec{Sandbox: keeper.Sandboxed, Dir: t.TempDir()}
	j, out := shell(t, s, spec, `echo x > file && cat file; ls /root >/dev/null 2>&1 && echo root; sh -c 'exec 3<>/dev/tcp/127.0.0.1/1' 2>/dev/null; id -u`)
	uid := strings.TrimPrefix(out, "x\n")
	if uid == out {
		t.Errorf("it cannot write its folder: %q", out)
	}
	e := j.Enforced()
	if !slices.ContainsFunc(e.Missing, func(m string) bool { return strings.HasPrefix(m, off+": ") }) || slices.Contains(e.Held, off) {
		t.Errorf("%s is off: %+v", off, e)
	}
	for _, still := range []string{"no-new-privs", "no-capabilities", "no-network"} {
		if !slices.Contains(e.Held, still) {
			t.Errorf("%s went with %s: %q", still, off, e.Missing)
		}
	}
	spec.Require = []string{off}
	requires(t, s, spec, off)
	// A secret stays one as long as either of the two hides it.
	secret := outsideFolder(t) + "/secret"
	if err := os.WriteFile(secret, []byte("secret"), 0o644); err != nil {
		t.Fatal(err)
	}
	spec.Require = nil
	if _, out := shell(t, s, spec, "cat "+secret); strings.Contains(out, "secret\n") || out == "secret" {
		t.Errorf("without %s it reads a secret: %q", off, out)
	}
}

// Whoever a sandboxed job runs as, what it makes in its folder is the folder's
// owner's, and what was there is its own.
func TestSandboxOwnsItsFolder(t *testing.T) {
	s := open(t, keeper.Options{})
	defer s.Close()
	whole(t, s)
	owners := []int{os.Geteuid()}
	if os.Geteuid() == 0 {
		owners = append(owners, 4321)
	}
	for _, owner := range owners {
		dir := t.TempDir()
		if err := os.WriteFile(dir+"/old", []byte("old\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, path := range []string{dir, dir + "/old"} {
			if err := os.Chown(path, owner, owner); err != nil {
				t.Fatal(err)
			}
		}
		_, out := shell(t, s, keeper.Spec{Sandbox: keeper.Sandboxed, Dir: dir}, `cat old && echo more >> old && mkdir -p a/b && echo new > a/b/new; ls -ln a/b/new | cut -d' ' -f3 | grep -qx "$(id -u)" && echo mine; id -u; pwd`)
		real, _ := filepath.EvalSymlinks(dir)
		if !strings.HasPrefix(out, "old\nmine\n") || strings.HasPrefix(out, "old\nmine\n0\n") || !strings.HasSuffix(out, real+"\n") {
			t.Errorf("it says %q", out)
		}
		var st syscall.Stat_t
		if err := syscall.Stat(dir+"/a/b/new", &st); err != nil || int(st.Uid) != owner {
			t.Errorf("new is %d's instead of %d's: %v", st.Uid, owner, err)
		}
		if b, err := os.ReadFile(dir + "/old"); err != nil || string(b) != "old\nmore\n" {
			t.Errorf("%q, %v", b, err)
		}
	}
}

// The first process of a sandbox cannot be ended from inside.
func TestSandboxHolderAttacked(t *testing.T) {
	s := open(t, keeper.Options{})
	defer s.Close()
	whole(t, s)
	j, _ := shell(t, s, keeper.Spec{Sandbox: keeper.Sandboxed, Dir: t.TempDir()},
		`for i in 1 2 3 5; do for s in KILL STOP TERM SEGV QUIT ABRT BUS HUP ILL; do kill -$s 1; done; done 2>/dev/null; exit 7`)
	if e, err := j.Wait(soon(t)); err != nil || e != (keeper.Exit{Code: 7}) {
		t.Errorf("%+v, %v", e, err)
	}
}

// What there is to see in a sandbox.
func TestSandboxView(t *testing.T) {
	s := open(t, keeper.Options{})
	defer s.Close()
	whole(t, s)
	for script, want := range map[string]string{
		`ls /dev`:                      "fd\nfull\nnull\nrandom\nshm\nstderr\nstdin\nstdout\ntty\nurandom\nzero\n",
		`set -- /proc/[0-9]*; echo $#`: "2\n", // the holder and the shell
		`ls -A /tmp /home /root /run`:  "/home:\n\n/root:\n\n/run:\n\n/tmp:\n",
		`echo x > /tmp/a && echo y > /dev/shm/b && ls /tmp`:                                                      "a\nb\n",
		`touch /x /etc/x /usr/x /dev/x /proc/x 2>/dev/null; ls -d /x /etc/x /usr/x /dev/x 2>/dev/null; hostname`: "sandbox\n",
		`ls -d /sys /var/lib /boot /etc/shadow /etc/ssh 2>/dev/null; echo end`:                                   "end\n",
		`pwd`: "/tmp\n", // without a folder
		`: < /dev/stdin; head -c 3 /dev/zero | wc -c`:                                                     "3\n",
		`umask; cat /proc/sys/kernel/ostype; echo 1 2>/dev/null > /proc/sys/kernel/ostype || echo closed`: "0022\nLinux\nclosed\n",
	} {
		if _, out := shell(t, s, keeper.Spec{Sandbox: keeper.Sandboxed}, script); out != want {
			t.Errorf("%s\nsays %q instead of %q", script, out, want)
		}
	}
}

// A file for output can be opened again by its name in /dev.
func TestOutputFileReopened(t *testing.T) {
	s := open(t, keeper.Options{})
	defer s.Close()
	for _, kind := range []keeper.Sandbox{keeper.Confined, keeper.Sandboxed} {
		dir := outsideFolder(t)
		log, err := os.OpenFile(dir+"/log", os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o666)
		if err != nil {
			t.Fatal(err)
		}
		if err := log.Chmod(0o666); err != nil {
			t.Fatal(err)
		}
		j, err := s.Spawn(t.Context(), keeper.Spec{Path: "/bin/sh", Args: []string{"-c", "echo a; echo b >> /dev/stdout; echo c"},
			Sandbox: kind, Dir: t.TempDir(), Env: []string{"PATH=/usr/bin:/bin"}, Stdout: log, Stderr: log})
		if err != nil {
			t.Fatal(err)
		}
		if err := j.WaitEmpty(soon(t)); err != nil {
			t.Fatal(err)
		}
		j.Release()
		log.Close()
		if b, _ := os.ReadFile(dir + "/log"); string(b) != "a\nb\nc\n" {
			t.Errorf("%s: %q", kind, b)
		}
	}
}

// Nothing is left of a sandbox: no mount, no namespace, no process, no cgroup.
func TestNothingIsLeft(t *testing.T) {
	before := mounts(t)
	s := open(t, keeper.Options{})
	whole(t, s)
	dir := t.TempDir()
	for range 5 {
		j, _ := begin(t, s, keeper.Spec{Sandbox: keeper.Sandboxed, Dir: dir, Limits: keeper.Limits{Memory: 1 << 28}}, "sleep 600 & setsid sleep 600 & wait")
		j.Kill()
		if err := j.WaitEmpty(soon(t)); err != nil {
			t.Fatal(err)
		}
		j.Release()
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if after := mounts(t); after != before {
		t.Errorf("mounts before\n%s\nand after\n%s", before, after)
	}
	if left, _ := os.ReadDir(dir); len(left) != 0 {
		t.Errorf("the folder holds %v", left)
	}
	mine := "reeve-*-" + strconv.Itoa(os.Getpid()) + "-*"
	for _, pattern := range []string{"/sys/fs/cgroup/" + mine, "/sys/fs/cgroup/*/" + mine, "/sys/fs/cgroup/*/*/*/" + mine} {
		if left, _ := filepath.Glob(pattern); len(left) > 0 {
			t.Errorf("cgroups are left: %v", left)
		}
	}
	// The namespaces go with their last process: nobody is in another one.
	own, err := os.Readlink("/proc/self/ns/net")
	if err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(patience); ; time.Sleep(time.Millisecond) {
		if others := childrenElsewhere(own); len(others) == 0 {
			return
		} else if time.Now().After(deadline) {
			t.Fatalf("these live in other namespaces: %v", others)
		}
	}
}

func childrenElsewhere(own string) []string {
	var out []string
	links, _ := filepath.Glob("/proc/[0-9]*/ns/net")
	for _, l := range links {
		dir := filepath.Dir(filepath.Dir(l))
		stat, _ := os.ReadFile(dir + "/stat")
		_, rest, _ := strings.Cut(string(stat), ") ")
		if f := strings.Fields(rest); len(f) < 2 || f[1] != strconv.Itoa(os.Getpid()) {
			continue
		}
		if ns, err := os.Readlink(l); err == nil && ns != own {
			out = append(out, dir)
		}
	}
	return out
}

func mounts(t *testing.T) string {
	t.Helper()
	f, err := os.Open("/proc/self/mounts")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	b, err := io.ReadAll(f)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
