package tool

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

func TestRedact(t *testing.T) {
	s := NewSecrets("Bearer t0ken/with+odd\"<chars>", "Basic dXNlcjpwYXNzd29yZA==", "4711", "abc")
	for _, in := range []string{
		`token t0ken/with+odd"<chars> echoed`,
		`{"h":"t0ken/with+odd\"<chars>"}`,
		`{"h":"t0ken/with+odd\"\u003cchars\u003e"}`,
		`{"h":"t0ken\/with+odd\"<chars>"}`,
		`?key=t0ken%2Fwith%2Bodd%22%3Cchars%3E`,
		`dXNlcjpwYXNzd29yZA==`,
		`the password is password`,
		`dDBrZW4vd2l0aCtvZGQiPGNoYXJzPg==`,
	} {
		got := s.Redact(in)
		for _, secret := range []string{"t0ken", "passwordX", "dXNl", "dDBr", "is password"} {
			if strings.Contains(got, secret) {
				t.Errorf("%s became %s", in, got)
			}
		}
	}
	if got := s.Redact("abc stays: too short to look for"); !strings.HasPrefix(got, "abc") {
		t.Errorf("a short value was replaced: %s", got)
	}
	if got := fmt.Sprintf("%v %+v %#v %s", s, s, s, s); strings.Contains(got, "4711") {
		t.Errorf("printed: %s", got)
	}
	if got := (Secrets{}).Redact("as it is"); got != "as it is" {
		t.Error(got)
	}
}

func TestRedactJSON(t *testing.T) {
	s := NewSecrets("4711", "sesame-open")
	for in, want := range map[string]string{
		`{"a":"sesame-open"}`:       `{"a":"•••"}`,
		`{"a":1}`:                   `{"a":1}`,
		`{"pin":4711,"n":[47110]}`:  `{"n":["•••0"],"pin":"•••"}`,
		`[4711,"sesame-open",null]`: `["•••","•••",null]`,
		`{"sesame-open":true}`:      `{"•••":true}`,
	} {
		if got := s.RedactJSON(json.RawMessage(in)); string(got) != want || !json.Valid(got) {
			t.Errorf("%s became %s, want %s", in, got, want)
		}
	}
}
