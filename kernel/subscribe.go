package kernel

import (
	"context"
	"errors"
	"io"
	"iter"
	"sync"

	"github.com/reeverun/reeve/process"
)

// Subscription is one reader's place in the event log: of one process, or of
// all. It is used by one goroutine, except for Close.
type Subscription struct {
	k    *Kernel
	feed *feed      // nil: everything is in the store
	id   process.ID // 0: all processes
	keep func(*process.Event) bool
	dry  bool // lines are not wanted: they are neither waited for nor read

	pos     int64           // last number given: seq, or cursor for all
	upTo    int64           // without a feed: where the stream ends
	run     int             // of one process: the run that ends the stream
	next    int64           // ordinal in the feed
	caught  bool            // stands in the window: falling out of it is lag
	before  *survey         // of a replay of all processes; nil: none is under way
	pending []process.Event // to be given before anything else; shared, not to be changed
	taken   []*item         // of the window, to be given after them
	err     error

	finished bool // its last event was given
	unrun    bool // the process has never run: the stream goes on with its first run
	polling  bool // Next does not wait

	once    sync.Once
	gone    chan struct{}
	joining sync.Mutex // guards feed where Close may meet awaitRun
}

// Subscribe follows all processes: what happens from now on, or from after a
// cursor if that is not negative. The subscriber must read or Close it.
func (k *Kernel) Subscribe(after int64, f Filter) *Subscription {
	s := k.subscription(f)
	s.feed = s.suited(k.events)
	_, cursor, next := s.feed.join()
	s.pos, s.next, s.caught = cursor, next, true
	if after >= 0 && after < cursor {
		s.pos, s.caught = after, false
	}
	return s
}

// SubscribeProcess follows one process from after a seq: what is stored, then
// live, without gap or repeat, to the end of its newest run.
func (k *Kernel) SubscribeProcess(ctx context.Context, id process.ID, after int64) (*Subscription, error) {
	return k.SubscribeKinds(ctx, id, after, process.KindFilter{})
}

// SubscribeKinds is SubscribeProcess for some kinds of events. It ends with the
// run all the same.
func (k *Kernel) SubscribeKinds(ctx context.Context, id process.ID, after int64, kinds process.KindFilter) (*Subscription, error) {
	s := k.subscription(Filter{Kinds: kinds})
	s.id, s.pos = id, max(after, 0)
	if p := k.table.get(id); p != nil && !p.feed.isEnded() {
		s.feed, s.run = s.suited(p.feed), p.view.Load().Number
		_, _, s.next = s.feed.join()
		return s, nil
	}
	rec, err := k.cfg.Store.Process(ctx, id)
	if err != nil {
		return nil, err
	}
	s.upTo, s.run = rec.LastSeq, max(1, rec.Number)
	s.unrun = rec.Number == 0
	return s, nil
}

// awaitRun waits for the first run of a process, and goes on with it.
func (s *Subscription) awaitRun(ctx context.Context) error {
	for {
		born, forget := s.k.table.awaitBirth(s.id) // before looking
		again, err := s.lookForRun(ctx, born)
		forget()
		if !again {
			return err
		}
	}
}

// lookForRun takes up the first run if there is one, or waits until that may
// be: then it is to be called again.
func (s *Subscription) lookForRun(ctx context.Context, born <-chan struct{}) (again bool, err error) {
	if p := s.k.table.get(s.id); p != nil && p.created() {
		s.enter(p.feed)
		return false, nil
	}
	rec, err := s.k.cfg.Store.Process(ctx, s.id)
	switch {
	case errors.Is(err, process.ErrNotFound): // deleted
		return false, io.EOF
	case err != nil:
		return false, err
	case rec.Number > 0: // it was over at once
		s.enter(nil)
		s.upTo, s.run = rec.LastSeq, rec.Number
		return false, nil
	case s.polling:
		return false, ErrNothingYet
	}
	select {
	case <-born:
		return true, nil
	case <-s.k.closed:
		return false, io.EOF
	case <-s.gone:
		return false, io.EOF
	case <-ctx.Done():
		return false, context.Cause(ctx)
	}
}

// enter goes on with the feed of the first run, or with what is stored of it.
func (s *Subscription) enter(f *feed) {
	s.joining.Lock()
	defer s.joining.Unlock()
	s.unrun = false
	select {
	case <-s.gone:
		return // closed meanwhile
	default:
	}
	s.feed = nil
	if f != nil {
		s.feed = s.suited(f)
		_, _, s.next = s.feed.join()
	}
}

// Next returns the next event. io.EOF says that the stream has ended.
func (s *Subscription) Next(ctx context.Context) (process.Event, error) {
	for {
		for len(s.pending) > 0 {
			ev := s.pending[0]
			s.pending = s.pending[1:]
			if s.id != 0 && ev.Kind == process.KindFinalized && ev.Run >= s.run {
				s.finished = true
				s.pending, s.taken = nil, nil
			}
			if s.keep == nil || ev.Kind == process.KindLagged || s.keep(&ev) {
				return ev, nil
			}
		}
		if s.finished {
			return process.Event{}, io.EOF
		}
		if len(s.taken) > 0 {
			s.open()
			continue
		}
		if err := s.fill(ctx); err != nil {
			return process.Event{}, err
		}
	}
}

// ErrNothingYet says that Poll would have to wait.
var ErrNothingYet = errors.New("no event yet")

