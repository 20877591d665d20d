package client_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/reeverun/reeve/client"
	"github.com/reeverun/reeve/process"
)

// typed serves a process whose input answers as it is told, request by request.
func typed(t *testing.T, answers ...func(w http.ResponseWriter, body string)) (c *client.Client, bodies func() []string) {
	t.Helper()
	var mu sync.Mutex
	var seen []string
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		mu.Lock()
		seen = append(seen, string(b))
		answer := answers[min(len(seen), len(answers))-1]
		mu.Unlock()
		answer(w, string(b))
	}))
	t.Cleanup(s.Close)
	c, err := client.New(client.Config{Host: s.URL})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c, func() []string {
		mu.Lock()
		defer mu.Unlock()
		return seen
	}
}

func takes(n int) func(http.ResponseWriter, string) {
	return func(w http.ResponseWriter, body string) { fmt.Fprintf(w, `{"bytes":%d}`, min(n, len(body))) }
}

func refuses(status int, code string) func(http.ResponseWriter, string) {
	return func(w http.ResponseWriter, _ string) {
		w.WriteHeader(status)
		fmt.Fprintf(w, `{"error":"no","code":%q}`, code)
	}
}

// What a daemon that stops has not taken is sent to the next one, once.
func TestInputGoesOnWhereItWasLeft(t *testing.T) {
	c, bodies := typed(t, takes(3), refuses(503, "shutting_down"), takes(100))
	n, err := c.Input(t.Context(), 1, []byte("abcdef"))
	if n != 6 || err != nil || strings.Join(bodies(), "|") != "abcdef|def|def" {
		t.Errorf("%d, %v, %q", n, err, bodies())
	}
}

// What may have arrived is not sent again.
func TestInputIsNotTypedTwice(t *testing.T) {
	c, bodies := typed(t, takes(2), func(http.ResponseWriter, string) { panic(http.ErrAbortHandler) })
	n, err := c.Input(t.Context(), 1, []byte("abcd"))
	if n != 2 || err == nil || len(bodies()) != 2 {
		t.Errorf("%d, %v, %q", n, err, bodies())
	}
}

func TestInputThatIsRefused(t *testing.T) {
	c, bodies := typed(t, takes(2), refuses(409, "no_input"))
	n, err := c.Input(t.Context(), 1, []byte("abcd"))
	if n != 2 || !errors.Is(err, process.ErrNoInput) || len(bodies()) != 2 {
		t.Errorf("%d, %v, %q", n, err, bodies())
	}
	c, _ = typed(t, takes(0))
	if _, err := c.Input(t.Context(), 1, []byte("x")); !errors.Is(err, process.ErrNoInput) {
		t.Error(err)
	}
	if n, err := c.Input(t.Context(), 1, nil); n != 0 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
}
