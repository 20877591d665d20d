package cli

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/reeverun/reeve/client"
	"github.com/reeverun/reeve/process"
)

// barWidth is how many columns the bar itself takes at most.
const barWidth = 30

// redrawEvery bounds how often the bar is drawn.
const redrawEvery = 50 * time.Millisecond

// progressBar draws how far a run is, in fewer columns than the terminal has;
// empty where that is not known.
func progressBar(p process.Progress, width int) string {
	share, known := p.Share()
	if !known {
		return ""
	}
	after := fmt.Sprintf("%3d%%", int(share*100))
	switch p.Unit {
	case process.UnitCount:
		after += fmt.Sprintf(" %d/%d", p.Done, p.Total)
	case process.UnitBytes:
		after += fmt.Sprintf(" %s/%s", byteCount(p.Done), byteCount(p.Total))
	}
	size := min(barWidth, width-len(after)-4)
	if size < 3 {
		return fit(after, max(0, width-1))
	}
	full := int(share * float64(size))
	return "[" + strings.Repeat("#", full) + strings.Repeat("-", size-full) + "] " + after
}

// watchProgress draws the progress of a process until ctx is over. It starts at
// a cursor from before the process was made, so that nothing is missed.
func (a *App) watchProgress(ctx context.Context, c *client.Client, id process.ID, cursor string, s *screen) {
	defer s.show("")
	var last time.Time
	for ev, err := range c.AllEvents(ctx, client.EventFilter{Kind: process.KindProgressUpdated}, cursor) {
		if err != nil {
			return // a job without a progress bar is a job all the same
		}
		update, ok := ev.Data.(process.ProgressUpdated)
		if !ok || ev.Process != id {
			continue
		}
		share, _ := update.Progress.Share()
		if time.Since(last) < redrawEvery && share < 1 {
			continue
		}
		last = time.Now()
		s.show(progressBar(update.Progress, width(a.Stderr)))
	}
}
