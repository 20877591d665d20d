//go:build linux

package e2e

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"
)

// shop is an HTTP service of a test, described by OpenAPI. It answers only who
// shows its credentials, and repeats them where it should not.
type shop struct {
	t      testing.TB
	server *httptest.Server
	secret string // unique to it; part of each credential

	mu      sync.Mutex
	calls   []string // method, path, query without the credential, and body
	waiting int      // calls of "meet" that wait for others
	parked  int      // bytes that calls of "park" have sent, all of them waiting
	party   chan struct{}
}

const shopDocument = `openapi: 3.1.0
info: {title: Shop, version: "1", description: A shop for pets.}
servers: [{url: "http://127.0.0.1:1"}]
paths:
  /pets/{id}:
    parameters: [{name: id, in: path, required: true, schema: {type: integer}}]
    get: {operationId: get_pet, summary: Gets a pet., responses: {"200": {description: ok, content: {application/json: {schema: {type: object, properties: {id: {type: integer}, name: {type: string}}, required: [id]}}}}}}
    delete: {operationId: delete_pet, summary: Deletes a pet for ever., responses: {"200": {description: ok}}}
  /pets:
    post:
      operationId: create_pet
      requestBody: {required: true, content: {application/json: {schema: {type: object, additionalProperties: false, required: [name], properties: {name: {type: string, minLength: 1}, age: {type: integer, minimum: 0}}}}}}
      responses: {"200": {description: ok}}
  /echo:
    post:
      operationId: echo
      requestBody: {required: true, content: {application/json: {schema: {type: object, properties: {a: {}}, additionalProperties: true}}}}
      responses: {"200": {description: ok}}
  /park:
    post:
      operationId: park
      requestBody: {required: true, content: {application/json: {schema: {type: object, properties: {a: {}}, additionalProperties: true}}}}
      responses: {"200": {description: ok}}
  /leak: {get: {operationId: leak, responses: {"200": {description: ok}}}}
  /fail: {get: {operationId: fail, responses: {"200": {description: ok}}}}
  /odd: {get: {operationId: odd, responses: {"200": {description: ok}}}}
  /meet: {get: {operationId: meet, parameters: [{name: n, in: query, required: true, schema: {type: integer}}], responses: {"200": {description: ok}}}}
  /close: {post: {operationId: close_shop, responses: {"200": {description: ok}}}}
`

func newShop(t testing.TB) *shop {
	t.Helper()
	s := &shop{t: t, secret: unique("sEcReT-Xk29"), party: make(chan struct{})}
	s.server = httptest.NewServer(http.HandlerFunc(s.answer))
	t.Cleanup(s.server.Close)
	return s
}

// variables are what the daemon's environment holds for the tool file.
func (s *shop) variables() []string {
	return []string{"SHOP_BEARER=bearer-" + s.secret, "SHOP_KEY=key-" + s.secret, "SHOP_QUERY=query-" + s.secret}
}

// services is the part of a tool file that names it.
func (s *shop) services() string {
	return fmt.Sprintf(`services:
  shop:
    adapter: openapi
    document: shop.yaml
    url: %s
    bearer: ${SHOP_BEARER}
    headers: {X-Key: "${SHOP_KEY}"}
    query: {key: "${SHOP_QUERY}"}
`, s.server.URL)
}

// start runs a daemon that has the shop's tools, and more of a tool file.
func (s *shop) start(t testing.TB, base, more string, flags ...string) *daemon {
	t.Helper()
	writeFile(t, base, "shop.yaml", shopDocument)
	file := writeFile(t, base, "tools.yaml", s.services()+more)
	d := startRealIn(t, base, s.variables(), append([]string{"--tools", file}, flags...)...)
	waitFor(t, "the services", func() bool {
		for _, service := range d.socket(t, "GET", "/services", nil).want(t, 200).json(t).list("services") {
			if service.str("state") != "ready" {
				return false
			}
		}
		return true
	})
	return d
}

// socket makes a request where no token is needed.
func (d *daemon) socket(t testing.TB, method, path string, body any) answer {
	t.Helper()
	return d.do(t, request{method: method, path: path, body: body, socket: true})
}

func (s *shop) answer(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	query := r.URL.Query()
	shown := []string{r.Header.Get("Authorization"), r.Header.Get("X-Key"), query.Get("key")}
	query.Del("key")
	s.mu.Lock()
	if r.URL.Path == "/park" {
		s.parked += len(body)
	} else {
		s.calls = append(s.calls, strings.TrimSpace(fmt.Sprintf("%s %s %s %s", r.Method, r.URL.Path, query.Encode(), body)))
	}
	s.mu.Unlock()
	if want := []string{"Bearer bearer-" + s.secret, "key-" + s.secret, "query-" + s.secret}; strings.Join(shown, " ") != strings.Join(want, " ") {
		http.Error(w, "who are you?", http.StatusUnauthorized)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	switch r.URL.Path {
	case "/echo":
		_, _ = w.Write(body)
	case "/leak":
		_ = json.NewEncoder(w).Encode(m{"headers": r.Header, "url": r.URL.String(), "text": strings.Join(shown, "\n")})
	case "/fail":
		http.Error(w, `{"error": "no: `+strings.Join(shown, " ")+`"}`, http.StatusTeapot)
	case "/odd":
		_, _ = io.WriteString(w, `{"a": 1, "a": 2, "__proto__": {"polluted": true}, "constructor": 5, "nul": "\u0000", "lone": "\ud800", "big": 12345678901234567890, "toJSON": 1, "then": 2}`)
	case "/park":
		<-r.Context().Done()
	case "/meet":
		s.meet(w, query.Get("n"))
	default:
		_ = json.NewEncoder(w).Encode(m{"id": 7, "name": "Rex", "path": r.URL.Path})
	}
}

// meet answers when so many calls are there at the same time.
func (s *shop) meet(w http.ResponseWriter, n string) {
	s.mu.Lock()
	s.waiting++
	if fmt.Sprint(s.waiting) == n {
		close(s.party)
	}
	s.mu.Unlock()
	select {
	case <-s.party:
		_, _ = io.WriteString(w, `{"met": true}`)
	case <-time.After(patience / 2):
		http.Error(w, "they never met", http.StatusRequestTimeout)
	}
}

func (s *shop) called() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string{}, s.calls...)
}

// holds is how many bytes the calls of "park" have brought.
func (s *shop) holds() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.parked
}

// wantUnheard checks that no text holds the shop's secret.
func (s *shop) wantUnheard(t testing.TB, texts map[string]string) {
	t.Helper()
	for where, text := range texts {
		if at := strings.Index(text, s.secret); at >= 0 {
			t.Errorf("%s has a credential: …%.120q", where, text[max(0, at-60):])
		}
	}
}
