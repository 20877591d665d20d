package server

import (
	"bytes"
	"context"
	"errors"
	"net"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/reeverun/reeve"
	"github.com/reeverun/reeve/process"
)

// heartbeat keeps connections alive that nothing happens on, and finds those
// whose client is gone.
const heartbeat = 15 * time.Second

// batch is how many bytes of events are gathered before they are sent.
const batch = 32 << 10

// eventStream sends what a source has to one client.
type eventStream struct {
	source  source
	send    func([]byte) error
	buffers *sync.Pool
}

// source is where the messages of a stream come from.
type source interface {
	wait(ctx context.Context) error                     // for a message; any error is the end
	write(ctx context.Context, buf *bytes.Buffer) error // writes it, and what else there is, up to a batch
	beat(buf *bytes.Buffer)                             // writes what belongs to a heartbeat
	Close()
}

// streamEvents sends events until the stream has ended or the client has gone,
// and closes the subscription. number is what a client asks to go on after.
func (q *request) streamEvents(sub *reeve.Subscription, number func(*process.Event) int64) error {
	return q.serveStream(&eventSource{Subscription: sub, number: number, encoded: &q.s.encoded})
}

// serveStream sends what a source has, and closes it. Most streams are idle most of
// the time, so the connection is taken from net/http, whose buffers and stack
// are three times as large as all the rest; where that cannot be, it is served
// as any other.
func (q *request) serveStream(from source) error {
	h := q.w.Header()
	h.Set("Content-Type", "text/event-stream; charset=utf-8")
	h.Set("X-Accel-Buffering", "no")
	if q.r.Method == http.MethodHead {
		from.Close()
		return nil
	}
	ctx, cancel, err := q.wait(q.s.streaming)
	if err != nil {
		from.Close()
		return err
	}
	st := &eventStream{source: from, buffers: &q.s.buffers}
	if conn := q.detach(); conn != nil {
		cancel()
		free := q.free
		q.free = func() {}
		started := q.s.own(func() {
			defer free()
			q.s.serveDetached(conn, st)
		})
		if !started {
			free()
			from.Close()
			_ = conn.Close()
		}
		return nil
	}
	defer cancel()
	q.w.within = stalledAfter
	st.send = func(b []byte) error {
		if _, err := q.w.Write(b); err != nil {
			return err
		}
		return q.w.FlushError()
	}
	st.run(ctx)
	return nil
}

// detach takes the connection from net/http and sends the header; nil if it
// cannot be taken.
func (q *request) detach() net.Conn {
	if q.r.ProtoMajor != 1 {
		return nil
	}
	conn, _, err := http.NewResponseController(q.w).Hijack()
	if err != nil {
		return nil
	}
	var b bytes.Buffer
	b.WriteString("HTTP/1.1 200 OK\r\n")
	h := q.w.Header().Clone()
	h.Set("Date", time.Now().UTC().Format(http.TimeFormat))
	h.Set("Connection", "close") // the end of the body is the end of the connection
	_ = h.Write(&b)
	b.WriteString("\r\n")
	_ = conn.SetReadDeadline(time.Time{})
	_ = conn.SetWriteDeadline(time.Now().Add(answeredWithin))
	_, _ = conn.Write(b.Bytes()) // if the client is gone, the stream finds out
	return conn
}

// serveDetached sends a stream over a connection of its own.
func (s *Server) serveDetached(conn net.Conn, st *eventStream) {
	ctx, cancel := context.WithCancel(s.streaming)
	var reading sync.WaitGroup
	reading.Go(func() { // says when the client has gone
		defer cancel()
		var b [16]byte
		for {
			if _, err := conn.Read(b[:]); err != nil {
				return
			}
		}
	})
	st.send = func(b []byte) error {
		_ = conn.SetWriteDeadline(time.Now().Add(stalledAfter))
		_, err := conn.Write(b)
		return err
	}
	// A write that a client does not read must end with the server, too.
	unhook := context.AfterFunc(ctx, func() { _ = conn.Close() })
	st.run(ctx)
	unhook()
	cancel()
	_ = conn.Close()
	reading.Wait()
}

// run sends events until there are no more, ctx is over or sending fails.
func (st *eventStream) run(ctx context.Context) {
	defer st.source.Close()
	if st.send([]byte("retry: 1000\n\n")) != nil {
		return
	}
	for ctx.Err() == nil {
		if st.runUntilBeat(ctx) != nil {
			return
		}
	}
}

// runUntilBeat sends events until it is time for a heartbeat, and that. One
// timer serves for all of it: most streams get many events in that time.
func (st *eventStream) runUntilBeat(ctx context.Context) error {
	period, cancel := context.WithTimeoutCause(ctx, heartbeat, errBeat)
	defer cancel()
	for {
		beat, err := st.pass(ctx, period)
		if beat || err != nil {
			return err
		}
	}
}

// pass waits for a message, or for the heartbeat, and sends it with what else
// there is.
func (st *eventStream) pass(ctx, period context.Context) (beat bool, err error) {
	err = st.source.wait(period)
	beat = errors.Is(err, errBeat)
	if err != nil && !beat {
		return false, err
	}
	buf := st.buffers.Get().(*bytes.Buffer)
	defer st.buffers.Put(buf)
	buf.Reset()
	if beat {
		st.source.beat(buf)
		buf.WriteString(": heartbeat\n\n")
		return true, st.send(buf.Bytes())
	}
	err = st.source.write(ctx, buf) // what was gathered is sent even if there is no more
	return false, errors.Join(st.send(buf.Bytes()), err)
}

var errBeat = errors.New("it is time for a heartbeat")

// eventSource is the events of a subscription.
type eventSource struct {
	*reeve.Subscription
	number  func(*process.Event) int64
	encoded *encoded
	ev      process.Event // that was waited for
}

func (s *eventSource) wait(ctx context.Context) (err error) {
	s.ev, err = s.Next(ctx)
	return err
}

func (s *eventSource) write(ctx context.Context, buf *bytes.Buffer) (err error) {
	for {
		if err := s.writeEvent(buf); err != nil {
			return err
		}
		if buf.Len() >= batch || !s.Ready() {
			return nil
		}
		if s.ev, err = s.Poll(ctx); errors.Is(err, reeve.ErrNothingYet) {
			return nil
		} else if err != nil {
			return err
		}
	}
}

// beat says how far the stream is, so that what it leaves out need not be gone
// through again by one who comes back.
func (s *eventSource) beat(buf *bytes.Buffer) {
	if at := s.Position(); at > 0 {
		writeID(buf, at)
	}
}

func writeID(w *bytes.Buffer, number int64) {
	w.WriteString("id: ")
	w.Write(strconv.AppendInt(w.AvailableBuffer(), number, 10))
	w.WriteByte('\n')
}

// writeEvent writes one event. What is live only carries no id: a client that
// comes back asks for what is stored after the last one that had one.
func (s *eventSource) writeEvent(w *bytes.Buffer) error {
	data, err := s.encoded.marshal(&s.ev)
	if err != nil {
		return err
	}
	if !s.ev.Live() {
		writeID(w, s.number(&s.ev))
	}
	w.WriteString("data: ")
	w.Write(data)
	w.WriteString("\n\n")
	return nil
}
