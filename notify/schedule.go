package notify

import (
	"math/rand/v2"
	"net/http"
	"time"

	"github.com/reeverun/reeve/process"
)

// waits are the times between the attempts: thirteen of them, over a day.
var waits = [...]time.Duration{time.Second, 5 * time.Second, 20 * time.Second, time.Minute, 5 * time.Minute,
	15 * time.Minute, 30 * time.Minute, time.Hour, 2 * time.Hour, 4 * time.Hour, 6 * time.Hour, 10 * time.Hour}

// Attempts is how often a notification is sent before it is given up.
const Attempts = len(waits) + 1

// longest is how long a receiver can put an attempt off.
const longest = 24 * time.Hour

// jitter is by which share waits vary, up and down: those who failed together
// do not come back together.
const jitter = 0.2

// after takes the answer to an attempt into a notification.
func after(n process.Notification, a answer, at time.Time) process.Notification {
	n.Attempts++
	n.LastAt, n.LastStatus, n.LastError = at, a.status, ""
	if a.err != nil {
		n.LastError = a.err.Error()
	}
	switch {
	case a.err == nil:
		n.State, n.DueAt = process.NotificationDelivered, time.Time{}
	case a.status == http.StatusGone || n.Attempts >= Attempts:
		n.State, n.DueAt = process.NotificationFailed, time.Time{}
	default:
		n.DueAt = at.Add(max(wait(n.Attempts), a.after))
	}
	return n
}

// wait is how long to wait after so many attempts.
func wait(attempts int) time.Duration {
	d := float64(waits[min(max(attempts, 1), len(waits))-1])
	return time.Duration(d * (1 + jitter*(2*rand.Float64()-1)))
}

// dueAt is when a notification is to be sent. A clock that stands before the
// last attempt was set back since, and must not put it off for as long again.
func dueAt(n *process.Notification, now time.Time) time.Time {
	if n.LastAt.After(now.Add(time.Minute)) || n.CreatedAt.After(now.Add(time.Minute)) {
		return now
	}
	return n.DueAt
}
