package agenttest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"time"
	"unicode/utf8"
)

// player answers one request.
type player struct {
	w      http.ResponseWriter
	req    *http.Request
	turn   Turn
	events int
	gone   bool // the connection is no more
}

func (p *player) play(protocol Protocol) {
	t := &p.turn
	if t.Wait != nil {
		select {
		case <-t.Wait:
		case <-p.req.Context().Done():
			return
		}
	}
	for name, values := range t.Header {
		p.w.Header()[name] = values
	}
	switch {
	case t.Silent < 0:
		<-p.req.Context().Done()
	case t.Status != 0:
		p.refuse(protocol)
	case t.Raw != "":
		p.w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprint(p.w, t.Raw)
	case protocol == OpenAI:
		p.w.Header().Set("Content-Type", "text/event-stream")
		p.chat()
	default:
		p.w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
		p.messages()
	}
}

// refuse answers with an error as the protocol has them.
func (p *player) refuse(protocol Protocol) {
	t := &p.turn
	p.w.Header().Set("Content-Type", "application/json")
	p.w.WriteHeader(t.Status)
	detail := map[string]any{"message": t.Said, "type": "api_error"}
	body := map[string]any{"error": detail}
	if protocol == Anthropic {
		body["type"] = "error"
	}
	if t.Kind != "" {
		detail["type"], detail["code"] = t.Kind, t.Kind
	}
	_ = json.NewEncoder(p.w).Encode(body)
}

// send sends one event, and does what the turn says comes after it.
func (p *player) send(format string, args ...any) {
	if p.gone {
		return
	}
	fmt.Fprintf(p.w, format, args...)
	if f, ok := p.w.(http.Flusher); ok {
		f.Flush()
	}
	p.events++
	t := &p.turn
	if t.Then != nil {
		t.Then(p.events)
	}
	switch {
	case p.events == t.Drop:
		p.gone = true
		panic(http.ErrAbortHandler) // the way to break a connection off
	case p.events == t.Silent:
		<-p.req.Context().Done()
		p.gone = true
	case t.Delay > 0:
		select {
		case <-time.After(t.Delay):
		case <-p.req.Context().Done():
			p.gone = true
		}
	}
}

// pieces cuts a text as the turn says, between characters.
func (p *player) pieces(text string) (all []string) {
	size := p.turn.Piece
	if size <= 0 {
		size = max(1, len(text))
	}
	for len(text) > 0 {
		n := min(size, len(text))
		for n < len(text) && !utf8.RuneStart(text[n]) {
			n++
		}
		all = append(all, text[:n])
		text = text[n:]
	}
	return all
}

func (c Call) id(i int) string {
	if c.ID != "" {
		return c.ID
	}
	return fmt.Sprintf("call_%d", i+1)
}

func marshal(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // of what this package made itself
	}
	return string(b)
}
