package keepertest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/reeverun/reeve/keeper"
	"github.com/reeverun/reeve/process"
)

// quiet is how long a frozen tree is listened to. What is frozen never speaks,
// so this can hide a fault and cannot make one up.
const quiet = 100 * time.Millisecond

// A ticker says its name again and again.
func ticker(name string) string {
	return `sh -c "while :; do echo ` + name + `; : MARK; sleep 0.005; done"`
}

// tickers starts one that stays, and one for each form of leaving, and waits
// until all have been heard.
func (r *rig) tickers() (*run, marker, []string) {
	r.Helper()
	names := []string{"stay", "session", "orphan", "double", "bare"}
	forms := strings.Split(escapes(ticker("NAME")), "\n")
	script := ticker(names[0]) + " &\n"
	for i, form := range forms[:len(forms)-1] {
		script += strings.ReplaceAll(form, "NAME", names[i+1]) + "\n"
	}
	m := newMarker()
	p := r.sh(m.script(script + "wait"))
	p.hears(names)
	return p, m, names
}

// hears reads lines until every name has come.
func (p *run) hears(names []string) {
	p.t.Helper()
	left := make(map[string]bool)
	for _, n := range names {
		left[n] = true
	}
	for len(left) > 0 {
		delete(left, p.line())
	}
}

// silent forgets what was said before the freeze, and then must hear nothing.
func (p *run) silent() {
	p.t.Helper()
	if err := drain(p.out); err != nil {
		p.t.Fatalf("drain: %v", err)
	}
	_, _ = p.lines.Discard(p.lines.Buffered())
	_ = p.out.SetReadDeadline(time.Now().Add(quiet))
	defer func() { _ = p.out.SetReadDeadline(time.Now().Add(patience)) }()
	if s, err := p.lines.ReadString('\n'); s != "" || !errors.Is(err, os.ErrDeadlineExceeded) {
		p.t.Errorf("a frozen tree said %q, %v", s, err)
	}
}

func (r *rig) freeze(p *run) {
	r.Helper()
	if err := p.Freeze(r.ctx()); err != nil {
		r.Fatalf("freeze: %v", err)
	}
}

func (r *rig) thaw(p *run) {
	r.Helper()
	if err := p.Thaw(); err != nil {
		r.Fatalf("thaw: %v", err)
	}
}

func freezeThaw(r *rig) {
	p, m, names := r.tickers()
	for range 3 {
		r.freeze(p)
		p.silent()
		if n := len(p.Members()); n < len(names) {
			r.Errorf("%d members of a frozen tree, at least %d were up", n, len(names))
		}
		r.thaw(p)
		p.hears(names)
	}
	r.killed(p, m)
}

func freezeForks(r *rig) {
	m := newMarker()
	loop := `sh -c "while :; do /bin/true; ( : MARK; echo up ); done" & `
	p := r.sh(m.script(strings.Repeat(loop, 3) + "wait"))
	for range 5 {
		p.expect(10, "up")
		r.freeze(p)
		p.silent()
		r.thaw(p)
	}
	r.killed(p, m)
}

func freezeAgain(r *rig) {
	p, m, names := r.tickers()
	r.thaw(p)
	r.freeze(p)
	r.freeze(p)
	p.silent()
	r.thaw(p)
	r.thaw(p)
	p.hears(names)
	r.killed(p, m)
	r.freeze(p)
	r.thaw(p)
}

func freezeCancelled(r *rig) {
	p, m, names := r.tickers()
	ctx, cancel := context.WithCancelCause(context.Background())
	enough := errors.New("enough")
	cancel(enough)
	if err := p.Freeze(ctx); !errors.Is(err, enough) {
		r.Errorf("freeze: %v", err)
	}
	p.hears(names)
	p.hears(names)
	r.killed(p, m)
}

// freezeStopped: a thaw undoes the freeze, not a debugger's or a shell's stop.
func freezeStopped(r *rig) {
	if runtime.GOOS != "linux" {
		r.Skip("needs /proc")
	}
	p, m := r.family(1, `sh -c 'echo up; kill -STOP $$; echo continued; : MARK' & wait`)
	// It may have a number of its own where it lives, so it is asked for.
	stopped := func() bool {
		return slices.ContainsFunc(p.Members(), func(s process.Survivor) bool {
			b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", s.PID))
			return err == nil && strings.Contains(string(b), ") T ")
		})
	}
	r.eventually("it stops", stopped)
	r.freeze(p)
	r.thaw(p)
	p.silent()
	if !stopped() {
		r.Error("the thaw continued what had stopped by itself")
	}
	r.killed(p, m)
}

func frozenKill(r *rig) {
	p, m, _ := r.tickers()
	r.freeze(p)
	r.killed(p, m)
}

func frozenTerm(r *rig) {
	p, m := r.family(8, escapes(talker))
	r.freeze(p)
	n, err := p.Signal(process.SIGTERM)
	if err != nil || n < 8 {
		r.Errorf("signal reached %d: %v", n, err)
	}
	p.silent()
	if got := len(m.alive(r.T)); got < 4 { // the talkers: they handle it
		r.Errorf("%d of at least 4 are alive while frozen", got)
	}
	r.thaw(p)
	p.expect(4, "got")
	r.empties(p, m)
}

func frozenClose(r *rig) {
	p, m, _ := r.tickers()
	r.freeze(p)
	if err := r.Close(); err != nil {
		r.Errorf("close: %v", err)
	}
	if left := m.alive(r.T); len(left) != 0 {
		r.Errorf("close left %v", left)
	}
	if e, err := p.Wait(r.ctx()); err != nil || e.Signal != "SIGKILL" {
		r.Errorf("%+v, %v", e, err)
	}
}

func freezeRace(r *rig) {
	for i := range rounds(8) {
		m := newMarker()
		p := r.sh(m.script(ticker("tick") + " & sleep 0.01; exit 6"))
		p.expect(1, "tick")
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				if err := p.Freeze(r.ctx()); err != nil {
					r.Errorf("freeze: %v", err)
				}
			})
			wg.Go(func() {
				if err := p.Thaw(); err != nil {
					r.Errorf("thaw: %v", err)
				}
			})
		}
		if i%2 == 0 {
			p.Kill()
		}
		wg.Wait()
		p.Kill()
		if e, err := p.Wait(r.ctx()); err != nil || e != (keeper.Exit{Code: 6}) && e.Signal != "SIGKILL" {
			r.Errorf("%+v, %v", e, err)
		}
		r.empties(p, m)
		p.Release()
	}
}
