//go:build linux

package torture

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// record is the part of a process's record that is checked.
type record struct {
	ID        int64   `json:"id"`
	Label     string  `json:"label"`
	State     string  `json:"state"`
	ExitState *string `json:"exitState"`
	Lifecycle string  `json:"lifecycle"`
	Paused    bool    `json:"paused"`
	Error     *string `json:"error"`
	Run       int     `json:"run"`
	StartedAt *string `json:"startedAt"`
	Exit      *struct {
		Code   int     `json:"code"`
		Reason string  `json:"reason"`
		Signal *string `json:"signal"`
	} `json:"exit"`
	Outcome *struct {
		Kind   string `json:"kind"`
		Reason *struct {
			Kind string `json:"kind"`
		} `json:"reason"`
		Survivors []any `json:"survivors"`
	} `json:"outcome"`
	Output      map[string]any `json:"output"`
	StdoutBytes int64          `json:"stdoutBytes"`
	StderrBytes int64          `json:"stderrBytes"`
}

func text(s *string) string {
	if s == nil {
		return "null"
	}
	return *s
}

func (r record) String() string {
	exit, _ := json.Marshal(r.Exit)
	return fmt.Sprintf("%d %s: %s/%s, error %s, exit %s, run %d, %d+%d bytes", r.ID, r.Label, r.State, text(r.ExitState), text(r.Error), exit, r.Run, r.StdoutBytes, r.StderrBytes)
}

func (r record) finished() bool { return r.State == "idle" && r.ExitState != nil }

// interrupted reports whether the outcome is said to be unknown.
func (r record) interrupted() bool {
	return text(r.ExitState) == "failed" && text(r.Error) == "host process exited"
}

// event is one event, whole and in the parts that are checked.
type event struct {
	Seq     int64  `json:"seq"`
	Cursor  string `json:"cursor"`
	Process int64  `json:"process"`
	Run     int    `json:"run"`
	Kind    string `json:"kind"`
	Stream  string `json:"stream"`
	Line    string `json:"line"`
	Offset  int64  `json:"offset"`
	Partial bool   `json:"partial"`

	print uint64 // of everything in it
}

// parseEvent reads an event and takes its print.
func parseEvent(raw []byte) (ev event, err error) {
	if err := json.Unmarshal(raw, &ev); err != nil {
		return ev, err
	}
	ev.print = Number(string(bytes.TrimSpace(raw))) | 1 // 0 is unseen
	return ev, nil
}

// events reads the stored events of a process after a number.
func (d *daemon) events(id, after int64) (all []event, err error) {
	for {
		var page struct {
			Events []json.RawMessage `json:"events"`
			Next   int64             `json:"next"`
		}
		if err := d.get(fmt.Sprintf("/processes/%d/events?after=%d&limit=1000", id, after), &page); err != nil {
			return nil, err
		}
		for _, raw := range page.Events {
			ev, err := parseEvent(raw)
			if err != nil {
				return nil, err
			}
			all = append(all, ev)
		}
		if len(page.Events) == 0 || page.Next == after {
			return all, nil
		}
		after = page.Next
	}
}

func (d *daemon) record(id int64) (r record, err error) {
	err = d.get(fmt.Sprintf("/processes/%d", id), &r)
	return r, err
}

func (d *daemon) bytes(id int64, stream string) (content []byte, err error) {
	err = d.get(fmt.Sprintf("/processes/%d/%s", id, stream), &content)
	return content, err
}
