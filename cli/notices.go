package cli

import (
	"context"
	"time"

	"github.com/reeverun/reeve/client"
	"github.com/reeverun/reeve/process"
)

// queueNotice is how long a job may wait for its environment before the user is
// told.
const queueNotice = 400 * time.Millisecond

// noticeQueue tells the user why nothing happens.
func (j *job) noticeQueue(ctx context.Context) {
	select {
	case <-ctx.Done():
		return
	case <-time.After(queueNotice):
	}
	rec, err := j.client.Process(ctx, j.id)
	if err == nil && rec.State == process.Queued && rec.Run == j.run {
		j.app.say("%s is queued: all slots of the environment %s are taken", rec.ID, rec.Environment)
	}
}

// noticeApprovals tells the user, once for each, which decisions the program
// waits for, until ctx is over. It starts at a cursor from before the process
// was made, so that none is missed.
func (j *job) noticeApprovals(ctx context.Context) {
	for ev, err := range j.client.AllEvents(ctx, client.EventFilter{Kind: process.KindApprovalRequested}, j.cursor) {
		if err != nil {
			return // the stream of the output says what is wrong
		}
		asked, ok := ev.Data.(process.ApprovalRequested)
		if ok && ev.Process == j.id && ev.Run == j.run {
			j.app.say("waiting for approval %s: %s/%s (reeve approvals approve %[1]s)", asked.Approval, asked.Service, asked.Tool)
		}
	}
}
