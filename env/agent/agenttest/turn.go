package agenttest

import (
	"encoding/json"
	"net/http"
	"time"
)

// Turn is what the model does with one request.
type Turn struct {
	Text  string
	Piece int // bytes of text and of arguments in one event; 0: all at once
	Calls []Call
	Usage Usage

	// Finish is why it stopped, in the protocol's word; empty: as it is.
	Finish  string
	Refusal string // in place of text

	Status int // of an answer that is an error; 0: none
	Header http.Header
	Kind   string // of the error
	Said   string // by the error
	Raw    string // in place of everything: a body of status 200

	Wait   <-chan struct{} // before it begins to answer
	Delay  time.Duration   // between two events
	Then   func(event int) // called after each event, counted from 1
	Drop   int             // the connection after so many events; 0: not
	Silent int             // says nothing more after so many events; 0: not; -1: not even a status
	Error  string          // an error in the stream, after its text
}

// Call is a tool call.
type Call struct {
	ID   string // empty: call_N
	Name string
	Args string // as they are written, also garbage
}

// Usage is what the answer is said to have taken.
type Usage struct{ Input, Cached, Output int64 }

// Say is a turn of text.
func Say(text string) Turn { return Turn{Text: text, Usage: Usage{Input: 10, Output: 5}} }

// Ask is a turn that asks for calls.
func Ask(calls ...Call) Turn { return Turn{Calls: calls, Usage: Usage{Input: 10, Output: 5}} }

// Fault is a turn that is an HTTP error.
func Fault(status int) Turn { return Turn{Status: status, Said: "scripted fault"} }

// With returns the turn with a header.
func (t Turn) With(name, value string) Turn {
	t.Header = t.Header.Clone()
	if t.Header == nil {
		t.Header = http.Header{}
	}
	t.Header.Set(name, value)
	return t
}

// Hang is a turn that never says anything.
func Hang() Turn { return Turn{Silent: -1} }

// Request is what the model was asked.
type Request struct {
	Number   int // from 1
	Protocol Protocol
	Header   http.Header
	Body     []byte
	JSON     struct {
		Model    string            `json:"model"`
		Stream   bool              `json:"stream"`
		System   json.RawMessage   `json:"system"` // Anthropic
		Messages []json.RawMessage `json:"messages"`
		Tools    []json.RawMessage `json:"tools"`
	}
}

// Tools are the names of what was offered.
func (r *Request) Tools() (names []string) {
	for _, raw := range r.JSON.Tools {
		var t struct {
			Name     string `json:"name"`
			Function struct {
				Name string `json:"name"`
			} `json:"function"`
		}
		_ = json.Unmarshal(raw, &t)
		names = append(names, t.Name+t.Function.Name)
	}
	return names
}
