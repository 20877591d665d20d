package server

import (
	"context"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"github.com/reeverun/reeve/api"
	"github.com/reeverun/reeve/process"
	"github.com/reeverun/reeve/token"
)

// guard is what every request of a transport passes first: browsers must not
// be made to speak for a page of another site (Origin, and Host against DNS
// rebinding), and once a token exists TCP needs one.
type guard struct {
	s         *Server
	transport Transport
	next      http.Handler
}

type grantKey struct{}

// grant is what a request may do.
type grant struct {
	all   bool // no token is needed
	none  bool // a token is needed, and there was none
	token token.Token
}

func (g *guard) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "no-store")
	gr, err := g.check(r)
	if err != nil {
		g.s.request(w, r).fail(err)
		return
	}
	g.next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), grantKey{}, gr)))
}

func (g *guard) check(r *http.Request) (*grant, error) {
	if g.transport != Socket && !g.s.ownHost(r) {
		return nil, process.Errorf(api.CodeForbidden, "the Host %q is not this server's: use localhost, or start it with --allow-host", r.Host)
	}
	if origin := r.Header.Get("Origin"); origin != "" && !g.s.ownOrigin(r, origin) {
		return nil, process.Errorf(api.CodeForbidden, "requests from the Origin %q are refused: start the server with --allow-host to let it in", origin)
	}
	return g.authenticate(r)
}

func (g *guard) authenticate(r *http.Request) (*grant, error) {
	secret, given := bearer(r)
	if g.s.cfg.Tokens == nil {
		return &grant{all: g.transport != Public, none: g.transport == Public}, nil
	}
	if given {
		t, ok, err := g.s.cfg.Tokens.Verify(secret)
		if err != nil {
			return nil, err
		}
		if ok {
			return &grant{token: t, all: g.transport == Socket}, nil
		}
	}
	if g.transport == Socket {
		return &grant{all: true}, nil
	}
	if g.transport == Public { // also when the last one was removed
		return &grant{none: true}, nil
	}
	needed, err := g.s.cfg.Tokens.Any()
	if err != nil {
		return nil, err
	}
	return &grant{all: !needed, none: needed}, nil
}

func bearer(r *http.Request) (secret string, given bool) {
	scheme, secret, ok := strings.Cut(r.Header.Get("Authorization"), " ")
	return strings.TrimSpace(secret), ok && strings.EqualFold(scheme, "bearer")
}

// authorize checks that the request may use its route.
func (q *request) authorize() error {
	gr := q.grant()
	switch {
	case q.route.scope == token.ScopeApprove:
		return q.authorizeDecision(gr)
	case q.route.scope == "" || gr == nil || gr.all:
		return nil
	case gr.none:
		q.w.Header().Set("WWW-Authenticate", `Bearer realm="reeve"`)
		return &process.Error{Code: api.CodeUnauthorized, Message: "Unauthorized",
			Hint: "send the header Authorization: Bearer TOKEN, or give reeve --token or REEVE_TOKEN; reeve token create makes one"}
	case !gr.token.Has(q.route.scope):
		return noScope(q.route.scope)
	}
	return nil
}

// authorizeDecision lets only those decide whom somebody gave the right to:
// whoever can reach the daemon can start programs, and must not be able to wave
// through what they ask for. So there is no way without a token, not even for
// the socket.
func (q *request) authorizeDecision(gr *grant) error {
	if gr == nil || gr.token.ID == "" {
		q.w.Header().Set("WWW-Authenticate", `Bearer realm="reeve"`)
		return &process.Error{Code: api.CodeUnauthorized, Message: "Unauthorized: deciding an approval always needs a token with the scope approve",
			Hint: "reeve token create --scope approve makes one; give it to reeve by --token or REEVE_TOKEN, or send the header Authorization: Bearer TOKEN"}
	}
	if !gr.token.Has(token.ScopeApprove) {
		return noScope(token.ScopeApprove)
	}
	return nil
}

func noScope(s token.Scope) error {
	return process.Errorf(api.CodeForbidden, "this token has no scope for that: it needs %q", s)
}

func (q *request) grant() *grant {
	gr, _ := q.r.Context().Value(grantKey{}).(*grant)
	return gr
}

// ownHost reports whether a request was meant for this server: by a loopback
// name or address, by the address it was received at, or by an allowed name.
func (s *Server) ownHost(r *http.Request) bool {
	name := hostname(r.Host)
	if name == "" || s.allowed(name) {
		return name != ""
	}
	ip, err := netip.ParseAddr(name)
	if err != nil {
		return false
	}
	if ip.IsLoopback() {
		return true
	}
	local, _ := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	if local == nil {
		return false
	}
	at, err := netip.ParseAddrPort(local.String())
	return err == nil && at.Addr().Unmap() == ip.Unmap()
}

func (s *Server) allowed(name string) bool {
	return name == "localhost" || strings.HasSuffix(name, ".localhost") ||
		slices.ContainsFunc(s.cfg.AllowHosts, func(h string) bool { return strings.EqualFold(hostname(h), name) })
}

// ownOrigin reports whether a page that sends a request is of this server.
func (s *Server) ownOrigin(r *http.Request, origin string) bool {
	u, err := url.Parse(origin)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return false
	}
	return strings.EqualFold(u.Host, r.Host) ||
		slices.ContainsFunc(s.cfg.AllowHosts, func(h string) bool { return strings.EqualFold(hostname(h), u.Hostname()) })
}

// hostname is a host without its port and brackets, in lower case.
func hostname(host string) string {
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	return strings.ToLower(strings.TrimSuffix(strings.TrimPrefix(host, "["), "]"))
}
