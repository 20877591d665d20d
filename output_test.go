package reeve_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/reeverun/reeve"
	"github.com/reeverun/reeve/process"
)

// A partial line must survive the other stream speaking: Execra lost it.
func TestPartialLineSurvivesTheOtherStream(t *testing.T) {
	rt := open(t, reeve.Config{})
	p := spawn(t, rt, reeve.Sh(`printf abc; sleep 0.3; echo e >&2; sleep 0.3; echo def`))
	all := events(t, rt, p.ID())
	if got := lines(all, reeve.Stdout); !slices.Equal(got, []string{"abcdef"}) {
		t.Errorf("stdout %q", got)
	}
	if got := lines(all, reeve.Stderr); !slices.Equal(got, []string{"e"}) {
		t.Errorf("stderr %q", got)
	}
	if got := output(t, rt, p.ID(), reeve.Stdout); got != "abcdef\n" {
		t.Errorf("bytes %q", got)
	}
	// The newest partial carries the number of the finished line.
	var partial, finished int64
	for _, ev := range all {
		if o, ok := ev.Data.(process.OutputAppended); ok && o.Stream == reeve.Stdout {
			if o.Partial {
				partial = ev.Seq
			} else {
				finished = ev.Seq
			}
		}
	}
	if partial == 0 || partial != finished {
		t.Errorf("partial seq %d, finished seq %d", partial, finished)
	}
	gapless(t, all)
}

func TestPromptIsSeenWhileTheProgramWaits(t *testing.T) {
	rt := open(t, reeve.Config{})
	p := spawn(t, rt, reeve.Sh(`printf 'Password: '; sleep 60`))
	ev := awaitEvent(t, rt, p.ID(), isLine("Password: "))
	if o := ev.Data.(process.OutputAppended); !o.Partial {
		t.Errorf("not partial: %+v", ev)
	}
	ev = awaitEvent(t, rt, p.ID(), isKind(process.KindPromptDetected))
	if d := ev.Data.(process.PromptDetected); !strings.Contains(d.Prompt, "Password") {
		t.Errorf("prompt %+v", d)
	}
	if err := p.Cancel(); err != nil {
		t.Fatal(err)
	}
	wait(t, p)
}

func TestLineEndings(t *testing.T) {
	rt := open(t, reeve.Config{})
	rec := finish(t, rt, reeve.Sh(`printf 'a\nb\r\nc\rd\n\ne'`))
	all := events(t, rt, rec.ID)
	if got := lines(all, reeve.Stdout); !slices.Equal(got, []string{"a", "b", "c", "d", "", "e"}) {
		t.Errorf("lines %q", got)
	}
	var offsets []int64
	for _, ev := range all {
		if o, ok := ev.Data.(process.OutputAppended); ok && !o.Partial {
			offsets = append(offsets, o.Offset)
		}
	}
	if want := []int64{0, 2, 5, 7, 9, 10}; !slices.Equal(offsets, want) {
		t.Errorf("offsets %v, want %v", offsets, want)
	}
}

func TestUTF8AcrossWrites(t *testing.T) {
	rt := open(t, reeve.Config{})
	rec := finish(t, rt, reeve.Sh(`printf '\303'; sleep 0.2; printf '\244\n'`))
	if got := lines(events(t, rt, rec.ID), reeve.Stdout); !slices.Equal(got, []string{"ä"}) {
		t.Errorf("lines %q", got)
	}
}

func TestLongLineComesInPieces(t *testing.T) {
	rt := open(t, reeve.Config{})
	rec := finish(t, rt, reeve.Sh(`head -c 200000 /dev/zero | tr '\0' x; echo; echo next`))
	all := events(t, rt, rec.ID)
	got := lines(all, reeve.Stdout)
	if n := len(got); n != 5 || got[n-1] != "next" {
		t.Fatalf("%d pieces", n)
	}
	for _, piece := range got[:4] {
		if len(piece) > 64<<10 {
			t.Errorf("a piece of %d bytes", len(piece))
		}
	}
	if joined := strings.Join(got[:4], ""); joined != strings.Repeat("x", 200000) {
		t.Errorf("%d bytes in all", len(joined))
	}
	gapless(t, all)
}

