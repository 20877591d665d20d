// Package notify sends notifications: HTTP requests that tell a receiver that a
// run is over, signed in the way of Standard Webhooks.
//
// The store is the queue. A notification is stored with the end it tells, by the
// kernel, and is pending until its receiver has answered with a 2xx status or it
// is given up; so one that was stored is sent at least once, whatever dies in
// between, each time with the same id and the same body.
//
//	pending ── 2xx ──▶ delivered
//	   │ ▲
//	   │ └─ any other answer or none: again, after a longer while each time
//	   ├─ 410 ──────▶ failed
//	   └─ no more attempts ──▶ failed
//
// One goroutine, the dispatcher's, decides what is sent when; it sleeps until
// the next notification is due, and does nothing as long as there is none. The
// attempts are goroutines of their own, which it waits for.
//
// Receivers do not hold each other up. A host has a few attempts at a time, one
// whose last attempt failed has one, and those hosts together have no more than
// half of all attempts: however many are slow or dead, there is room for the
// others.
package notify
