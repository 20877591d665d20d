package tool

import "testing"

// A connection is given up when a hundred calls in a row had no answer, also
// where each of them has returned; one answer is enough to keep it.
func TestUnansweredCallsInARow(t *testing.T) {
	var l leftovers
	unanswered := func(n int) {
		for range n {
			l.answered(false)
		}
	}
	unanswered(maxLeft - 1)
	l.answered(true)
	unanswered(maxLeft - 1)
	if why := l.tooMany(); why != "" {
		t.Errorf("too early: %s", why)
	}
	unanswered(1)
	if l.tooMany() == "" {
		t.Error("a hundred calls without an answer are not enough")
	}
	if why := l.tooMany(); why != "" {
		t.Errorf("of the next connection: %s", why)
	}
}
