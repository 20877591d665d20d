package openapi

import (
	"net/http"
	"net/textproto"
	"net/url"
	"slices"
	"strings"
)

// hasCredentials reports whether calls carry anything of the operator's.
func (a *Adapter) hasCredentials() bool {
	return len(a.cfg.Headers)+len(a.cfg.Query) > 0 || a.cfg.Bearer != "" || a.cfg.Basic != nil
}

// authorize adds the operator's headers, query and credentials. They win over
// whatever the program gave.
func (a *Adapter) authorize(req *http.Request) {
	for name, value := range a.cfg.Headers {
		req.Header.Set(name, value.Reveal())
	}
	a.mu.Lock()
	auth := a.auth
	a.mu.Unlock()
	if auth != nil {
		req.SetBasicAuth(auth.User, auth.Password.Reveal())
	}
	if a.cfg.Bearer != "" {
		req.Header.Set("Authorization", "Bearer "+a.cfg.Bearer.Reveal())
	}
	if len(a.cfg.Query) > 0 {
		req.URL.RawQuery = a.ownQuery(req.URL.RawQuery)
	}
}

// ownQuery adds the operator's part of the query, and removes what a program
// wrote under the same names.
func (a *Adapter) ownQuery(raw string) string {
	var pairs []string
	for pair := range strings.SplitSeq(raw, "&") {
		name, _, _ := strings.Cut(pair, "=")
		plain, err := url.QueryUnescape(name)
		if _, own := a.cfg.Query[plain]; pair != "" && err == nil && !own {
			pairs = append(pairs, pair)
		}
	}
	for name, value := range a.cfg.Query {
		pairs = append(pairs, url.QueryEscape(name)+"="+url.QueryEscape(value.Reveal()))
	}
	return strings.Join(pairs, "&")
}

// reserved are the headers that a program cannot set: those that frame the
// message, those that say who calls, and those OpenAPI has other words for.
var reserved = []string{
	"Accept", "Content-Type", "Authorization", "Cookie", "Host", "Content-Length", "Transfer-Encoding",
	"Connection", "Keep-Alive", "Te", "Trailer", "Upgrade", "Expect", "Forwarded", "Via",
}

// ownParameter reports whether a parameter is not the program's to give.
func (a *Adapter) ownParameter(in, name string) bool {
	switch in {
	case "cookie":
		return true
	case "query":
		_, own := a.cfg.Query[name]
		return own
	case "header":
		name = textproto.CanonicalMIMEHeaderKey(name)
		for own := range a.cfg.Headers {
			if textproto.CanonicalMIMEHeaderKey(own) == name {
				return true
			}
		}
		return slices.Contains(reserved, name) || strings.HasPrefix(name, "Proxy-") || strings.HasPrefix(name, "X-Forwarded-")
	}
	return false
}
