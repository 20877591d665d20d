// Package agenttest is a model for tests: an HTTP server that speaks both wire
// protocols, streaming included, and says what it is scripted to say, faults
// included. Agents are tested against it through the real SDKs.
//
//	s := agenttest.New(t)
//	s.Script(agenttest.Say("hello"), agenttest.Fault(500))
//	… s.OpenAI() and s.Anthropic() are base URLs; s.Requests() what was asked
//
// Each request takes the next turn of the script; where it has run out, the last
// one is repeated. A function (Answer) decides instead where order is not enough.
package agenttest

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
)

// Server is a scripted model.
type Server struct {
	http *httptest.Server

	mu       sync.Mutex
	script   []Turn
	answer   func(Request) Turn
	requests []Request
	asked    chan struct{} // closed and replaced with each request
}

// New starts a server that lives as long as the test.
func New(t testing.TB) *Server {
	s := &Server{asked: make(chan struct{})}
	s.http = httptest.NewServer(http.HandlerFunc(s.serve))
	t.Cleanup(func() {
		s.http.CloseClientConnections() // whoever still waits for a silent turn
		s.http.Close()
	})
	return s
}

// OpenAI is the base URL of the chat completions.
func (s *Server) OpenAI() string { return s.http.URL + "/v1" }

// Anthropic is the base URL of the messages.
func (s *Server) Anthropic() string { return s.http.URL }

// Script sets the turns.
func (s *Server) Script(turns ...Turn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.script, s.answer = turns, nil
}

// Answer has each request answered by a function, which is called by many
// goroutines.
func (s *Server) Answer(f func(Request) Turn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answer = f
}

// Requests returns what was asked so far.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// Await waits until n requests were made. The test's own deadline bounds it.
func (s *Server) Await(n int) {
	for {
		s.mu.Lock()
		made, more := len(s.requests), s.asked
		s.mu.Unlock()
		if made >= n {
			return
		}
		<-more
	}
}

// Protocol is one of the two.
type Protocol string

// The protocols.
const (
	OpenAI    Protocol = "openai"
	Anthropic Protocol = "anthropic"
)

func (s *Server) serve(w http.ResponseWriter, req *http.Request) {
	protocol, ok := map[string]Protocol{"/v1/chat/completions": OpenAI, "/v1/messages": Anthropic}[req.URL.Path]
	if !ok || req.Method != http.MethodPost {
		http.NotFound(w, req)
		return
	}
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return // it went away
	}
	r := Request{Protocol: protocol, Header: req.Header.Clone(), Body: body}
	if err := json.Unmarshal(body, &r.JSON); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	p := &player{w: w, req: req, turn: s.next(&r)}
	p.play(protocol)
}

// next notes a request and finds its turn.
func (s *Server) next(r *Request) Turn {
	s.mu.Lock()
	r.Number = len(s.requests) + 1
	s.requests = append(s.requests, *r)
	close(s.asked)
	s.asked = make(chan struct{})
	answer := s.answer
	var turn Turn
	if n := len(s.script); n > 0 {
		turn = s.script[min(r.Number, n)-1]
	}
	s.mu.Unlock()
	if answer != nil {
		return answer(*r)
	}
	return turn
}
