//go:build linux

package torture

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

// watch awaits the end of a process in one of the ways there are.
func (s *soak) watch(ctx context.Context, st story) {
	switch st.watches {
	case "events":
		s.watchEvents(ctx, st.p)
	case "output":
		s.watchOutput(ctx, st.p)
	default:
		for pause(ctx, 50*time.Millisecond) {
			s.tally.add("read")
			if rec, err := s.daemon.record(st.p.id); err == nil && rec.finished() {
				return
			}
		}
	}
}

// watchEvents subscribes, again after each cut, and goes on after the last
// event it had: each comes once, whatever became of the daemon.
func (s *soak) watchEvents(ctx context.Context, p *proc) {
	last, over := int64(0), false
	for !over && ctx.Err() == nil {
		s.tally.add("subscribed")
		err := s.daemon.stream(ctx, fmt.Sprintf("/processes/%d/events?after=%d", p.id, last), func(ev event) bool {
			if ev.Kind == "lagged" {
				return false
			}
			if ev.Seq != last+1 {
				s.wrong("subscribed after event %d of process %d, and event %d comes", last, p.id, ev.Seq)
				over = true
				return false
			}
			last, over = ev.Seq, ev.Kind == "finalized"
			s.witness.see(ev, "subscribed to")
			return !over
		})
		if errors.Is(err, errRefused) {
			s.wrong("process %d: %v", p.id, err)
			return
		}
		pause(ctx, 20*time.Millisecond)
	}
}

// watchOutput follows stdout, again after each cut at the byte where it was,
// and compares what came with what is kept.
func (s *soak) watchOutput(ctx context.Context, p *proc) {
	var seen strings.Builder
	for {
		s.tally.add("followed")
		s.follow(ctx, p, &seen)
		if !pause(ctx, 20*time.Millisecond) {
			return
		}
		rec, err := s.daemon.record(p.id)
		if err != nil || !rec.finished() || rec.StdoutBytes > int64(seen.Len()) && rec.StartedAt != nil {
			continue
		}
		if kept, err := s.daemon.bytes(p.id, "stdout"); err == nil && string(kept) != seen.String() {
			s.wrong("%d bytes of stdout came, %d are kept, and they differ: %v", seen.Len(), len(kept), rec)
		}
		return
	}
}

func (s *soak) follow(ctx context.Context, p *proc, seen *strings.Builder) {
	req, err := http.NewRequestWithContext(ctx, "GET", fmt.Sprintf("http://reeve/processes/%d/stdout?follow=1&offset=%d", p.id, seen.Len()), nil)
	if err != nil {
		s.t.Error(err)
		return
	}
	res, err := s.daemon.http.Do(req)
	if err != nil {
		return
	}
	defer res.Body.Close()
	switch res.StatusCode {
	case 200:
		_, _ = io.Copy(seen, res.Body) // up to its end, or where it is cut
	case 503:
	default:
		answer, _ := io.ReadAll(res.Body)
		s.wrong("following %s from %d: %d %.300s", p.name, seen.Len(), res.StatusCode, answer)
	}
}
