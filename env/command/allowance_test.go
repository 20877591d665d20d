package command

import (
	"testing"
	"testing/synctest"
	"time"
)

func TestAllowanceStandsStillInPauses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var a allowance
		var over time.Time
		begin := time.Now()
		end := a.begin(10*time.Second, func() { over = time.Now() })
		defer end()
		for range 3 {
			time.Sleep(3 * time.Second)
			a.pause()
			a.pause()
			time.Sleep(time.Hour)
			a.resume()
			a.resume()
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		if got := over.Sub(begin); got != 10*time.Second+3*time.Hour {
			t.Errorf("10 s with 3 h of pauses were over after %v", got)
		}
	})
}

func TestAllowanceBegunWhilePaused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var a allowance
		a.pause()
		over := false
		end := a.begin(time.Second, func() { over = true })
		time.Sleep(time.Hour)
		synctest.Wait()
		if over {
			t.Fatal("it ran out while paused")
		}
		a.resume()
		time.Sleep(2 * time.Second)
		synctest.Wait()
		if !over {
			t.Error("it did not run out")
		}
		end()
		a.pause() // without one
		a.resume()
	})
}
