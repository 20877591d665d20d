package wire

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"slices"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"
	"golang.org/x/sys/unix"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// pair is two ends of a connection.
func pair(t testing.TB) (a, b *Conn) {
	t.Helper()
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	var ends [2]*Conn
	for i, fd := range fds {
		f := os.NewFile(uintptr(fd), "end")
		c, err := net.FileConn(f)
		f.Close()
		if err != nil {
			t.Fatal(err)
		}
		if ends[i], err = NewConn(c.(*net.UnixConn)); err != nil {
			t.Fatal(err)
		}
		_ = ends[i].SetReceiveDeadline(time.Now().Add(20 * time.Second))
		t.Cleanup(ends[i].Close)
	}
	return ends[0], ends[1]
}

// pipe is a pipe's two descriptors, with s in it.
func pipe(t testing.TB, s string) (r, w int) {
	t.Helper()
	var fds [2]int
	if err := unix.Pipe2(fds[:], unix.O_CLOEXEC); err != nil {
		t.Fatal(err)
	}
	if _, err := unix.Write(fds[1], []byte(s)); err != nil {
		t.Fatal(err)
	}
	return fds[0], fds[1]
}

func TestFramesInOrder(t *testing.T) {
	a, b := pair(t)
	sizes := []int{0, 1, 15, 16, bufferSize - 1, bufferSize, bufferSize + 1, 300_000, 3, MaxBody, 5}
	go func() {
		for i, n := range sizes {
			if err := a.SendWait(Frame{Kind: Kind(i), Number: uint64(i) << 40, Body: bytes.Repeat([]byte{byte(i)}, n)}); err != nil {
				t.Error(err)
			}
		}
	}()
	for i, n := range sizes {
		f, err := b.Receive()
		if err != nil || f.Kind != Kind(i) || f.Number != uint64(i)<<40 || !bytes.Equal(f.Body, bytes.Repeat([]byte{byte(i)}, n)) {
			t.Fatalf("frame %d: kind %d, %d bytes, %v", i, f.Kind, len(f.Body), err)
		}
	}
	if err := a.Flush(); err != nil {
		t.Error(err)
	}
}

// Descriptors arrive with their frame, also where frames wait in the queue.
func TestDescriptors(t *testing.T) {
	a, b := pair(t)
	const frames = 200
	for i := range frames {
		f := Frame{Number: uint64(i), Body: make([]byte, i*50)}
		for n := range i % (MaxFiles + 1) {
			r, w := pipe(t, fmt.Sprint(i, n))
			unix.Close(w)
			defer unix.Close(r)
			f.Files = append(f.Files, r)
		}
		if err := a.Send(f); err != nil {
			t.Fatal(err)
		}
	}
	for i := range frames {
		f, err := b.Receive()
		if err != nil || len(f.Files) != i%(MaxFiles+1) {
			t.Fatalf("frame %d has %d files, %v", i, len(f.Files), err)
		}
		for n, fd := range f.Files {
			file := os.NewFile(uintptr(fd), "received")
			flags, _ := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0)
			got, err := io.ReadAll(file)
			if string(got) != fmt.Sprint(i, n) || err != nil || flags&unix.FD_CLOEXEC == 0 {
				t.Errorf("frame %d, file %d: %q, %v, flags %x", i, n, got, err, flags)
			}
			file.Close()
		}
	}
}

// A peer that does not read costs a bounded queue, then its connection, and
// the descriptors that were on their way are closed.
func TestSlowPeer(t *testing.T) {
	a, _ := pair(t)
	r, w := pipe(t, "")
	var err error
	sent := 0
	for err == nil {
		err = a.Send(Frame{Body: make([]byte, 1<<20), Files: []int{w}})
		sent++
	}
	if !errors.Is(err, ErrSlow) || sent > MaxQueue>>20+4 {
		t.Errorf("after %d MiB: %v", sent, err)
	}
	if err := a.Send(Frame{}); !errors.Is(err, ErrSlow) {
		t.Errorf("afterwards: %v", err)
	}
	a.Close()
	unix.Close(w)
	unix.Close(r)
}

