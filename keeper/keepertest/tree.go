package keepertest

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/reeverun/reeve/keeper"
	"github.com/reeverun/reeve/process"
)

// family starts a script that prints "up" once for each of its n sleepers.
func (r *rig) family(n int, script string) (*run, marker) {
	r.Helper()
	m := newMarker()
	p := r.sh(m.script(script))
	p.expect(n, "up")
	return p, m
}

// A sleeper says that it is up, and then is nothing but sleep.
const sleeper = `sh -c "echo up; exec sleep MARK"`

// A talker says so too, for itself and its child, and again when it is
// signalled. The child is a shell of its own: one that is still a copy of its
// parent would lose the signal in the parent's trap.
const talker = `sh -c "trap 'echo got; exit 0' TERM; sh -c 'echo up; exec sleep MARK' & echo up; wait"`

const plain = sleeper + ` & ` + sleeper + ` & ( ` + sleeper + ` & ` + sleeper + ` & wait ) & wait`

func plainTerm(r *rig) { r.signalled(plain, 4, process.SIGTERM, "SIGTERM", 143) }

// plainInt has but one process that minds: the shell makes its background
// children ignore SIGINT.
func plainInt(r *rig) {
	p, m := r.family(1, `trap 'echo got; kill $!; exit 0' INT; sleep MARK & echo up; wait`)
	if n, err := p.Signal(process.SIGINT); err != nil || n < 1 { // it may have ended the other itself
		r.Errorf("signal: %d, %v", n, err)
	}
	p.expect(1, "got")
	r.exits(p, keeper.Exit{})
	r.empties(p, m)
}

func (r *rig) signalled(script string, n int, s process.Signal, name string, code int) {
	r.Helper()
	p, m := r.family(n, script)
	if got := len(p.Members()); got < n {
		r.Errorf("%d members, at least %d are up: %v", got, n, p.Members())
	}
	if got := p.Job.(keeper.Countable).Count(); got < n {
		r.Errorf("%d are counted, at least %d are up: %v", got, n, p.Members())
	}
	got, err := p.Signal(s)
	if err != nil || got < n {
		r.Errorf("signal reached %d of at least %d: %v", got, n, err)
	}
	r.exits(p, keeper.Exit{Code: code, Signal: name})
	r.empties(p, m)
}

func plainKill(r *rig) {
	p, m := r.family(4, plain)
	r.killed(p, m)
}

// killed kills, and is content when nothing is left.
func (r *rig) killed(p *run, m marker) {
	r.Helper()
	p.Kill()
	p.Kill()
	r.empties(p, m)
	if _, err := p.Wait(r.ctx()); err != nil {
		r.Errorf("wait: %v", err)
	}
	p.Kill() // of nothing
}

func stubborn(r *rig) {
	p, m := r.family(4, "trap '' TERM; "+plain)
	n, err := p.Signal(process.SIGTERM)
	if err != nil || n < 4 {
		r.Errorf("signal reached %d: %v", n, err)
	}
	if got := len(m.alive(r.T)); got < 4 {
		r.Errorf("%d of at least 4 ignored SIGTERM", got)
	}
	r.killed(p, m)
}

// escapes gives each form of leaving a program to run.
func escapes(program string) string {
	inner := strings.TrimPrefix(program, "sh ")
	return strings.Join([]string{
		"setsid " + program + " &",     // a new session
		"( setsid " + program + " & )", // orphaned
		"( ( " + program + " & ) & )",  // double fork
		"env -i /usr/bin/setsid /bin/sh " + inner + " &",
		"wait",
	}, "\n")
}

func sessionsTerm(r *rig) {
	p, m := r.family(8, escapes(talker))
	n, err := p.Signal(process.SIGTERM)
	if err != nil || n < 8 {
		r.Errorf("signal reached %d: %v", n, err)
	}
	p.expect(4, "got")
	r.empties(p, m)
}

func sessionsKill(r *rig) {
	p, m := r.family(4, escapes(sleeper))
	r.killed(p, m)
}

// orphansKill has what only a cgroup or a subreaper can hold: no parent, no
// environment, no session in common. The leader is gone, too.
func orphansKill(r *rig) {
	if r.Tier() == keeper.TierGroup {
		r.Skip("a process group and a sweep cannot hold these, and do not promise to")
	}
	inner := strings.TrimPrefix(sleeper, "sh ")
	p, m := r.family(2, `( env -i /usr/bin/setsid /bin/sh `+inner+` & )
		( env -i /usr/bin/setsid /usr/bin/setsid -f /bin/sh `+inner+` & )`)
	r.exits(p, keeper.Exit{})
	if got := len(p.Members()); got != 2 {
		r.Errorf("members %v", p.Members())
	}
	r.killed(p, m)
}

// chain never has a process for long: each forks the next and exits.
func chain(r *rig) {
	p, m := r.family(1, `f() { : MARK; f & exit; }; echo up; f & exit 0`)
	r.exits(p, keeper.Exit{})
	r.killed(p, m)
}

func chainSessions(r *rig) {
	if r.Tier() == keeper.TierGroup {
		r.Skip("a process group and a sweep cannot hold these, and do not promise to")
	}
	script := r.TempDir() + "/chain"
	writeScript(r, script, `env -i /usr/bin/setsid -f "$0" "$1"`)
	p, m := r.family(1, `echo up; exec `+script+` MARK`)
	r.exits(p, keeper.Exit{})
	r.killed(p, m)
}

func leaderGone(r *rig) {
	p, m := r.family(1, "( "+sleeper+" & ) ; read x; exit 3")
	if len(m.alive(r.T)) == 0 {
		r.Fatal("nothing lives")
	}
	_, _ = p.stdin.WriteString("go\n")
	r.exits(p, keeper.Exit{Code: 3})
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	if err := p.WaitEmpty(ctx); !errors.Is(err, context.DeadlineExceeded) {
		r.Fatalf("the tree was called empty while %v live: %v", m.alive(r.T), err)
	}
	left := p.Members()
	if len(left) != 1 || !strings.Contains(left[0].Command, string(m)) {
		r.Errorf("members %v", left)
	}
	if n, err := p.Signal(process.SIGTERM); n != 1 || err != nil {
		r.Errorf("signal: %d, %v", n, err)
	}
	r.empties(p, m)
	r.exits(p, keeper.Exit{Code: 3})
}
