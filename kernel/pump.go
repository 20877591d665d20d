package kernel

import (
	"fmt"
	"sync/atomic"
	"time"

	"github.com/reeverun/reeve/interpret"
	"github.com/reeverun/reeve/process"
	"github.com/reeverun/reeve/rawlog"
)

// How a pump paces itself.
const (
	busyTick     = 5 * time.Millisecond   // between reads of a stream that is being written
	partialAfter = 100 * time.Millisecond // of silence, an unterminated line is shown
	blockSize    = 320 << 10              // of a buffer: a held line and the largest read
	blocksInTurn = 16                     // of one stream before the other is looked at
	maxInFlight  = 32                     // entries handed to the journal and not committed
	forever      = time.Hour              // or until something happens
)

// pump reads a run's logs while they grow, drives the interpreter and hands
// lines and what they led to to the journal. It never holds up the program:
// that writes to a file.
type pump struct {
	p        *proc
	log      *rawlog.Log
	session  *interpret.Session
	streams  [2]tailState
	spans    []interpret.Span
	entryMax int           // bytes an index entry should cover
	flight   chan struct{} // a token for each entry not yet committed
	stop     chan struct{}
	stopped  chan struct{}
	delay    *time.Timer // until the loop begins; nil: the run has not started; guarded by p.mu
	running  bool        // the loop is under way; guarded by p.mu
	opened   bool        // there is a session; guarded by p.mu
	resting  atomic.Bool // there is no goroutine, and a write begins one
	over     bool        // finish or leave was called; guarded by p.mu
	left     bool        // leave was; guarded by p.mu, and set before stop is closed
	started  time.Time
	flooded  bool // more was written than may be, and that was seen to
}

// tailState is where a pump stands in one stream.
type tailState struct {
	split    interpret.Splitter
	carry    []byte       // the unterminated line
	offset   int64        // where it begins
	since    time.Time    // when it last grew
	shown    bool         // it is on show as it is
	failed   bool         // it could not be read
	indexed  atomic.Int64 // everything before is committed; set by the journal
	consumed int64        // what of that the log was told
}

func newPump(p *proc) *pump {
	return &pump{p: p, log: p.log, entryMax: p.log.EntryMax(), flight: make(chan struct{}, maxInFlight),
		stop: make(chan struct{})}
}

// start begins to read, one tick from now: many a run is over before, and is
// read without a goroutine of its own. p.mu is held.
func (u *pump) start() {
	if u.delay == nil {
		u.started = u.p.rec.StartedAt
		u.delay = time.AfterFunc(busyTick, u.begin)
	}
}

// begin is the pump's goroutine, the first time and whenever something was
// written after it went to rest.
func (u *pump) begin() {
	u.p.mu.Lock()
	if u.over || u.running {
		u.p.mu.Unlock()
		return
	}
	u.running, u.stopped = true, make(chan struct{})
	first := !u.opened
	u.opened = true
	u.p.mu.Unlock()
	if first {
		u.open()
		u.log.Notify(func() {
			if u.resting.CompareAndSwap(true, false) {
				go u.begin()
			}
		})
	}
	u.loop()
}

// rest ends the goroutine while nothing is written; a parked process then has
// no pump. It reports whether the loop shall return: not if something was
// written since the log was armed, or the run is over.
func (u *pump) rest() bool {
	u.p.mu.Lock()
	defer u.p.mu.Unlock()
	if u.over {
		return false
	}
	// Said first, looked after: what is written from now on begins anew.
	u.resting.Store(true)
	if len(u.log.Wake()) > 0 && u.resting.CompareAndSwap(true, false) {
		return false
	}
	u.running = false
	return true
}

// open makes the interpreter, which may be an embedder's: no lock is held.
func (u *pump) open() {
	u.session = u.newSession()
	if u.p.seen > 0 {
		u.rehearse()
	}
}

func (u *pump) newSession() *interpret.Session {
	i := u.p.interpreter
	if i == nil {
		i, _ = u.p.k.cfg.Interpreters.New(u.p.rec.Interpreter) // it was known when the process was created
	}
	return interpret.NewSession(i, interpret.Options{Now: u.p.k.now, Started: u.started,
		Succeeds: u.p.rec.Command.Succeeds})
}

// finish reads both streams to their end and returns the session for the exit
// hook. The last lines wait for the entry that ends the run, and share its
// commit. It is nil if the run never started, as far as anybody knows, and wrote
// nothing.
func (u *pump) finish() *interpret.Session { return u.cease(false) }

// leave reads both streams as far as there are whole lines: what follows is the
// next host's. It returns when they are committed.
func (u *pump) leave() {
	u.cease(true)
	u.settle()
}

func (u *pump) cease(left bool) *interpret.Session {
	u.p.mu.Lock()
	u.over, u.left = true, left
	delay, running, opened := u.delay, u.running, u.opened
	u.p.mu.Unlock()
	switch {
	case delay == nil && (left || u.log.Size(rawlog.Stdout)+u.log.Size(rawlog.Stderr) == 0):
		return nil
	case running:
		close(u.stop)
		<-u.stopped
	default:
		if delay != nil {
			delay.Stop()
		}
		if !opened {
			u.open()
		}
		u.drainAll()
	}
	return u.session
}

// settle returns when all lines are committed; none follow. It may be called
// again: recovery settles a log that its end settles, too.
func (u *pump) settle() {
	u.p.k.journal.poke()
	for range maxInFlight {
		u.flight <- struct{}{}
	}
	for range maxInFlight {
		<-u.flight
	}
}

