package kernel

import (
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/reeverun/reeve/process"
)

// stepped is a clock that somebody sets.
type stepped struct{ by atomic.Int64 }

func (s *stepped) now() time.Time                    { return time.Now().Add(time.Duration(s.by.Load())) }
func (s *stepped) step(d time.Duration)              { s.by.Add(int64(d)) }
func years(n int) time.Duration                      { return time.Duration(n) * 365 * 24 * time.Hour }
func about(a, b time.Time) bool                      { return a.Sub(b).Abs() < time.Minute }
func (s *stepped) calendar(last time.Time) *calendar { return newCalendar(s.now, last) }

// A date that jumps is believed when it has been so for a day; one that goes
// back, or on as it should, at once.
func TestDatesAreBelievedAfterAWhile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &stepped{}
		c := s.calendar(time.Now())
		for range 50 {
			time.Sleep(time.Hour)
			if !about(c.today(), time.Now()) || c.suspicious() {
				t.Fatalf("%v is doubted", c.today())
			}
		}
		s.step(years(20))
		for range 24 {
			if !about(c.today(), time.Now()) || !c.suspicious() {
				t.Fatalf("%v is believed at once", c.today())
			}
			time.Sleep(time.Hour)
		}
		if !about(c.today(), s.now()) || c.suspicious() {
			t.Errorf("%v is not believed after a day", c.today())
		}
		s.step(-years(20))
		if !about(c.today(), time.Now()) {
			t.Errorf("%v: a clock that was set right is not believed", c.today())
		}
		s.step(years(3)) // and back before the day is over
		c.today()
		time.Sleep(20 * time.Hour)
		s.step(-years(3))
		c.today()
		time.Sleep(20 * time.Hour)
		if !about(c.today(), time.Now()) || c.suspicious() {
			t.Errorf("%v", c.today())
		}
	})
}

// At the start there is only what is recorded to go by.
func TestDateAtTheStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &stepped{}
		last := time.Now()
		if c := s.calendar(time.Time{}); !about(c.today(), time.Now()) {
			t.Error("a store that is empty knows better")
		}
		s.step(years(70))
		c := s.calendar(last)
		if !about(c.today(), last) {
			t.Errorf("%v is believed", c.today())
		}
		time.Sleep(25 * time.Hour)
		if !about(c.today(), s.now()) {
			t.Errorf("%v after a day", c.today())
		}
		s.step(-years(100))
		if c := s.calendar(last); !about(c.today(), s.now()) {
			t.Errorf("%v: a clock behind is no danger", c.today())
		}
	})
}

// A clock that is set while processes run changes nothing but the dates: no
// duration, no order, no number.
func TestClockIsSetWhileRunning(t *testing.T) {
	for name, by := range map[string]time.Duration{"back": -30 * time.Hour, "forward": years(30)} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &stepped{}
				f := newFixtureWith(t, 1, func(c *Config) { c.wall = s.now })
				defer f.shut(t)
				first := f.spawn(t, "sleep 2s\nout x")
				queued := f.spawn(t, "out y")
				time.Sleep(time.Second)
				s.step(by)
				for _, id := range []process.ID{first, queued} {
					rec, err := f.Wait(t.Context(), id)
					if err != nil || !rec.Outcome.Succeeded() {
						t.Fatalf("%+v, %v", rec, err)
					}
					if rec.StartedAt.Before(rec.CreatedAt) || rec.CompletedAt.Before(rec.StartedAt) {
						t.Errorf("created %v, started %v, completed %v", rec.CreatedAt, rec.StartedAt, rec.CompletedAt)
					}
					if ms := rec.Usage.WallMS; ms > 2100 {
						t.Errorf("it took %d ms", ms)
					}
					checkLog(t, f, id)
				}
				if next := f.spawn(t, ""); next <= queued {
					t.Errorf("id %d after %d", next, queued)
				}
				events, err := f.AllEvents(t.Context(), 0, 1000)
				if err != nil {
					t.Fatal(err)
				}
				for i := 1; i < len(events); i++ {
					if events[i].Cursor <= events[i-1].Cursor {
						t.Errorf("cursor %d after %d", events[i].Cursor, events[i-1].Cursor)
					}
				}
				page, err := f.Processes(t.Context(), process.Query{})
				if err != nil || len(page.Processes) != 3 || page.Processes[0].ID < page.Processes[2].ID {
					t.Errorf("%v, %v", page, err)
				}
			})
		})
	}
}

// A timeout counts time, not what a clock says.
func TestTimeoutAndAClockThatIsSet(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &stepped{}
		f := newFixtureWith(t, 1, func(c *Config) { c.wall = s.now })
		defer f.shut(t)
		id, err := f.Spawn(t.Context(), Request{Spec: process.Spec{Environment: "fake", Code: "sleep 5s", Options: process.Options{Timeout: 10 * time.Second}}})
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Second)
		s.step(years(1))
		if rec, err := f.Wait(t.Context(), id); err != nil || rec.ExitState != process.ExitSuccess {
			t.Errorf("%+v, %v", rec, err)
		}
	})
}

// A clock that jumps years ahead costs no logs, and is told of; when it has been
// so for a day it is believed.
func TestRetentionAndAClockThatJumps(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &stepped{}
		o := newOutage(t)
		o.shut(t)
		o.fixture = newFixtureWith(t, 1, func(c *Config) {
			c.wall, c.Retention, c.Logger = s.now, Retention{}, o.fixture.cfg.Logger
		})
		defer o.shut(t)
		id := o.spawn(t, "out kept")
		if _, err := o.Wait(t.Context(), id); err != nil {
			t.Fatal(err)
		}
		kept := func() bool {
			events, err := o.cfg.Store.Events(t.Context(), id, 0, 100)
			if err != nil {
				t.Fatal(err)
			}
			return len(events) > 0
		}
		s.step(years(10))
		time.Sleep(20 * time.Hour)
		if !kept() {
			t.Error("ten years of events went with a clock")
		}
		if n := strings.Count(o.log.String(), "the clock is far ahead"); n != 1 {
			t.Errorf("it was told %d times", n)
		}
		time.Sleep(8 * time.Hour)
		if kept() {
			t.Error("a date that holds is not believed")
		}
	})
}

// A create that is repeated after the clock was set back is still the same.
func TestKeyAndAClockThatIsSetBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &stepped{}
		f := newFixtureWith(t, 1, func(c *Config) { c.wall = s.now })
		defer f.shut(t)
		r := Request{Spec: process.Spec{Environment: "fake", Key: process.Key{Name: "k", Request: "r"}}}
		id, created, err := f.SpawnOnce(t.Context(), r)
		if err != nil || !created {
			t.Fatal(id, created, err)
		}
		s.step(-years(1))
		if again, created, err := f.SpawnOnce(t.Context(), r); err != nil || created || again != id {
			t.Errorf("%d, %v, %v", again, created, err)
		}
	})
}
