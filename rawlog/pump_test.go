package rawlog

import (
	"bytes"
	"testing"
	"time"
)

// pump is what the kernel does: read, count lines, index, consume.
type pump struct {
	l      *Log
	seq    int64
	carry  [2][]byte
	off    [2]int64
	read   [2]bytes.Buffer
	warned int
}

// drain reads both streams to their present end and returns the bytes read.
func (p *pump) drain(t tb, block int) (total int) {
	t.Helper()
	buf := make([]byte, block)
	for _, s := range []Stream{Stdout, Stderr} {
		for {
			n, off, err := p.l.Read(s, buf)
			check(t, err)
			if _, ok := p.l.Truncated(s); ok {
				p.warned++
				p.carry[s] = nil
			}
			if n == 0 {
				break
			}
			total += n
			p.read[s].Write(buf[:n])
			p.take(t, s, buf[:n], off)
		}
	}
	return total
}

func (p *pump) take(t tb, s Stream, b []byte, off int64) {
	t.Helper()
	if len(p.carry[s]) == 0 {
		p.off[s] = off
	}
	b = append(p.carry[s], b...)
	end := bytes.LastIndexByte(b, '\n') + 1
	if n := bytes.Count(b[:end], []byte("\n")); n > 0 {
		check(t, p.l.Index(Entry{Seq: p.seq + 1, Cursor: 1000 + p.seq + 1, Stream: s, Offset: p.off[s],
			Len: int64(end), Count: n, At: time.Now().UnixNano()}))
		p.seq += int64(n)
		p.off[s] += int64(end)
		check(t, p.l.Consumed(s, p.off[s]))
	}
	p.carry[s] = append([]byte(nil), b[end:]...)
}

// follow drains whenever the log wakes, until done is closed and all is read.
func (p *pump) follow(t testing.TB, block int, done <-chan struct{}) {
	t.Helper()
	for {
		if p.drain(t, block) > 0 || p.l.Arm() {
			continue
		}
		select {
		case <-p.l.Wake():
		case <-done:
			p.drain(t, block)
			return
		case <-time.After(10 * time.Second):
			t.Fatal("no wake")
		}
	}
}

// followed runs a script and pumps its log to the end.
func followed(t testing.TB, l *Log, script string) *pump {
	t.Helper()
	p := &pump{l: l}
	c := start(t, l, script)
	done := make(chan struct{})
	go func() {
		defer close(done)
		if err := c.Wait(); err != nil {
			t.Error(err)
		}
	}()
	p.follow(t, 32<<10, done)
	return p
}