// Poll is Next without waiting: ErrNothingYet says that there is no event now.
func (s *Subscription) Poll(ctx context.Context) (process.Event, error) {
	s.polling = true
	defer func() { s.polling = false }()
	return s.Next(ctx)
}

// Position is the number up to which the subscriber has been given everything
// it asked for: a seq, or a cursor for all processes.
func (s *Subscription) Position() int64 {
	if len(s.pending) > 0 {
		return s.at(&s.pending[0]) - 1
	}
	if len(s.taken) > 0 {
		return s.number(s.taken[0]) - 1
	}
	return s.pos
}

// fill gets more events, waiting for them if need be.
func (s *Subscription) fill(ctx context.Context) error {
	if s.feed == nil {
		if s.unrun && s.pos >= s.upTo {
			return s.awaitRun(ctx)
		}
		return s.replay(ctx, s.upTo)
	}
	w := s.feed.from(s.next)
	if !s.caught {
		return s.catchUp(ctx, w)
	}
	if w.next > s.next {
		s.lag(w)
		return nil
	}
	if len(w.items) > 0 {
		s.taken, s.next = w.items, w.next+int64(len(w.items))
		return nil
	}
	s.pos = max(s.pos, s.published(&w.state)) // what it does not hold is not wanted
	if w.ended {
		return io.EOF
	}
	if s.polling {
		return ErrNothingYet
	}
	select {
	case <-w.wake:
		return nil
	case <-s.gone:
		return io.EOF
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// catchUp replays from the store until the subscriber stands in the window.
func (s *Subscription) catchUp(ctx context.Context, w window) error {
	published := s.published(s.feed.state.Load())
	if len(w.items) > 0 {
		first := s.number(w.items[0])
		if s.pos >= first-1 {
			s.next, s.caught, s.before = w.next, true, nil
			return nil
		}
		published = min(published, first-1) // the window has the rest
	} else if s.pos >= published {
		s.next, s.caught, s.before = w.next, true, nil
		return nil
	}
	return s.replay(ctx, published)
}

// replay reads one page of stored events, up to a number.
func (s *Subscription) replay(ctx context.Context, upTo int64) error {
	if s.pos >= upTo {
		return io.EOF
	}
	page, err := s.stored(ctx)
	if err != nil {
		return err
	}
	s.pending = clip(page, s.at, upTo)
	if len(s.pending) == 0 {
		s.pos = upTo // what is left was pruned
		return nil
	}
	s.pos = lastOf(s.pending[len(s.pending)-1], s.id != 0)
	return nil
}

// stored reads the page of stored events that comes next.
func (s *Subscription) stored(ctx context.Context) ([]process.Event, error) {
	switch {
	case s.dry && s.id != 0:
		return s.k.cfg.Store.Events(ctx, s.id, s.pos, replayPage)
	case s.dry:
		return s.k.cfg.Store.AllEvents(ctx, s.pos, replayPage)
	case s.id != 0:
		return s.k.Events(ctx, s.id, s.pos, replayPage)
	case s.before == nil:
		s.before = &survey{}
	}
	return s.k.allEvents(ctx, s.before, s.pos, replayPage)
}

// published is the number of the last event that a feed has published.
func (s *Subscription) published(f *state) int64 {
	if s.id != 0 {
		return f.seq
	}
	return f.cursor
}

// lag says how much was missed, and goes on with what there is.
func (s *Subscription) lag(w window) {
	s.next = w.next
	to := s.published(&w.state)
	if len(w.items) > 0 {
		to = s.number(w.items[0]) - 1
	}
	if missed := to - s.pos; missed > 0 {
		ev := process.New(process.Lagged{Missed: missed})
		ev.Process, ev.At = s.id, s.k.now()
		s.pending = []process.Event{ev}
		s.pos = to
	}
}

// open makes the next item of the window pending, without what was replayed
// before.
func (s *Subscription) open() {
	it := s.taken[0]
	s.taken = s.taken[1:]
	if it.live {
		if it.seq > s.pos || s.id == 0 {
			s.pending = it.events
		}
		return
	}
	events := it.all(s.k.cfg.Logs)
	for i := range events {
		if s.at(&events[i]) > s.pos {
			s.pending = events[i:]
			break
		}
	}
	s.pos = max(s.pos, s.number(it)+int64(it.count)-1)
}

func (s *Subscription) at(ev *process.Event) int64 {
	if s.id != 0 {
		return ev.Seq
	}
	return ev.Cursor
}

func (s *Subscription) number(it *item) int64 {
	if s.id != 0 {
		return it.seq
	}
	return it.cursor
}

// All yields events until the stream ends, ctx is over or the loop is left,
// and closes the subscription. Err tells why it ended.
func (s *Subscription) All(ctx context.Context) iter.Seq[process.Event] {
	return func(yield func(process.Event) bool) {
		defer s.Close()
		for {
			ev, err := s.Next(ctx)
			if err != nil {
				if err != io.EOF {
					s.err = err
				}
				return
			}
			if !yield(ev) {
				return
			}
		}
	}
}

// Err returns why All stopped; nil if the stream ended or the loop was left.
func (s *Subscription) Err() error { return s.err }

// Close ends the subscription. It may be called again, and from anywhere.
func (s *Subscription) Close() {
	s.once.Do(func() {
		s.joining.Lock()
		defer s.joining.Unlock()
		close(s.gone)
		if s.feed != nil {
			s.feed.leave()
		}
	})
}