func TestLastLineBeforeExitIsDelivered(t *testing.T) {
	rt := open(t, reeve.Config{})
	for range 20 {
		rec := finish(t, rt, reeve.Sh(`i=0; while [ $i -lt 50 ]; do echo line $i; i=$((i+1)); done; printf last`))
		got := lines(events(t, rt, rec.ID), reeve.Stdout)
		if len(got) != 51 || got[50] != "last" {
			t.Fatalf("%d lines, last %q", len(got), got[len(got)-1])
		}
	}
}

func TestStdoutClosedEarly(t *testing.T) {
	rt := open(t, reeve.Config{})
	rec := finish(t, rt, reeve.Sh(`echo out; exec 1>&- 2>&-; sleep 0.2; exit 9`).Interpreter("none"))
	if rec.Exit.Code != 9 || output(t, rt, rec.ID, reeve.Stdout) != "out\n" {
		t.Errorf("exit %+v", rec.Exit)
	}
}

// A grandchild that keeps stdout open must not hang the end of the job.
func TestDescendantHoldingStdoutDoesNotHang(t *testing.T) {
	rt := open(t, reeve.Config{})
	rec := finish(t, rt, reeve.Sh(`sleep 60 & echo done`).Drain(50_000_000).Grace(50_000_000))
	if !rec.Outcome.Succeeded() || output(t, rt, rec.ID, reeve.Stdout) != "done\n" {
		t.Errorf("%+v", rec.Outcome)
	}
}

func TestLeftoversWait(t *testing.T) {
	rt := open(t, reeve.Config{})
	rec := finish(t, rt, reeve.Sh(`(sleep 0.4; echo late) & echo leader`).Leftovers(reeve.WaitLeftovers).Drain(1))
	if got := output(t, rt, rec.ID, reeve.Stdout); got != "leader\nlate\n" {
		t.Errorf("stdout %q", got)
	}
	all := events(t, rt, rec.ID)
	exited, late := -1, -1
	for i, ev := range all {
		if ev.Kind == process.KindExited {
			exited = i
		}
		if isLine("late")(ev) {
			late = i
		}
	}
	if exited < 0 || late < exited {
		t.Errorf("exited at %d, the late line at %d: %s", exited, late, kinds(all))
	}
}

func TestCapKeepsHeadAndTail(t *testing.T) {
	const lineLen, n = 20, 100_000
	for _, policy := range []reeve.RawOutput{reeve.Persist, reeve.PersistGzipOnFinalize, reeve.MemoryOnly} {
		t.Run(string(policy), func(t *testing.T) {
			rt := open(t, reeve.Config{Dir: t.TempDir(), LogCap: 256 << 10, MemoryLogCap: 256 << 10, RawOutput: policy})
			rec := finish(t, rt, reeve.Command("seq", "-f", "%019.0f", "1", fmt.Sprint(n)))
			if !rec.Outcome.Succeeded() || rec.StdoutBytes != lineLen*n {
				t.Fatalf("%+v, %d bytes", rec.Outcome, rec.StdoutBytes)
			}
			got := output(t, rt, rec.ID, reeve.Stdout)
			if len(got) > 300<<10 || !strings.HasPrefix(got, fmt.Sprintf("%019d\n", 1)) ||
				!strings.HasSuffix(got, fmt.Sprintf("%019d\n", n)) || !strings.Contains(got, "bytes dropped]") {
				t.Errorf("%d bytes kept, %q … %q", len(got), got[:20], got[len(got)-20:])
			}
			all := events(t, rt, rec.ID)
			gapless(t, all)
			if count(all, process.KindOutputElided) == 0 {
				t.Error("nothing is elided")
			}
			first, last := lines(all, reeve.Stdout)[0], lines(all, reeve.Stdout)
			if first != fmt.Sprintf("%019d", 1) || last[len(last)-1] != fmt.Sprintf("%019d", n) {
				t.Errorf("lines from %s to %s", first, last[len(last)-1])
			}
		})
	}
}

func TestReplayFromAnySeq(t *testing.T) {
	rt := open(t, reeve.Config{Dir: t.TempDir()})
	rec := finish(t, rt, reeve.Sh(`for i in 1 2 3 4 5; do echo out $i; echo err $i >&2; done`))
	all := stored(events(t, rt, rec.ID))
	for after := range all {
		sub, err := rt.SubscribeProcess(t.Context(), rec.ID, int64(after))
		if err != nil {
			t.Fatal(err)
		}
		var got []reeve.Event
		for ev := range sub.All(bounded(t)) {
			got = append(got, ev)
		}
		if len(got) != len(all)-after || len(got) > 0 && got[0].Seq != int64(after)+1 {
			t.Errorf("after %d: %d events", after, len(got))
		}
	}
}

