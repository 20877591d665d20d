package kernel

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/reeverun/reeve/process"
)

// A run is looked at as it goes, in steps that double, and what was seen is kept
// when it is over.
func TestUsageOverTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t, 0)
		defer f.shut(t)
		id := f.spawn(t, strings.Repeat("burn 100ms\nsleep 1s\n", 1000))
		time.Sleep(200*time.Second + time.Millisecond)
		half, err := f.Usage(t.Context(), id, 0)
		if err != nil || half.StepMS != 1000 || len(half.Samples) < 190 || len(half.Samples) > 200 {
			t.Errorf("%d samples, %d ms apart, %v", len(half.Samples), half.StepMS, err)
		}
		if rec, err := f.Process(t.Context(), id); err != nil || rec.Usage.CPUMS < 19_000 || rec.Usage.CPUMS > 20_100 {
			t.Errorf("while it runs it has used %+v, %v", rec, err)
		}
		f.wait(t, id)
		all, err := f.Usage(t.Context(), id, 1)
		if err != nil || all.Run != 1 || all.StepMS != 4000 || len(all.Samples) < 150 || len(all.Samples) > process.MaxSamples {
			t.Errorf("%d samples, %d ms apart, %v", len(all.Samples), all.StepMS, err)
		}
		for i, s := range all.Samples[1:] {
			if before := all.Samples[i]; s.CPUMS < before.CPUMS || s.At.Before(before.At.Time) {
				t.Fatalf("sample %d is %+v, after %+v", i+1, s, before)
			}
		}
		if last := all.Samples[len(all.Samples)-1]; last.CPUMS < 99_000 || last.PIDs != 0 || last.RSSBytes != 0 {
			t.Errorf("at its end: %+v", last)
		}
	})
}

// Nobody looks at what is paused; what was over in a moment has no samples.
func TestUsageOfPausedAndShort(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t, 0)
		defer f.shut(t)
		id := f.spawn(t, "sleep 5s\nsleep 5s")
		time.Sleep(3*time.Second + time.Millisecond)
		if _, err := f.Signal(t.Context(), id, process.SIGPAUSE, SignalOptions{}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Hour)
		if s, err := f.Usage(t.Context(), id, 0); err != nil || len(s.Samples) == 0 || len(s.Samples) > 3 {
			t.Errorf("paused: %+v, %v", s, err)
		}
		if _, err := f.Signal(t.Context(), id, process.SIGRESUME, SignalOptions{}); err != nil {
			t.Fatal(err)
		}
		f.wait(t, id)
		short := f.spawn(t, "burn 5ms\nout x")
		f.wait(t, short)
		if s, err := f.Usage(t.Context(), short, 0); err != nil || len(s.Samples) != 0 || s.Run != 1 || s.StepMS != 1000 {
			t.Errorf("short: %+v, %v", s, err)
		}
		if _, err := f.Usage(t.Context(), short, 2); err == nil {
			t.Error("there is no second run")
		}
	})
}

// When all have left, nobody looks; when one comes behind a run that is seldom
// looked at, it is looked at soon.
func TestSamplerRestsAndWakes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t, 0)
		defer f.shut(t)
		long := f.spawn(t, "sleep 10h")
		time.Sleep(5 * time.Hour)
		id := f.spawn(t, "sleep 5s")
		f.wait(t, id)
		// Of what stays the same the first and the last are kept, and its end.
		if s, err := f.Usage(t.Context(), id, 0); err != nil || len(s.Samples) != 3 || s.Samples[1].At.Sub(s.Samples[0].At.Time) < 3*time.Second {
			t.Errorf("%+v, %v", s, err)
		}
		if s, err := f.Usage(t.Context(), long, 0); err != nil || len(s.Samples) != 2 || s.StepMS < 64_000 {
			t.Errorf("%+v, %v", s, err)
		}
		if err := f.Kill(context.Background(), long, KillOptions{Now: true}); err != nil {
			t.Fatal(err)
		}
		f.wait(t, long)
		time.Sleep(time.Hour)
		f.sampler.mu.Lock()
		defer f.sampler.mu.Unlock()
		if len(f.sampler.runs) > 0 || !f.sampler.next.IsZero() {
			t.Errorf("%d runs, next %v", len(f.sampler.runs), f.sampler.next)
		}
	})
}

// Samples of a run that an earlier host had come first.
func TestSeriesGoesOn(t *testing.T) {
	at := time.Date(2026, 6, 24, 12, 0, 0, 0, time.UTC)
	sample := func(n int) process.UsageSample {
		return process.UsageSample{At: process.Stamp{Time: at.Add(time.Duration(n) * time.Second)}, CPUMS: int64(n)}
	}
	s := &series{step: time.Second}
	s.add(sample(900))
	known := process.UsageSeries{StepMS: 2000}
	for n := range process.MaxSamples {
		known.Samples = append(known.Samples, sample(n))
	}
	s.takeUp(known)
	if n := len(s.samples); n != process.MaxSamples/2+1 || s.samples[n-1].CPUMS != 900 || s.samples[n-2].CPUMS != process.MaxSamples-1 || s.step != 4*time.Second {
		t.Errorf("%d samples, %v apart", n, s.step)
	}
}
