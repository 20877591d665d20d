//go:build linux

package docs_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/reeverun/reeve/env/agent/agenttest"
)

// standIns are what a reader has elsewhere and a test does not: a language model,
// the service of the tools' example, and somebody who wants to be notified.
type standIns struct {
	model *agenttest.Server
	pets  string
	hook  string
	// told are the notifications that came, as the receiver got them.
	told chan delivery
}

type delivery struct {
	Headers map[string]string `json:"headers"`
	Body    string            `json:"body"`
}

// The addresses that documents use for them.
const (
	petsAddress = "http://127.0.0.1:9001"
	hookAddress = "http://127.0.0.1:9002"
)

func newStandIns(t *testing.T) standIns {
	s := standIns{model: agenttest.New(t), told: make(chan delivery, 100)}
	s.model.Answer(func(agenttest.Request) agenttest.Turn { return agenttest.Say("There are 2 pets.") })
	s.pets = serve(t, answerPets)
	s.hook = serve(t, func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		d := delivery{Headers: map[string]string{}, Body: string(body)}
		for name := range r.Header {
			d.Headers[strings.ToLower(name)] = r.Header.Get(name)
		}
		s.told <- d
	})
	return s
}

func serve(t *testing.T, h http.HandlerFunc) (url string) {
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	return server.URL
}

func answerPets(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("Authorization") != "Bearer of-pets" {
		http.Error(w, "who are you?", http.StatusUnauthorized)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(map[string]any{"id": 7, "name": "Rex"})
}

func (s standIns) variables() []string {
	return []string{"OPENAI_BASE_URL=" + s.model.OpenAI(), "OPENAI_API_KEY=k", "PETS_TOKEN=of-pets", "ISSUES_TOKEN=of-issues"}
}

func (s standIns) adapt(text string) string {
	if s.model == nil {
		return text
	}
	return strings.NewReplacer(petsAddress, s.pets, hookAddress, s.hook).Replace(text)
}

// issueServer is the name by which this test is a server of tools.
const issueServer = "issue-server"

// beServer serves tools over standard input and output, if that is what this
// program was called for.
func beServer() bool {
	if filepath.Base(os.Args[0]) != issueServer {
		return false
	}
	s := mcp.NewServer(&mcp.Implementation{Name: issueServer, Version: "1"}, nil)
	for _, name := range []string{"list_issues", "close_issue"} {
		mcp.AddTool(s, &mcp.Tool{Name: name, Description: "Of issues."}, func(context.Context, *mcp.CallToolRequest, struct{}) (*mcp.CallToolResult, struct{}, error) {
			return nil, struct{}{}, nil
		})
	}
	_ = s.Run(context.Background(), &mcp.StdioTransport{})
	return true
}

// python has the receiver's code of a document verify a notification that came,
// and refuse one that was changed on its way.
func (s *session) python(b block) {
	s.t.Helper()
	s.start()
	var d delivery
	select {
	case d = <-s.stand.told:
	case <-time.After(patience):
		s.t.Fatalf("%s: no notification to verify", b.where(s.doc))
	}
	sent, err := json.Marshal(d)
	if err != nil {
		s.t.Fatal(err)
	}
	s.write("sent.json", string(sent))
	s.write("receiver.py", b.text+`
import json
sent = json.load(open("sent.json"))
for body, good in (sent["body"], True), (sent["body"] + " ", False):
    assert verify("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", sent["headers"], body.encode()) is good, body
`)
	if out, code := s.execute("python3 receiver.py\n"); code != 0 {
		s.t.Errorf("%s: %s", b.where(s.doc), out)
	}
}
