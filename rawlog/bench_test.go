package rawlog

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"testing"
	"time"
)

const benchBytes = 1 << 30

// writeLines is the child: it writes lines of 100 bytes, 64 KiB at a time.
func writeLines(n string) {
	left, err := strconv.Atoi(n)
	if err != nil {
		panic(err)
	}
	block := bytes.Repeat(append(bytes.Repeat([]byte("x"), 99), '\n'), 655)
	for left > 0 {
		m, err := os.Stdout.Write(block[:min(left, len(block))])
		if err != nil {
			panic(err)
		}
		left -= m
	}
}

func writer(b testing.TB, out *os.File) *exec.Cmd {
	b.Helper()
	c := exec.Command(os.Args[0])
	c.Env = append(os.Environ(), fmt.Sprint("RAWLOG_WRITE=", benchBytes))
	c.Stdout, c.Stderr = out, os.Stderr
	check(b, c.Start())
	return c
}

// BenchmarkChild compares a child that writes 1 GiB to a file alone with one
// whose log is read, its lines counted and indexed, while it writes. They take
// turns, as the machine has its moods; the best of each counts.
func BenchmarkChild(b *testing.B) {
	for _, c := range []struct {
		name   string
		policy Policy
		cap    int64
	}{{"file", KeepFile, 2 << 30}, {"file capped to 64 MiB", KeepFile, 64 << 20}, {"memory", KeepMemory, 0}, {"nothing", KeepNothing, 0}} {
		b.Run(c.name, func(b *testing.B) {
			ls := newLogs(b, Config{Cap: c.cap})
			alone, with := time.Hour, time.Hour
			for n := 1; b.Loop(); n++ {
				alone = min(alone, untailed(b, ls, 1000+n, c.policy))
				with = min(with, tailed(b, ls, n, c.policy))
			}
			b.ReportMetric(benchBytes/alone.Seconds()/1e9, "alone-GB/s")
			b.ReportMetric(benchBytes/with.Seconds()/1e9, "tailed-GB/s")
			b.ReportMetric(alone.Seconds()/with.Seconds(), "ratio")
		})
	}
}

func untailed(b *testing.B, ls *Logs, n int, p Policy) time.Duration {
	l := ls.Create(1, n, p)
	f := must[*os.File](b)(l.File(Stdout))
	began := time.Now()
	check(b, writer(b, f).Wait())
	took := time.Since(began)
	check(b, ls.Remove(1, n))
	check(b, l.Finish())
	return took
}

// tailed runs the child with a pump as the kernel has it.
func tailed(b *testing.B, ls *Logs, n int, p Policy) time.Duration {
	l := ls.Create(1, n, p)
	f := must[*os.File](b)(l.File(Stdout))
	began := time.Now()
	c := writer(b, f)
	exited := make(chan error, 1)
	go func() { exited <- c.Wait() }()
	k := &counter{l: l, buf: make([]byte, 256<<10)}
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for running := true; running; {
		if k.drain(b) == 0 && l.Arm() {
			continue
		}
		select {
		case err := <-exited:
			check(b, err)
			running = false
		case <-tick.C:
		}
	}
	k.drain(b)
	check(b, l.Finish())
	took := time.Since(began)
	equal(b, "lines", k.lines, benchBytes/100+1)
	check(b, ls.Remove(1, n))
	return took
}

type counter struct {
	l          *Log
	buf        []byte
	lines, seq int64
}

func (k *counter) drain(b *testing.B) (total int) {
	for {
		n, off, err := k.l.Read(Stdout, k.buf)
		check(b, err)
		if n == 0 {
			return total
		}
		total += n
		count := bytes.Count(k.buf[:n], []byte("\n"))
		if off+int64(n) == benchBytes {
			count++ // the last line has no end
		}
		k.lines += int64(count)
		count = max(1, count) // a block without a line: the kernel would wait
		check(b, k.l.Index(Entry{Seq: k.seq + 1, Cursor: k.seq + 1, Offset: off, Len: int64(n), Count: count}))
		k.seq += int64(count)
		check(b, k.l.Consumed(Stdout, off+int64(n)))
	}
}

// BenchmarkPump reads, counts and indexes 1 GiB that is there already.
func BenchmarkPump(b *testing.B) {
	ls := newLogs(b, Config{Cap: 2 << 30})
	l := ls.Create(1, 1, KeepFile)
	check(b, writer(b, must[*os.File](b)(l.File(Stdout))).Wait())
	b.SetBytes(benchBytes)
	k := &counter{l: l, buf: make([]byte, 256<<10)}
	for b.Loop() {
		l.streams[0].pos.Store(0)
		l.streams[0].seen = sample{}
		l.tail, l.idx.(*indexFile).n, k.seq = tail{}, 0, 0
		k.drain(b)
	}
	check(b, l.Finish())
}

// BenchmarkEmptyRun is the cost of a run that writes nothing.
func BenchmarkEmptyRun(b *testing.B) {
	for _, c := range []struct {
		name   string
		policy Policy
	}{{"file", KeepFile}, {"memory", KeepMemory}, {"nothing", KeepNothing}} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			ls := newLogs(b, Config{})
			for n := int64(1); b.Loop(); n++ {
				l := ls.Create(n, 1, c.policy)
				for s := range Stream(2) {
					if _, err := l.File(s); err != nil {
						b.Fatal(err)
					}
				}
				check(b, l.Finish())
			}
		})
	}
}

// BenchmarkArm is what it costs to go to sleep and be woken by a write.
func BenchmarkArm(b *testing.B) {
	for name, p := range map[string]Policy{"file": KeepFile, "memory": KeepMemory} {
		b.Run(name, func(b *testing.B) {
			ls := newLogs(b, Config{})
			l := ls.Create(1, 1, p)
			f := must[*os.File](b)(l.File(Stdout))
			buf := make([]byte, 100)
			for b.Loop() {
				l.Arm()
				_, _ = f.Write([]byte("x"))
				<-l.Wake()
				_, _, _ = l.Read(Stdout, buf)
			}
			check(b, l.Finish())
		})
	}
}
