package process

import (
	"encoding/base64"
	"net/url"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Notify says who is told, by HTTP, whenever a run of the process is over.
type Notify struct {
	URL    Secret // it may hold tokens: Shown is what may be shown of it
	Secret Secret // signs what is sent; empty: it is not signed
}

// Bounds of a Notify.
const (
	maxNotifyURL    = 2 << 10
	maxNotifySecret = 1 << 10
)

// signingPrefix marks a secret that is written in base64, as Standard Webhooks
// has it.
const signingPrefix = "whsec_"

// Check says what is wrong with it. It repeats nothing of either field.
func (n *Notify) Check() error {
	if n == nil {
		return nil
	}
	if err := checkNotifyURL(n.URL.Reveal()); err != nil {
		return err
	}
	secret := n.Secret.Reveal()
	if len(secret) > maxNotifySecret {
		return Invalid("notify.secret", "is %d bytes long: want at most %d", len(secret), maxNotifySecret)
	}
	if _, err := n.Key(); err != nil {
		return Invalid("notify.secret", "begins with %s and is not base64 after that", signingPrefix)
	}
	return nil
}

func checkNotifyURL(raw string) error {
	const field = "notify.url"
	switch {
	case raw == "":
		return Invalid(field, "is missing: want the address to send to, such as https://example.com/done")
	case len(raw) > maxNotifyURL:
		return Invalid(field, "is %d bytes long: want at most %d", len(raw), maxNotifyURL)
	case !utf8.ValidString(raw):
		return Invalid(field, "is not UTF-8")
	}
	u, err := url.Parse(raw)
	switch {
	case err != nil:
		return Invalid(field, "cannot be read as a URL: want one such as https://example.com/done")
	case u.Scheme != "http" && u.Scheme != "https":
		return Invalid(field, "is not an http or https URL: want one such as https://example.com/done")
	case u.Hostname() == "":
		return Invalid(field, "names no host: want one such as https://example.com/done")
	case u.User != nil:
		return Invalid(field, "holds credentials: leave them out and check the signature instead")
	}
	if p := u.Port(); p != "" {
		if n, err := strconv.Atoi(p); err != nil || n < 1 || n > 65535 {
			return Invalid(field, "has a port that is not from 1 to 65535")
		}
	}
	return nil
}

// Key is what signs: the bytes of the secret, or those that its base64 stands
// for where it begins with "whsec_". Nil: nothing does.
func (n *Notify) Key() ([]byte, error) {
	secret := n.Secret.Reveal()
	if secret == "" {
		return nil, nil
	}
	coded, ok := strings.CutPrefix(secret, signingPrefix)
	if !ok {
		return []byte(secret), nil
	}
	key, err := base64.StdEncoding.DecodeString(coded)
	if err == nil && len(key) == 0 {
		err = base64.CorruptInputError(0)
	}
	return key, err
}

// Host names the receiver, to tell one that is slow from the others.
func (n *Notify) Host() string {
	u, err := url.Parse(n.URL.Reveal())
	if err != nil {
		return ""
	}
	return strings.ToLower(u.Scheme + "://" + u.Host)
}

// longSegment is from how many bytes on a part of a path may well be a token.
const longSegment = 16

// Shown is the URL without what may be secret: of its query nothing is shown,
// nor are parts of its path that are long enough to be a token.
func (n *Notify) Shown() string {
	u, err := url.Parse(n.URL.Reveal())
	if err != nil || u.Host == "" {
		return Redacted
	}
	parts := strings.Split(u.EscapedPath(), "/")
	for i, part := range parts {
		if len(part) >= longSegment {
			parts[i] = Redacted
		}
	}
	shown := u.Scheme + "://" + u.Host + strings.Join(parts, "/")
	if u.RawQuery != "" {
		shown += "?" + Redacted
	}
	return shown
}

// NotifyRecord is a Notify as clients see it.
type NotifyRecord struct {
	URL    string `json:"url" doc:"Without what may be secret in it."`
	Signed bool   `json:"signed" doc:"What is sent carries a signature."`
}

// Record returns it as clients see it, nil if there is none.
func (n *Notify) Record() *NotifyRecord {
	if n == nil {
		return nil
	}
	return &NotifyRecord{URL: n.Shown(), Signed: n.Secret != ""}
}
