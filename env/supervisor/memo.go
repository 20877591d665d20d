package supervisor

import (
	"encoding/json"
	"time"

	"github.com/reeverun/reeve/process"
)

// maxRecent bounds how many restarts of a child are kept for a later host.
const maxRecent = 100

// memo is what is kept of a child in the structured output of its supervisor: for
// those who look, for the next host of the run and for the next run.
type memo struct {
	Process  process.ID  `json:"process"`
	Run      int         `json:"run"`                // of the child, the newest that was started or found
	Restarts int         `json:"restarts"`           // in this run of the supervisor
	Failures int         `json:"failures,omitempty"` // in a row, for the backoff
	Recent   []time.Time `json:"recent,omitempty"`   // ends of it that count for the limit
	Due      time.Time   `json:"due,omitzero"`       // when it is to be started
	Because  process.ID  `json:"because,omitempty"`  // whose end ends it, or has ended it; with Due, 0: it is its first start
}

// tell keeps what is known of children. Nobody waits until that is stored: it is,
// before anything that comes later is.
func (r *run) tell(children ...*child) {
	data := map[string]any{}
	for _, c := range children {
		if c.id != 0 {
			data[c.Name] = memo{Process: c.id, Run: c.run, Restarts: c.restarts, Failures: c.failures,
				Recent: c.recent[max(0, len(c.recent)-maxRecent):], Due: c.due, Because: c.because}
		}
	}
	r.host.Output(data)
}

// recall reads what was told of a child; the zero memo is that of one of which
// nothing was.
func recall(output map[string]any, name string) (m memo) {
	told, ok := output[name]
	if !ok {
		return m
	}
	b, err := json.Marshal(told)
	if err == nil {
		err = json.Unmarshal(b, &m)
	}
	if err != nil { // somebody else's words
		return memo{}
	}
	return m
}
