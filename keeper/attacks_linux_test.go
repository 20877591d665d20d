package keeper_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/reeverun/reeve/keeper"
)

// newTarget sets up what is to be attacked: listeners, a victim, files.
func newTarget(t *testing.T) target {
	t.Helper()
	outside := outsideFolder(t)
	g := target{Work: t.TempDir(), Outside: outside, Secret: outside + "/secret", Socket: outside + "/socket",
		SetUID: os.Getenv("KEEPER_TEST_SETUID"), Abstract: fmt.Sprintf("@reeve-test-%d", os.Getpid())}
	g.WorkSocket = g.Work + "/socket"
	for path, mode := range map[string]os.FileMode{g.Work + "/attacker": 0o755} {
		copyProgram(t, path)
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(g.Work+"/mnt", 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(g.Secret, []byte("secret"), 0o644); err != nil {
		t.Fatal(err)
	}
	g.TCP = serve(t, "tcp", "127.0.0.1:0")
	serve(t, "unix", g.Abstract)
	serve(t, "unix", g.Socket)
	serve(t, "unix", g.WorkSocket)
	if err := os.Chmod(g.WorkSocket, 0o777); err != nil {
		t.Fatal(err)
	}
	g.UDP = serveUDP(t)
	g.Victim = victim(t)
	return g
}

// outsideFolder is one where a confined job may not write: not below /tmp.
func outsideFolder(t *testing.T) string {
	t.Helper()
	home, _ := os.UserHomeDir()
	for _, parent := range []string{os.Getenv("KEEPER_TEST_OUTSIDE"), "/var/lib", home} {
		if parent == "" {
			continue
		}
		if dir, err := os.MkdirTemp(parent, "reeve-test-"); err == nil {
			t.Cleanup(func() { os.RemoveAll(dir) })
			if err := os.Chmod(dir, 0o755); err != nil {
				t.Fatal(err)
			}
			return dir
		}
	}
	t.Skip("there is no folder outside /tmp to write to")
	return ""
}

func serve(t *testing.T, network, address string) string {
	t.Helper()
	l, err := net.Listen(network, address)
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			c.Close()
		}
	}()
	t.Cleanup(func() { l.Close(); <-done })
	return l.Addr().String()
}

func serveUDP(t *testing.T) string {
	t.Helper()
	c, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for buf := make([]byte, 16); ; {
			n, from, err := c.ReadFrom(buf)
			if err != nil {
				return
			}
			_, _ = c.WriteTo(buf[:n], from)
		}
	}()
	t.Cleanup(func() { c.Close(); <-done })
	return c.LocalAddr().String()
}

// victim is a process of the same user, with something in its environment.
func victim(t *testing.T) int {
	t.Helper()
	c := exec.Command("sleep", "600")
	c.Env = []string{"SECRET=1"}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Process.Kill(); _ = c.Wait() })
	return c.Process.Pid
}

// TestAttacks tries the attack list in each sandbox and compares with the
// table.
func TestAttacks(t *testing.T) {
	for _, tier := range []keeper.Tier{keeper.TierCgroup2, keeper.TierSubreaper} {
		s, err := keeper.NewInProcess(keeper.Options{Name: t.Name(), Tier: tier})
		if err != nil {
			t.Logf("%s: %v", tier, err)
			continue
		}
		for _, kind := range []keeper.Sandbox{keeper.Trusted, keeper.Confined, keeper.Sandboxed} {
			t.Run(string(tier)+"/"+string(kind), func(t *testing.T) { attackFrom(t, s, kind) })
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}

func attackFrom(t *testing.T, s keeper.Spawner, kind keeper.Sandbox) {
	g := newTarget(t)
	text, _ := json.Marshal(g)
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	j, err := s.Spawn(t.Context(), keeper.Spec{Path: g.Work + "/attacker", Dir: g.Work, Sandbox: kind,
		Env: []string{"PATH=/usr/bin:/bin", "KEEPER_TEST_ATTACK=" + string(text)}, Stdout: w, Stderr: os.Stderr})
	w.Close()
	if err != nil {
		t.Fatal(err)
	}
	defer j.Release()
	e := j.Enforced()
	t.Logf("held %q, missing %q", e.Held, e.Missing)
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<20)
	var came map[string]string
	if !lines.Scan() || json.Unmarshal(lines.Bytes(), &came) != nil {
		exit, err := j.Wait(soon(t))
		t.Fatalf("the attacker says %q and ended with %+v, %v", lines.Text(), exit, err)
	}
	judge(t, came, kind, g)
	if err := j.WaitEmpty(soon(t)); err != nil {
		t.Error(err)
	}
}

func judge(t *testing.T, came map[string]string, kind keeper.Sandbox, g target) {
	root := os.Geteuid() == 0
	for _, a := range attacks {
		want := map[keeper.Sandbox]verdict{keeper.Trusted: a.trusted, keeper.Confined: a.confined, keeper.Sandboxed: a.sandbox}[kind]
		setuid := strings.HasPrefix(a.name, "gain rights")
		if want == varies || setuid && (root || g.SetUID == "") {
			continue
		}
		if strings.HasPrefix(a.name, "fill") && want == yes && unix.Access("/tmp", unix.W_OK) != nil {
			continue // this machine's /tmp is not for all
		}
		worked := came[a.name] == ""
		if shall := want == yes || want == asRoot && root; worked != shall {
			t.Errorf("%s: worked is %t, %q in the table: %s", a.name, worked, want, came[a.name])
		}
	}
}

// TestAttacksAsOrdinaryUser has nobody try them.
func TestAttacksAsOrdinaryUser(t *testing.T) {
	asNobody(t, "^TestAttacks$", forNobody(t))
}

// forNobody prepares what only root can.
func forNobody(t *testing.T) func(dir string) []string {
	return func(dir string) []string {
		outside := outsideFolder(t)
		setuid := dir + "/setuid"
		copyProgram(t, setuid)
		for path, mode := range map[string]os.FileMode{outside: 0o777, setuid: 0o755 | os.ModeSetuid} {
			if err := os.Chmod(path, mode); err != nil {
				t.Fatal(err)
			}
		}
		return []string{"KEEPER_TEST_OUTSIDE=" + outside, "KEEPER_TEST_SETUID=" + setuid}
	}
}

// TestSandboxesAsOrdinaryUser has nobody run the tests of sandboxes and limits.
func TestSandboxesAsOrdinaryUser(t *testing.T) {
	asNobody(t, "^Test(SandboxRequired|Degraded|SandboxOwnsItsFolder|SandboxView|SandboxHolderAttacked|NothingIsLeft|OutputFileReopened|ProbeSandbox|OpenFiles|CPU|MemoryOfEachProcess)$", forNobody(t))
}

// TestSecurityTable: the documentation says of each attack what the tests do.
func TestSecurityTable(t *testing.T) {
	b, err := os.ReadFile(filepath.Join("..", "docs", "security.md"))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(b), "\n")
	for _, a := range attacks {
		row := fmt.Sprintf("| %s | %s | %s | %s |", a.name, a.trusted, a.confined, a.sandbox)
		if !slices.Contains(lines, row) {
			t.Errorf("docs/security.md lacks the row\n%s", row)
		}
	}
}
