//go:build linux

package torture

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"path/filepath"
	"sync"
	"time"
)

// accompany adds those who look on, and those who behave badly.
func (s *soak) accompany(ctx context.Context, all *sync.WaitGroup) {
	all.Go(func() { s.everyMoment(ctx, s.list) })
	all.Go(func() { s.everyMoment(ctx, s.tear) })
	for range 3 {
		all.Go(func() { s.everyMoment(ctx, s.dawdle) })
	}
}

func (s *soak) everyMoment(ctx context.Context, do func(context.Context)) {
	for pause(ctx, 100*time.Millisecond) {
		do(ctx)
	}
}

// list reads all pages of the list, and the overview: newest first, each once.
func (s *soak) list(context.Context) {
	s.tally.add("listed")
	before := int64(1) << 62
	for cursor := ""; ; {
		var page struct {
			Processes  []record `json:"processes"`
			NextCursor *string  `json:"nextCursor"`
		}
		if s.daemon.get("/processes?limit=50"+cursor, &page) != nil {
			return
		}
		for _, rec := range page.Processes {
			if rec.ID >= before {
				s.wrong("the list has process %d after %d", rec.ID, before)
			}
			before = rec.ID
		}
		if page.NextCursor == nil {
			break
		}
		cursor = "&cursor=" + *page.NextCursor
	}
	var overview struct {
		Total int64 `json:"total"`
	}
	_ = s.daemon.get("/overview", &overview)
}

// tear sends half a request and hangs up.
func (s *soak) tear(ctx context.Context) {
	conn, err := new(net.Dialer).DialContext(ctx, "unix", filepath.Join(s.daemon.data(), "reeve.sock"))
	if err != nil {
		return
	}
	defer conn.Close()
	s.tally.add("torn")
	_, _ = fmt.Fprintf(conn, "POST /processes HTTP/1.1\r\nHost: reeve\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{\"environment\":\"command\",\"code\":\"echo torn")
}

// dawdle subscribes to everything from the beginning, reads less than there is,
// and goes away.
func (s *soak) dawdle(ctx context.Context) {
	req, err := http.NewRequestWithContext(ctx, "GET", "http://reeve/events?after=0", nil)
	if err != nil {
		return
	}
	req.Header.Set("Accept", "text/event-stream")
	res, err := s.daemon.http.Do(req)
	if err != nil {
		return
	}
	defer res.Body.Close()
	s.tally.add("dawdled")
	little := make([]byte, 1024)
	for range 8 {
		if _, err := res.Body.Read(little); err != nil || !pause(ctx, 100*time.Millisecond) {
			return
		}
	}
}