func (u *pump) loop() {
	defer close(u.stopped)
	timer := time.NewTimer(busyTick)
	defer timer.Stop()
	idle := false // a tick went by without a byte
	for {
		n, more := u.drain()
		u.trim()
		u.watchFlood()
		partials := u.showPartials()
		wait := busyTick
		switch {
		case more:
			wait = 0
		case n == 0 && idle:
			if !u.log.Arm() {
				if wait = partials; wait == forever && u.rest() {
					return
				}
			}
		}
		// Watching a file costs more than a short program does: it begins when
		// there was nothing to read for a tick.
		busy := n > 0 || !idle
		idle = n == 0
		timer.Reset(wait)
		if busy {
			// One read per tick, not one per write.
			select {
			case <-timer.C:
				continue
			case <-u.stop:
			}
		} else {
			select {
			case <-u.log.Wake():
				continue
			case <-timer.C:
				continue
			case <-u.stop:
			}
		}
		u.drainAll()
		return
	}
}

// drainAll reads what was written until now; the last line of each stream
// needs no terminator. What a survivor writes from now on is not waited for.
func (u *pump) drainAll() {
	buf := u.p.k.blocks.Get().(*[]byte)
	defer u.p.k.blocks.Put(buf)
	for _, s := range streams {
		end := u.log.Size(s)
		for u.log.Position(s) < end {
			n, _ := u.drainStream(s, *buf)
			u.trim()
			if n == 0 {
				break
			}
		}
		st := &u.streams[s]
		if len(st.carry) > 0 && !u.left {
			st.offset += int64(u.block(s, st.carry, true))
			st.carry = nil
		}
	}
	u.trim()
}

var streams = [...]rawlog.Stream{rawlog.Stdout, rawlog.Stderr}

// drain reads both streams in turn. It returns how many bytes there were, and
// whether there may be more.
func (u *pump) drain() (total int, more bool) {
	buf := u.p.k.blocks.Get().(*[]byte)
	defer u.p.k.blocks.Put(buf)
	for _, s := range streams {
		n, rest := u.drainStream(s, *buf)
		total += n
		more = more || rest
	}
	return total, more
}

func (u *pump) drainStream(s rawlog.Stream, buf []byte) (total int, more bool) {
	st := &u.streams[s]
	held := copy(buf, st.carry)
	defer func() { st.carry = append(st.carry[:0], buf[:held]...) }()
	for range blocksInTurn {
		n, off, err := u.log.Read(s, buf[held:min(len(buf), held+u.entryMax)])
		if err != nil {
			u.unreadable(s, err)
		}
		if lost, ok := u.log.Truncated(s); ok {
			held = u.restart(s, buf, held, n, off, lost)
		}
		if n == 0 {
			return total, false
		}
		total += n
		u.p.hear()
		if held == 0 {
			st.offset = off
		}
		block := buf[:held+n]
		rest := u.block(s, block, false)
		held = copy(buf, block[rest:])
		st.offset += int64(rest)
		st.since, st.shown = time.Now(), false
		if rest == 0 {
			u.grown()
		}
	}
	return total, true
}

// unreadable says once that output cannot be read.
func (u *pump) unreadable(s rawlog.Stream, err error) {
	if st := &u.streams[s]; !st.failed {
		st.failed = true
		u.p.k.log.Error("read output", "process", u.p.id, "stream", s.String(), "error", err)
	}
}

// restart goes on after the program truncated its own output: what was held
// becomes a line, and the n bytes at buf[held:] begin a new one.
func (u *pump) restart(s rawlog.Stream, buf []byte, held, n int, off, lost int64) int {
	st := &u.streams[s]
	if held > 0 {
		old := append([]byte(nil), buf[:held]...)
		u.block(s, old, true)
		copy(buf, buf[held:held+n])
	}
	st.offset, st.split.AfterCR = off, false
	u.p.note(process.WarningDetected{Code: "reeve.output_truncated",
		Message: fmt.Sprintf("the program re-opened its own %s for writing and truncated it: %d bytes were lost (append with >> or write to the descriptor instead)", s, lost)})
	return 0
}

// block splits a block, shows it to the interpreter and records what came of
// it. It returns where the unterminated rest begins.
func (u *pump) block(s rawlog.Stream, block []byte, eof bool) (rest int) {
	st := &u.streams[s]
	stream := streamName(s)
	wanted := !u.p.unread()
	if !wanted && !u.session.Wants(stream, block) {
		count, first, rest := st.split.Count(block, eof)
		u.session.Skip(stream, block, rest)
		if count > 0 {
			u.record(s, []*item{u.lines(s, st.offset+int64(first), int64(rest-first), count, nil)}, nil)
		}
		return rest
	}
	u.spans, rest = st.split.Split(block, u.spans[:0], eof)
	if len(u.spans) == 0 {
		return rest
	}
	var raw []byte
	if wanted {
		raw = append(raw, block[:rest]...)
	}
	w := &weaver{u: u, s: s, raw: raw}
	u.session.Block(stream, block, u.spans, w.caused)
	w.upTo(len(u.spans))
	u.record(s, w.items, w.events)
	return rest
}

func (u *pump) lines(s rawlog.Stream, offset, length int64, count int, raw []byte) *item {
	return &item{p: u.p, count: count, lines: &lines{run: u.p.rec.Number, stream: s, offset: offset,
		length: length, at: u.p.k.now(), raw: raw, log: u.log}}
}

// trim tells the log what is committed and need not be kept for the pump.
func (u *pump) trim() {
	for i := range u.streams {
		st := &u.streams[i]
		if at := st.indexed.Load(); at > st.consumed {
			st.consumed = at
			_ = u.log.Consumed(rawlog.Stream(i), at) // what cannot be dropped stays
		}
	}
}
