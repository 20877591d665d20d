//go:build linux

package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
)

// m is a JSON object.
type m map[string]any

// request is one request to make; the zero of each field is left out.
type request struct {
	method, path string
	body         any // string: as it is; else: as JSON
	header       m
	host         string
	socket       bool // through the unix socket
}

// answer is what came back, read to its end.
type answer struct {
	request
	status int
	header http.Header
	body   []byte
}

// do makes a request; it fails the test only if there is no answer.
func (d *daemon) do(t testing.TB, r request) answer {
	t.Helper()
	a, err := d.try(r)
	if err != nil {
		t.Fatalf("%s %s: %v", r.method, r.path, err)
	}
	return a
}

func (d *daemon) try(r request) (answer, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*patience)
	defer cancel()
	resp, err := d.open(ctx, r)
	if err != nil {
		return answer{}, err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return answer{}, err
	}
	return answer{r, resp.StatusCode, resp.Header, body}, nil
}

// open makes a request whose answer the caller reads and closes.
func (d *daemon) open(ctx context.Context, r request) (*http.Response, error) {
	var body io.Reader
	switch b := r.body.(type) {
	case nil:
	case string:
		body = strings.NewReader(b)
	default:
		text, err := json.Marshal(b)
		if err != nil {
			return nil, err
		}
		body = bytes.NewReader(text)
	}
	req, err := http.NewRequestWithContext(ctx, r.method, "http://"+d.addr+r.path, body)
	if err != nil {
		return nil, err
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if d.token != "" {
		req.Header.Set("Authorization", "Bearer "+d.token)
	}
	for name, value := range r.header { // an empty value takes it away
		if req.Header.Del(name); value != "" {
			req.Header.Set(name, fmt.Sprint(value))
		}
	}
	if r.host != "" {
		req.Host = r.host
	}
	client := d.tcp
	if r.socket {
		client = d.unix
	}
	resp, err := client.Do(req)
	if err == nil {
		observe(r.method, r.path, resp.StatusCode)
	}
	return resp, err
}

func (d *daemon) get(t testing.TB, path string) answer {
	t.Helper()
	return d.do(t, request{method: "GET", path: path})
}

func (d *daemon) post(t testing.TB, path string, body any) answer {
	t.Helper()
	return d.do(t, request{method: "POST", path: path, body: body})
}

func (a answer) String() string {
	return fmt.Sprintf("%s %s %.300s → %d %.600s", a.method, a.path, fmt.Sprint(a.request.body), a.status, a.body)
}

// want checks the status and, for an error, its code and shape.
func (a answer) want(t testing.TB, status int, code ...string) answer {
	t.Helper()
	if a.status != status {
		t.Errorf("%v, want %d %v", a, status, code)
		return a
	}
	if status >= 400 && a.method != "HEAD" {
		a.wantError(t, code...)
	}
	return a
}

// wantError checks the shape of an error: a sentence and a code, nothing else.
func (a answer) wantError(t testing.TB, code ...string) {
	t.Helper()
	var got map[string]any
	if err := json.Unmarshal(a.body, &got); err != nil {
		t.Errorf("%v: the error is not a JSON object", a)
		return
	}
	sentence, _ := got["error"].(string)
	name, _ := got["code"].(string)
	if len(got) != 2 || len(sentence) < 8 || name == "" || strings.ToLower(name) != name || strings.ContainsAny(name, " -") {
		t.Errorf("%v: want {error: sentence, code: snake_case}", a)
	}
	if len(code) > 0 && name != code[0] {
		t.Errorf("%v: want code %q", a, code[0])
	}
	if ct := a.header.Get("Content-Type"); !strings.HasPrefix(ct, "application/json") {
		t.Errorf("%v: Content-Type %q", a, ct)
	}
}

// naming checks that the error's sentence names a field.
func (a answer) naming(t testing.TB, field string) answer {
	t.Helper()
	var got struct{ Error string }
	_ = json.Unmarshal(a.body, &got)
	if !strings.Contains(strings.ToLower(got.Error), strings.ToLower(field)) {
		t.Errorf("%v: the sentence does not name %q", a, field)
	}
	return a
}

// json returns the body as an object.
func (a answer) json(t testing.TB) m {
	t.Helper()
	var got m
	if err := json.Unmarshal(a.body, &got); err != nil {
		t.Fatalf("%v: %v", a, err)
	}
	return got
}

// object returns the body as an object, or nil if it is none.
func (a answer) object() (got m) {
	_ = json.Unmarshal(a.body, &got)
	return got
}

// typed checks the media type.
func (a answer) typed(t testing.TB, media string) answer {
	t.Helper()
	if got := a.header.Get("Content-Type"); !strings.HasPrefix(got, media) {
		t.Errorf("%s %s: Content-Type %q, want %q", a.method, a.path, got, media)
	}
	return a
}

func waitFor(t testing.TB, what string, cond func() bool) {
	t.Helper()
	if eventually(func() error {
		if cond() {
			return nil
		}
		return errors.New("not yet")
	}) != nil {
		t.Fatalf("timed out: %s", what)
	}
}
