package tool

import (
	"encoding/base64"
	"encoding/json"
	"net/url"
	"slices"
	"strings"

	"github.com/reeverun/reeve/process"
)

// Secrets are values that must not leave the host. The zero Secrets hides
// nothing.
type Secrets struct {
	forms    []string // longest first
	replacer *strings.Replacer
}

// minSecret is the length below which a value is not searched for: it would
// stand in half of all texts.
const minSecret = 4

// NewSecrets hides the values, in every form in which servers echo them: as they
// are, quoted in JSON or a URL, in base64, and without their authentication
// scheme.
func NewSecrets(values ...string) Secrets {
	var s Secrets
	for _, v := range values {
		s.add(v)
		s.addLines(v)
		if scheme, rest, ok := strings.Cut(v, " "); ok && !strings.ContainsAny(scheme, ":=,;") {
			s.add(strings.TrimSpace(rest))
			if strings.EqualFold(scheme, "basic") {
				s.addBasic(strings.TrimSpace(rest))
			}
		}
	}
	slices.SortFunc(s.forms, func(a, b string) int { return len(b) - len(a) })
	s.forms = slices.Compact(s.forms)
	var pairs []string
	for _, form := range s.forms {
		pairs = append(pairs, form, process.Redacted)
	}
	s.replacer = strings.NewReplacer(pairs...)
	return s
}

// addLines adds the lines of a value that has several, as keys do: they are
// printed and logged one by one.
func (s *Secrets) addLines(v string) {
	if !strings.ContainsAny(v, "\r\n") {
		return
	}
	for line := range strings.Lines(v) {
		s.add(strings.TrimSpace(line))
	}
}

// addBasic adds the password of basic credentials.
func (s *Secrets) addBasic(encoded string) {
	if plain, err := base64.StdEncoding.DecodeString(encoded); err == nil {
		s.add(string(plain))
		if _, password, ok := strings.Cut(string(plain), ":"); ok {
			s.add(password)
		}
	}
}

func (s *Secrets) add(v string) {
	if len(v) < minSecret {
		return
	}
	html, plain := quoted(v, true), quoted(v, false)
	forms := []string{
		v, html, plain, strings.ReplaceAll(html, "/", `\/`), strings.ReplaceAll(plain, "/", `\/`),
		url.QueryEscape(v), url.PathEscape(v),
		base64.StdEncoding.EncodeToString([]byte(v)), base64.RawURLEncoding.EncodeToString([]byte(v)),
	}
	for _, form := range forms {
		if !slices.Contains(s.forms, form) {
			s.forms = append(s.forms, form)
		}
	}
}

// quoted returns v as JSON writes it, without the quotes.
func quoted(v string, html bool) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(html)
	_ = enc.Encode(v)
	text := strings.TrimSuffix(b.String(), "\n")
	return text[1 : len(text)-1]
}

// Redact returns text without the secrets.
func (s Secrets) Redact(text string) string {
	if s.replacer == nil {
		return text
	}
	return s.replacer.Replace(text)
}

// RedactJSON is Redact for JSON, which stays JSON: secrets are looked for in
// its bytes, and what replaces them needs no quoting.
func (s Secrets) RedactJSON(value json.RawMessage) json.RawMessage {
	text := string(value)
	redacted := s.Redact(text)
	if s.escaped(redacted) {
		return s.redactValues(value)
	}
	if redacted == text {
		return value
	}
	if out := json.RawMessage(redacted); json.Valid(out) {
		return out
	}
	// A secret that reads as a number stood outside quotes: quote what
	// replaced it by going through the values one by one.
	return s.redactValues(value)
}

// escaped reports whether a secret stands in JSON in a form of its own: any
// character can be written as an escape, and some servers do so with those that
// are not ASCII.
func (s Secrets) escaped(text string) bool {
	if s.replacer == nil || !strings.Contains(text, `\u`) {
		return false
	}
	dec := json.NewDecoder(strings.NewReader(text))
	dec.UseNumber()
	for {
		token, err := dec.Token()
		if err != nil {
			return false
		}
		if plain, ok := token.(string); ok && s.Redact(plain) != plain {
			return true
		}
	}
}

// RedactService is Redact for what a service says of itself.
func (s Secrets) RedactService(offered Service) Service {
	offered.Description = s.Redact(offered.Description)
	for i := range offered.Tools {
		t := &offered.Tools[i]
		t.Description, t.Params, t.Result = s.Redact(t.Description), s.RedactJSON(t.Params), s.RedactJSON(t.Result)
	}
	return offered
}

func (s Secrets) redactValues(value json.RawMessage) json.RawMessage {
	decoded, err := decode(value)
	if err != nil {
		return json.RawMessage("null")
	}
	out, err := json.Marshal(s.walk(decoded))
	if err != nil {
		return json.RawMessage("null")
	}
	return out
}

func (s Secrets) walk(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := make(map[string]any, len(v))
		for k, member := range v {
			out[s.Redact(k)] = s.walk(member)
		}
		return out
	case []any:
		for i := range v {
			v[i] = s.walk(v[i])
		}
		return v
	case string:
		return s.Redact(v)
	case nil, bool:
		return v
	default: // a number
		text, _ := json.Marshal(v)
		if redacted := s.Redact(string(text)); redacted != string(text) {
			return redacted
		}
		return v
	}
}

// String hides what is hidden.
func (s Secrets) String() string { return process.Redacted }

// GoString hides what is hidden.
func (s Secrets) GoString() string { return process.Redacted }

// Sensitive reports whether a header, variable or parameter of this name is
// likely to hold a credential.
func Sensitive(name string) bool {
	name = strings.ToLower(name)
	return slices.ContainsFunc([]string{
		"auth", "token", "key", "secret", "passw", "pwd", "cred", "cookie", "session", "signature", "private",
	}, func(word string) bool { return strings.Contains(name, word) })
}

// SensitiveValues returns the values whose names say that they are credentials.
func SensitiveValues(named map[string]process.Secret) (values []string) {
	for name, v := range named {
		if Sensitive(name) {
			values = append(values, v.Reveal())
		}
	}
	return values
}
