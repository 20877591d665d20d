package rawlog

import (
	"errors"
	"testing"
)

func TestArmSeesWhatIsThere(t *testing.T) {
	ls := newLogs(t, Config{})
	l := ls.Create(1, 1, KeepFile)
	run(t, l, "echo hi")
	equal(t, "ready", l.Arm(), true)
	equal(t, "watches", ls.watch.count(), 0)
	(&pump{l: l}).drain(t, 100)
	equal(t, "ready", l.Arm(), false)
	equal(t, "ready", l.Arm(), false)
	equal(t, "watches", ls.watch.count(), 2)
	check(t, l.Finish())
	equal(t, "watches", ls.watch.count(), 0)
}

// Lost events wake everybody.
func TestWatchOverflow(t *testing.T) {
	ls := newLogs(t, Config{})
	l := ls.Create(1, 1, KeepFile)
	run(t, l, "true")
	equal(t, "armed", l.Arm(), false)
	overflow := make([]byte, 16)
	copy(overflow, "\xff\xff\xff\xff\x00\x40\x00\x00") // wd -1, IN_Q_OVERFLOW
	ls.watch.dispatch(overflow)
	<-l.Wake()
	equal(t, "watches", ls.watch.count(), 0)
	equal(t, "armed", l.Arm(), false)
	run(t, l, "echo hi")
	<-l.Wake()
	check(t, l.Finish())
}

// disable makes watches fail, as they do when the system has none left.
func (w *watcher) disable(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.err = err
}

func (w *watcher) count() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.watches)
}

func TestEveryWriteWakesPolled(t *testing.T) {
	ls := newLogs(t, Config{})
	ls.watch.disable(errors.New("no watches left"))
	pingPong(t, ls, KeepFile)
}
