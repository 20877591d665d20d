package peer

import (
	"context"
	"errors"
	"os/exec"
	"strings"
	"testing"

	"github.com/reeverun/reeve/bench/lab"
	"github.com/reeverun/reeve/bench/measure"
)

// A peer that fails is skipped with a reason that fits; one that is stopped with
// the run is not.
func TestFailuresOfPeers(t *testing.T) {
	in, err := guard(measure.Closing(func(context.Context) (float64, error) {
		return 0, errors.New("two\n  lines " + strings.Repeat("and more ", 100))
	}, func() error { return errors.New("in pieces") }), nil)
	if err != nil {
		t.Fatal(err)
	}
	var skipped measure.Skip
	if _, err := in.Round(t.Context()); !errors.As(err, &skipped) || !strings.HasPrefix(skipped.Reason, "two lines and more") || len(skipped.Reason) > 210 {
		t.Errorf("%q", err)
	}
	over, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := in.Round(over); err == nil || errors.As(err, &skipped) {
		t.Errorf("of a run that is over: %v", err)
	}
	if err := in.Close(); err != nil {
		t.Error(err)
	}
	if _, err := guard(nil, errors.New("not for sale")); !errors.As(err, &skipped) {
		t.Error(err)
	}
}

// What could not be gotten is not tried again.
func TestGettingIsTriedOnce(t *testing.T) {
	s, tries := New(&lab.Lab{}), 0
	for range 2 {
		if _, err := s.get("it", func() (string, error) { tries++; return "", errors.New("no") }); err == nil {
			t.Error("it was gotten")
		}
	}
	if tries != 1 {
		t.Errorf("tried %d times", tries)
	}
}

func TestTalk(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("no shell to talk to")
	}
	p, err := talk(exec.Command(sh, "-c", `read a; echo '{"total":7}'; read b; echo '{"error":"tired"}'; read c`))
	if err != nil {
		t.Fatal(err)
	}
	var took Took
	if err := p.ask(t.Context(), 1, &took); err != nil || took.Total != 7 {
		t.Error(took, err)
	}
	if err := p.ask(t.Context(), 2, &took); err == nil || err.Error() != "tired" {
		t.Error(err)
	}
	if err := p.ask(t.Context(), 3, &took); err == nil || !strings.Contains(err.Error(), "without an answer") {
		t.Error(err)
	}
	_ = p.close() // it ended by read's failure or not, as the shell likes
}

// Trees are found by their mark and ended.
func TestMarks(t *testing.T) {
	mark := newMark()
	cmd := exec.Command("sh", "-c", treeScript, "tree", "2", mark)
	if err := cmd.Start(); err != nil {
		t.Skip(err)
	}
	if err := lab.Until(t.Context(), 1e10, func() bool { return len(marked(mark)) == 21 }); err != nil {
		t.Errorf("%d of 21 processes: %v", len(marked(mark)), err)
	}
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	endMarked(mark)
	<-done
	if left := marked(mark); len(left) != 0 {
		t.Errorf("%v are left", left)
	}
}
