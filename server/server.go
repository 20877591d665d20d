package server

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"path"
	"sync"
	"sync/atomic"
	"time"

	"github.com/reeverun/reeve"
	"github.com/reeverun/reeve/api"
	"github.com/reeverun/reeve/token"
	"github.com/reeverun/reeve/tool"
	"github.com/reeverun/reeve/web"
)

// Defaults of [Config].
const (
	DefaultMaxBody     = 32 << 20
	DefaultMaxRequests = 1000
)

// waitersPerRequest is how many requests may wait (events, follow, block) for
// each one that may be worked on.
const waitersPerRequest = 20

// Config says what a server serves. Zero fields take the defaults above.
type Config struct {
	Runtime     *reeve.Runtime
	Environment string         // of creates that name none; default "typescript"
	DataDir     string         // shown by /version
	MaxBody     int64          // bytes of a request's body
	MaxRequests int            // worked on at a time
	AllowHosts  []string       // names that may stand in Host and Origin, besides loopback's own
	Tokens      *token.File    // nil: none can exist
	Tools       *tool.Registry // what programs can call; nil: nothing
	Version     api.Version
	Metrics     http.Handler                    // GET /metrics; nil: there is none
	Wrap        func(http.Handler) http.Handler // around the mux; nil: nothing
	Logger      *slog.Logger
}

// Transport is how a request came.
type Transport int

// The transports.
const (
	TCP    Transport = iota // loopback: needs a token once one exists
	Public                  // TCP that others can reach: always needs one
	Socket                  // guarded by its file mode: needs none
)

// Server answers requests. It is safe for concurrent use.
type Server struct {
	cfg     Config
	rt      *reeve.Runtime
	log     *slog.Logger
	desc    *description
	specs   api.Specs
	site    *web.Site
	mux     *http.ServeMux
	handler http.Handler // mux, wrapped
	slots   chan struct{}
	waiters chan struct{}
	served  atomic.Int64 // requests that came
	buffers sync.Pool    // of event streams: one has none while it waits
	encoded encoded      // events, for streams

	mu      sync.Mutex     // guards adding to streams
	streams sync.WaitGroup // event streams on connections of their own

	stopping   context.Context // over when Stop was called
	stop       context.CancelCauseFunc
	streaming  context.Context // over when EndStreams was called, or Stop
	endStreams context.CancelCauseFunc
}

var errStopping = errors.New("the server stops")

// New makes a server for a runtime.
func New(cfg Config) (*Server, error) {
	if cfg.Runtime == nil {
		return nil, errors.New("server: no runtime")
	}
	cfg.Environment = cmp.Or(cfg.Environment, "typescript")
	cfg.MaxBody = cmp.Or(cfg.MaxBody, DefaultMaxBody)
	cfg.MaxRequests = cmp.Or(cfg.MaxRequests, DefaultMaxRequests)
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	s := &Server{cfg: cfg, rt: cfg.Runtime, log: cfg.Logger, mux: http.NewServeMux(),
		slots: make(chan struct{}, cfg.MaxRequests), waiters: make(chan struct{}, waitersPerRequest*cfg.MaxRequests)}
	s.specs = Specs(cfg.Environment)
	s.buffers.New = func() any { return new(bytes.Buffer) }
	s.stopping, s.stop = context.WithCancelCause(context.Background())
	s.streaming, s.endStreams = context.WithCancelCause(s.stopping)
	desc, err := describe(routes(), cfg.Version.Version)
	if err != nil {
		return nil, err
	}
	s.desc = desc
	if s.site, err = web.New(); err != nil {
		return nil, err
	}
	for _, r := range desc.routes {
		s.mux.HandleFunc(r.method+" "+r.path, s.serve(r))
	}
	s.handler = http.HandlerFunc(s.dispatch)
	if cfg.Wrap != nil {
		s.handler = cfg.Wrap(s.handler)
	}
	return s, nil
}

// Handler serves requests of a transport.
func (s *Server) Handler(t Transport) http.Handler {
	return &guard{s: s, transport: t, next: s.handler}
}

// Stop ends the requests that wait: events and follow end, blocked creates are
// answered 503. Call it when the runtime has been closed, or will not be, and
// after the listeners have; it may be called again.
func (s *Server) Stop() {
	s.mu.Lock()
	s.stop(errStopping)
	s.mu.Unlock()
	s.streams.Wait()
}

// EndStreams ends events and follow only: their clients go on elsewhere, from
// where they were. Blocked requests are waited for. Stop follows.
func (s *Server) EndStreams() {
	s.mu.Lock()
	s.endStreams(errStopping)
	s.mu.Unlock()
	s.streams.Wait()
}

// Quiet waits until no request has been worked on for a while, or ctx is over:
// clients whose stream has just ended have one more question.
func (s *Server) Quiet(ctx context.Context, d time.Duration) {
	const look = 10 * time.Millisecond
	tick := time.NewTicker(look)
	defer tick.Stop()
	for seen, since := s.served.Load(), time.Now(); time.Since(since) < d; {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if n := s.served.Load(); n != seen || len(s.slots) > 0 {
			seen, since = n, time.Now()
		}
	}
}

// own runs f as one of the server's streams, unless it stops.
func (s *Server) own(f func()) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.streaming.Err() != nil {
		return false
	}
	s.streams.Go(f)
	return true
}

// dispatch finds the route. Where there is none the answer has our shape, not
// the mux's.
func (s *Server) dispatch(w http.ResponseWriter, r *http.Request) {
	if clean := path.Clean("/" + r.URL.Path); clean != r.URL.Path && clean+"/" != r.URL.Path {
		s.request(w, r).fail(noRoute(r)) // the mux would answer with a redirect
		return
	}
	h, pattern := s.mux.Handler(r)
	if pattern != "" {
		s.mux.ServeHTTP(w, r)
		return
	}
	probe := &headerProbe{header: http.Header{}}
	h.ServeHTTP(probe, r)
	q := s.request(w, r)
	if probe.status == http.StatusMethodNotAllowed {
		w.Header().Set("Allow", probe.header.Get("Allow"))
		q.fail(methodNotAllowed(r, probe.header.Get("Allow")))
		return
	}
	q.fail(noRoute(r))
}

// headerProbe takes what the mux would have answered, without its body.
type headerProbe struct {
	header http.Header
	status int
}

func (p *headerProbe) Header() http.Header         { return p.header }
func (p *headerProbe) WriteHeader(status int)      { p.status = status }
func (p *headerProbe) Write(b []byte) (int, error) { return len(b), nil }
