// Package model is what an agent needs of a language model: one question, one
// answer, streamed. The packages below it speak the wire protocols, through the
// providers' own SDKs.
//
// # Contract
//
//   - One call is one attempt: nothing is retried here. Whether trying again
//     makes sense, and when, is in the [Error].
//   - An answer is whole or an error: one whose stream broke off is none.
//   - Text is passed on while it arrives, so what was passed on of an answer
//     that then broke off is the caller's to explain.
//   - Credentials are in no error.
package model

import (
	"context"
	"encoding/json"

	"github.com/reeverun/reeve/process"
)

// Model is a provider's endpoint. Its methods are safe for concurrent use.
type Model interface {
	// Complete asks for the next message of a conversation. said, unless it is
	// nil, is called with each piece of its text, in order, and not after the
	// return. An error is an *Error; one of ctx's end wraps ctx's cause.
	Complete(ctx context.Context, q *Request, said func(text string)) (*Answer, error)
	// Close lets go of idle connections. The model can be used again.
	Close()
}

// Request is one question.
type Request struct {
	Model  string
	System string
	// Messages are of the user, the assistant and its tools; the answers to an
	// assistant's calls follow it.
	Messages  []process.Message
	Tools     []Tool
	MaxTokens int64 // of the answer; 0: the provider's own limit
}

// Tool is something the model may ask to be called.
type Tool struct {
	Name        string // of at most 64 letters, digits, _ and -
	Description string
	Params      json.RawMessage // a JSON Schema of an object
}

// Answer is what a model said.
type Answer struct {
	Text string
	// Calls are the tools it asks for. Arguments that are not a JSON object
	// are a JSON string of what it wrote instead.
	Calls  []process.MessageCall
	Finish string // one of the Finish constants, or the provider's own word
	Model  string // as the provider calls it
	Usage  Usage
	Extra  json.RawMessage // see process.Message
}

// Why a model stopped.
const (
	FinishStop    = "stop"       // it has said all
	FinishCalls   = "tool_calls" // it waits for results
	FinishLength  = "length"     // its answer was cut off
	FinishRefused = "refused"    // it, or its provider, does not want to answer
)

// Usage is how many tokens a call took.
type Usage struct {
	Input   int64 // all of it
	Cached  int64 // of the input: read from the provider's cache
	Written int64 // of the input: written to the provider's cache, where that has a price
	Output  int64
}

// most is more tokens than any call takes; sums of it are still numbers.
const most = 1 << 40

// Believed returns what is said to have been used, as far as it can have been:
// what a server tells is added up, so nothing may take back or overflow.
func (u Usage) Believed() Usage {
	u.Input, u.Output = min(max(u.Input, 0), most), min(max(u.Output, 0), most)
	u.Cached = min(max(u.Cached, 0), u.Input)
	u.Written = min(max(u.Written, 0), u.Input-u.Cached)
	return u
}

// Plus adds counts of tokens that a server told, without overflow.
func Plus(counts ...int64) (sum int64) {
	for _, n := range counts {
		sum += min(max(n, 0), most)
	}
	return sum
}

// Total is what counts against a budget.
func (u Usage) Total() int64 { return u.Input + u.Output }

// Add adds up calls.
func (u *Usage) Add(v Usage) {
	u.Input += v.Input
	u.Cached += v.Cached
	u.Written += v.Written
	u.Output += v.Output
}

// Arguments makes what a model wrote as arguments storable: nothing is an empty
// object, and what is no object becomes a string.
func Arguments(written string) json.RawMessage {
	raw := json.RawMessage(written)
	if len(trimSpace(raw)) == 0 {
		return json.RawMessage("{}")
	}
	if IsObject(raw) {
		return raw
	}
	quoted, _ := json.Marshal(written) // a string: it cannot fail
	return quoted
}

// IsObject reports whether raw is one JSON object.
func IsObject(raw json.RawMessage) bool {
	trimmed := trimSpace(raw)
	return len(trimmed) > 0 && trimmed[0] == '{' && json.Valid(trimmed)
}

// Object is the arguments as a provider takes them back: garbage, which the
// model was told about, is an empty object.
func Object(raw json.RawMessage) json.RawMessage {
	if IsObject(raw) {
		return raw
	}
	return json.RawMessage("{}")
}
