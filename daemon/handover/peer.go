package handover

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"os"
	"sync"
	"time"
)

// sayWithin bounds how long the other side may take to read.
const sayWithin = 5 * time.Second

// Peer is the other side of a conversation. Say and Await are for one goroutine.
type Peer struct {
	conn    *net.UnixConn
	rest    []byte     // read, and not a message yet
	files   []*os.File // that came with it
	heard   chan Message
	gone    chan struct{} // closed when nothing more comes
	reading sync.WaitGroup
}

// ahead is how many messages may come before they are asked for.
const ahead = 4

// newPeer takes a connection over. Close it.
func newPeer(conn *net.UnixConn, rest []byte) *Peer {
	_ = conn.SetDeadline(time.Time{})
	p := &Peer{conn: conn, rest: rest, heard: make(chan Message, ahead), gone: make(chan struct{})}
	p.reading.Go(p.read)
	return p
}

// Gone is closed when the other side has ended the conversation.
func (p *Peer) Gone() <-chan struct{} { return p.gone }

// Say sends a message, with descriptors that stay the caller's.
func (p *Peer) Say(m Message, files ...int) error {
	b, err := json.Marshal(m)
	if err != nil {
		return err
	}
	b = append(b, '\n')
	_ = p.conn.SetWriteDeadline(time.Now().Add(sayWithin))
	n, _, err := p.conn.WriteMsgUnix(b, rights(files), nil)
	if err == nil && n < len(b) {
		_, err = p.conn.Write(b[n:])
	}
	return err
}

// Await waits for a word. Another one is an error, and so is the end.
func (p *Peer) Await(ctx context.Context, want Word) (Message, error) {
	select {
	case m, ok := <-p.heard:
		switch {
		case !ok:
			return m, ErrGone
		case m.Say == Failed:
			m.CloseFiles()
			return m, &FailedError{m.Reason}
		case m.Say != want:
			m.CloseFiles()
			return m, errors.New("the other daemon said " + string(m.Say) + " in the place of " + string(want))
		}
		return m, nil
	case <-ctx.Done():
		return Message{}, context.Cause(ctx)
	}
}

// Close ends the conversation. It may be called again.
func (p *Peer) Close() {
	_ = p.conn.Close()
	p.reading.Wait()
	for m := range p.heard {
		m.CloseFiles()
	}
}

// read hears the other side until it ends, or says what cannot be.
func (p *Peer) read() {
	defer func() {
		left := Message{Files: p.files}
		left.CloseFiles()
		close(p.heard)
		close(p.gone)
	}()
	for {
		m, err := p.next()
		if err != nil {
			return
		}
		select {
		case p.heard <- m:
		default: // it does not wait for answers
			m.CloseFiles()
			return
		}
	}
}

func (p *Peer) next() (m Message, err error) {
	for {
		if line, rest, ok := bytes.Cut(p.rest, []byte("\n")); ok {
			p.rest = rest
			if err := json.Unmarshal(line, &m); err != nil {
				return m, err
			}
			m.Files, p.files = p.files, nil
			return m, nil
		}
		if len(p.rest) > maxMessage || len(p.files) > maxFiles {
			return m, errors.New("the message is too large")
		}
		if err := p.receive(); err != nil {
			return m, err
		}
	}
}

// receive reads what there is, with the descriptors that come along.
func (p *Peer) receive() error {
	buf, oob := make([]byte, 4096), make([]byte, rightsSpace)
	n, oobn, _, _, err := p.conn.ReadMsgUnix(buf, oob)
	if err != nil {
		return err
	}
	p.files = append(p.files, received(oob[:oobn])...)
	p.rest = append(p.rest, buf[:n]...)
	if n == 0 {
		return io.EOF
	}
	return nil
}
