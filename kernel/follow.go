package kernel

import (
	"context"
	"io"

	"github.com/reeverun/reeve/process"
	"github.com/reeverun/reeve/rawlog"
)

// Follow copies a stream's bytes from an offset on to w, as they are written,
// and returns when the run is over and all of it was copied; run 0 is the
// newest. A queued run is waited for. flush, if there is one, is called when
// there is nothing more for now. What a cap dropped is shown by its marker.
func (k *Kernel) Follow(ctx context.Context, w io.Writer, flush func() error, id process.ID, run int, s rawlog.Stream, from int64) error {
	rec, err := k.Process(ctx, id)
	if err != nil {
		return err
	}
	if run == 0 {
		run = rec.Number
	}
	if run == 0 { // never run: there is nothing to wait for
		return nil
	}
	t := &tail{k: k, id: id, run: run, stream: s, at: from}
	defer t.close()
	if run < rec.Number || rec.State == process.Idle { // over: a new run is not this one
		return t.copy(ctx, w)
	}
	// Subscribed before the first look, so that nothing between is missed.
	sub, err := k.SubscribeProcess(ctx, id, rec.LastSeq)
	if err != nil {
		return err
	}
	defer sub.Close()
	for {
		over := run != sub.run || sub.over()
		if err := t.copy(ctx, w); err != nil {
			return err
		}
		if over {
			return nil
		}
		if flush != nil {
			if err := flush(); err != nil {
				return err
			}
		}
		if err := sub.changed(ctx); err != nil {
			return err
		}
	}
}

// tail reads a growing stream.
type tail struct {
	k      *Kernel
	id     process.ID
	run    int
	stream rawlog.Stream
	at     int64
	out    Output // nil until there is some
}

// copy copies what there is and has not been copied.
func (t *tail) copy(ctx context.Context, w io.Writer) (err error) {
	if t.out == nil {
		out, err := t.k.OpenOutput(ctx, t.id, t.run)
		if err != nil {
			return err
		}
		if out == (empty{}) { // nothing was written yet
			return nil
		}
		t.out = out
	}
	if to := t.out.Size(t.stream); to > t.at {
		_, err = t.out.Copy(w, t.stream, t.at, to)
		t.at = to
	}
	return err
}

func (t *tail) close() {
	if t.out != nil {
		t.out.Close()
	}
}

// over reports whether the run's end is committed.
func (s *Subscription) over() bool { return s.feed == nil || s.feed.isEnded() }

// changed waits until something was published since the last call, without
// reading it.
func (s *Subscription) changed(ctx context.Context) error {
	for {
		w := s.feed.from(s.next)
		if w.next > s.next || len(w.items) > 0 {
			s.next = w.next + int64(len(w.items))
			return nil
		}
		if w.ended {
			return nil
		}
		select {
		case <-w.wake:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// Ready reports whether Next would return without waiting.
func (s *Subscription) Ready() bool {
	if s.unrun && s.pos >= s.upTo && len(s.pending) == 0 {
		return false
	}
	if len(s.pending) > 0 || len(s.taken) > 0 || s.finished || s.feed == nil || !s.caught {
		return true
	}
	w := s.feed.at(s.next)
	return len(w.items) > 0 || w.next > s.next || w.ended
}