func TestManySubscribersSeeTheSame(t *testing.T) {
	rt := open(t, reeve.Config{})
	p := spawn(t, rt, reeve.Sh(`for i in 1 2 3 4 5 6 7 8 9; do echo $i; sleep 0.02; done`))
	results := make(chan string, 8)
	for range cap(results) {
		go func() {
			var seen []string
			for ev := range p.Events(bounded(t)) {
				if !ev.Live() {
					seen = append(seen, fmt.Sprintf("%d:%s", ev.Seq, ev.Kind))
				}
			}
			results <- strings.Join(seen, " ")
		}()
	}
	first := <-results
	if !strings.HasPrefix(first, "1:process_created 2:process_queued 3:process_started") || !strings.HasSuffix(first, ":finalized") {
		t.Errorf("events %s", first)
	}
	for range cap(results) - 1 {
		if next := <-results; next != first {
			t.Errorf("another subscriber saw\n%s\nnot\n%s", next, first)
		}
	}
}

// A slow subscriber is told what it missed; the job does not wait for it.
func TestSlowSubscriberIsToldThatItLags(t *testing.T) {
	rt := open(t, reeve.Config{SubscriberBuffer: 16})
	p := spawn(t, rt, reeve.Sh(`read x < /dev/null; sleep 0.2; seq 1 20000`))
	sub := rt.Subscribe(reeve.Filter{})
	defer sub.Close()
	wait(t, p) // nobody reads meanwhile
	var seen, missed int64
	var last reeve.Event
	for last.Kind != process.KindFinalized {
		ev, err := sub.Next(bounded(t))
		if err != nil {
			t.Fatal(err)
		}
		if l, ok := ev.Data.(process.Lagged); ok {
			missed += l.Missed
			continue
		}
		if !ev.Live() {
			seen++
		}
		last = ev
	}
	if missed == 0 {
		t.Error("no lagged event")
	}
	if total := last.Cursor; seen+missed > total {
		t.Errorf("saw %d and missed %d of at most %d", seen, missed, total)
	}
	gapless(t, events(t, rt, p.ID()))
}

func TestGlobalReplayByCursor(t *testing.T) {
	for _, dir := range []string{"", t.TempDir()} {
		rt := open(t, reeve.Config{Dir: dir, Concurrency: 4})
		var hs []*reeve.Handle
		for i := range 6 {
			hs = append(hs, spawn(t, rt, reeve.Sh(fmt.Sprintf(`for i in 1 2 3; do echo p%d $i; done`, i))))
		}
		for _, h := range hs {
			wait(t, h)
		}
		sub := rt.SubscribeAfter(0, reeve.Filter{})
		var got []reeve.Event
		finals := 0
		for ev := range sub.All(bounded(t)) {
			got = append(got, ev)
			if ev.Kind == process.KindFinalized {
				if finals++; finals == len(hs) {
					break
				}
			}
		}
		next := int64(1)
		for _, ev := range stored(got) {
			if ev.Cursor != next {
				t.Fatalf("cursor %d (%s of %d) where %d was due", ev.Cursor, ev.Kind, ev.Process, next)
			}
			next++
		}
		if n := count(got, process.KindOutputAppended); n != 18 {
			t.Errorf("%d lines", n)
		}
	}
}

// A program that re-opens its stdout with > truncates it; Reeve says so.
func TestTruncationOfOwnOutputIsReported(t *testing.T) {
	rt := open(t, reeve.Config{Dir: t.TempDir()})
	p := spawn(t, rt, reeve.Sh(`echo one; sleep 0.3; echo two > /dev/stdout; echo three`))
	awaitEvent(t, rt, p.ID(), isLine("one"))
	wait(t, p)
	all := events(t, rt, p.ID())
	if count(all, process.KindWarningDetected) != 1 {
		t.Errorf("events %s", kinds(all))
	}
	got := lines(all, reeve.Stdout)
	if !slices.Contains(got, "two") || !slices.Contains(got, "three") {
		t.Errorf("lines %q", got)
	}
	gapless(t, all)
}