func TestManySenders(t *testing.T) {
	a, b := pair(t)
	const senders, each = 8, 500
	var wg sync.WaitGroup
	for s := range senders {
		wg.Go(func() {
			for i := range each {
				if err := a.SendWait(Frame{Kind: Kind(s), Number: uint64(i), Body: make([]byte, i%3000)}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	var next [senders]uint64
	for range senders * each {
		f, err := b.Receive()
		if err != nil || f.Number != next[f.Kind] {
			t.Fatalf("sender %d: frame %d instead of %d, %v", f.Kind, f.Number, next[f.Kind], err)
		}
		next[f.Kind]++
	}
	wg.Wait()
}

// What had been sent is received although the sender has gone.
func TestSentBeforeTheEnd(t *testing.T) {
	a, b := pair(t)
	_ = b.Send(Frame{Kind: 9}) // never read
	for i := range 10 {
		if err := a.Send(Frame{Kind: Kind(i)}); err != nil {
			t.Fatal(err)
		}
	}
	a.Close()
	for i := range 10 {
		if f, err := b.Receive(); err != nil || f.Kind != Kind(i) {
			t.Fatalf("frame %d: %+v, %v", i, f, err)
		}
	}
	if _, err := b.Receive(); err == nil {
		t.Error("no end")
	}
}

// What is in no hurry goes along with the next frame, in its place; or alone.
func TestSendLater(t *testing.T) {
	a, b := pair(t)
	for i := range 40 {
		send := a.SendLater
		if i%4 == 3 {
			send = a.Send
		}
		if err := send(Frame{Kind: Kind(i)}); err != nil {
			t.Fatal(err)
		}
	}
	_ = a.SendLater(Frame{Kind: 40})
	for i := range 41 {
		if f, err := b.Receive(); err != nil || f.Kind != Kind(i) {
			t.Fatalf("frame %d: %+v, %v", i, f, err)
		}
	}
	for range 3 * bufferSize / headerSize { // also when it is much
		_ = a.SendLater(Frame{Kind: 1})
	}
	_ = a.SendLater(Frame{Kind: 2})
	a.Close() // also at the end
	for n := 0; ; n++ {
		f, err := b.Receive()
		if err != nil {
			t.Fatalf("after %d frames: %v", n, err)
		}
		if f.Kind == 2 {
			break
		}
	}
	if err := a.SendLater(Frame{Kind: 1}); err == nil {
		t.Error("it is sent after the end")
	}
}

func TestTooLong(t *testing.T) {
	a, b := pair(t)
	if err := a.Send(Frame{Body: make([]byte, MaxBody+1)}); !errors.Is(err, ErrMalformed) {
		t.Error(err)
	}
	if err := a.Send(Frame{Kind: 3}); err != nil {
		t.Error(err)
	}
	if f, err := b.Receive(); f.Kind != 3 || err != nil {
		t.Errorf("%+v, %v", f, err)
	}
}

func TestPeerUID(t *testing.T) {
	a, _ := pair(t)
	if uid, err := a.PeerUID(); uid != os.Getuid() || err != nil {
		t.Errorf("%d, %v", uid, err)
	}
}

func FuzzHeader(f *testing.F) {
	b, _ := Frame{Kind: 3, Number: 7, Body: []byte("body")}.encode()
	f.Add(b[:headerSize])
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) != headerSize {
			return
		}
		if h, err := decodeHeader(b); err == nil && (h.length > MaxBody || h.files > MaxFiles) {
			t.Errorf("%+v", h)
		}
	})
}

func FuzzStrings(f *testing.F) {
	f.Add(AppendStrings(nil, "a", "", "\xff"))
	f.Add([]byte{255, 255, 255, 255, 255, 255, 255, 255, 255, 1})
	f.Fuzz(func(t *testing.T, b []byte) {
		all, rest, err := TakeStrings(b)
		if err != nil {
			return
		}
		again, _, err := TakeStrings(append(AppendStrings(nil, all...), rest...))
		if err != nil || !slices.Equal(again, all) {
			t.Errorf("%q became %q, %v", all, again, err)
		}
	})
}
