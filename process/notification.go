package process

import (
	"encoding/json"
	"time"
)

// NotificationState is how far a notification is.
type NotificationState string

// The notification states.
const (
	NotificationPending   NotificationState = "pending"   // to be sent, or sent again
	NotificationDelivered NotificationState = "delivered" // the receiver has said so
	NotificationFailed    NotificationState = "failed"    // given up
)

// NotificationStates lists them all.
func NotificationStates() []NotificationState {
	return []NotificationState{NotificationPending, NotificationDelivered, NotificationFailed}
}

// TypeFinalized is the type of the only thing that is told so far.
const TypeFinalized = "process.finalized"

// Notification tells the receiver of a Notify that a run is over. It is stored
// with the run's end, and sent until the receiver has it: at least once.
type Notification struct {
	Process ID
	Run     int
	ID      string // the same each time it is sent
	State   NotificationState
	Host    string // of the receiver
	Body    []byte // what is sent
	// Attempts are those since it was made, or asked for again.
	Attempts   int
	CreatedAt  time.Time
	DueAt      time.Time // of the next attempt; zero unless it is pending
	LastAt     time.Time // of the last attempt; zero: there was none
	LastStatus int       // the receiver answered; 0: it did not
	LastError  string    // why the last attempt failed
}

// notificationBody is what a receiver reads.
type notificationBody struct {
	ID      string `json:"id"`
	Type    string `json:"type"`
	At      Stamp  `json:"at"`
	Process Record `json:"process"`
}

// NewNotification tells the end of p's newest run, which is to be told at once.
// The process must have a Notify.
func NewNotification(id string, p *Process, at time.Time) (Notification, error) {
	n := Notification{Process: p.ID, Run: p.Number, ID: id, State: NotificationPending,
		Host: p.Notify.Host(), CreatedAt: at, DueAt: at}
	rec := p.Record()
	rec.Code, rec.Output = nil, nil // as in a list
	body, err := json.Marshal(notificationBody{ID: id, Type: TypeFinalized, At: Stamp{at}, Process: rec})
	n.Body = body
	return n, err
}

// NotificationRecord is a notification as clients see it.
type NotificationRecord struct {
	Run           int               `json:"run" doc:"Whose end it tells."`
	ID            string            `json:"id" doc:"The webhook-id, the same each time it is sent."`
	URL           string            `json:"url" doc:"Where it goes, without what may be secret in it."`
	State         NotificationState `json:"state" enum:"pending,delivered,failed"`
	Attempts      int               `json:"attempts" doc:"How often it was sent since it was made, or asked for again."`
	CreatedAt     Stamp             `json:"createdAt"`
	NextAttemptAt *Stamp            `json:"nextAttemptAt" nullable:"true" doc:"null unless it is pending."`
	LastAttemptAt *Stamp            `json:"lastAttemptAt" nullable:"true"`
	LastStatus    *int              `json:"lastStatus" doc:"What the receiver answered last; null: nothing."`
	LastError     *string           `json:"lastError" doc:"Why the last attempt failed; null: it did not."`
}

// Record returns it as clients see it. to is the process's own.
func (n *Notification) Record(to *Notify) NotificationRecord {
	r := NotificationRecord{Run: n.Run, ID: n.ID, State: n.State, Attempts: n.Attempts, CreatedAt: Stamp{n.CreatedAt},
		NextAttemptAt: stamp(n.DueAt), LastAttemptAt: stamp(n.LastAt), LastStatus: nilIfZero(n.LastStatus), LastError: nilIfZero(n.LastError)}
	if to != nil {
		r.URL = to.Shown()
	}
	return r
}
