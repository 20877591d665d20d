package notify

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/reeverun/reeve/process"
	"github.com/reeverun/reeve/store"
	"github.com/reeverun/reeve/store/memory"
)

// world is a dispatcher with real receivers, on a network of pipes and a clock
// that both belong to the test: the waits of a day take no time.
type world struct {
	*testing.T
	store store.Store
	d     *Dispatcher
	log   lockedBuffer
	net   *network
	id    process.ID
}

// play runs a test in its own time.
func play(t *testing.T, test func(w *world)) {
	synctest.Test(t, func(t *testing.T) {
		w := &world{T: t, store: memory.New(), net: &network{hosts: map[string]*pipeListener{}}}
		test(w)
		w.close()
		w.net.close()
	})
}

func (w *world) open(edit ...func(*Config)) {
	w.Helper()
	cfg := Config{Store: w.store, Agent: "reeve/test", Transport: w.net.transport(),
		Logger: slog.New(slog.NewTextHandler(&w.log, &slog.HandlerOptions{Level: slog.LevelDebug}))}
	for _, e := range edit {
		e(&cfg)
	}
	d, err := Open(w.Context(), cfg)
	if err != nil {
		w.Fatal(err)
	}
	w.d = d
}

func (w *world) close() {
	if w.d != nil {
		_ = w.d.Close()
	}
}

// receiver serves a host.
func (w *world) receiver(host string, h http.HandlerFunc) *receiver {
	r := &receiver{}
	srv := &http.Server{ErrorLog: slog.NewLogLogger(slog.DiscardHandler, 0), Handler: http.HandlerFunc(func(rw http.ResponseWriter, q *http.Request) {
		body, _ := io.ReadAll(q.Body)
		r.mu.Lock()
		r.flying++
		r.most = max(r.most, r.flying)
		r.got = append(r.got, request{at: time.Now(), url: q.URL.String(), header: q.Header.Clone(), body: string(body)})
		r.mu.Unlock()
		defer func() { r.mu.Lock(); r.flying--; r.mu.Unlock() }()
		h(rw, q)
	})}
	l := newPipeListener()
	w.net.mu.Lock()
	w.net.hosts[host] = l
	w.net.servers = append(w.net.servers, srv)
	w.net.mu.Unlock()
	w.net.serving.Go(func() { _ = srv.Serve(l) })
	return r
}

// end stores a run that ended, and whom to notify, and tells the dispatcher if
// there is one.
func (w *world) end(url, secret string) process.Notification {
	w.Helper()
	w.id++
	p := &process.Process{ID: w.id, State: process.Idle, CreatedAt: time.Now(), Run: process.Run{Number: 1, ExitState: process.ExitSuccess},
		Spec: process.Spec{Environment: process.EnvCommand, Code: "the code", Notify: &process.Notify{URL: process.Secret(url), Secret: process.Secret(secret)}}}
	n, err := process.NewNotification("msg_"+p.ID.String(), p, time.Now().UTC())
	if err != nil {
		w.Fatal(err)
	}
	if err := w.store.Apply(w.Context(), []store.Change{{Insert: p, Notifications: []process.Notification{n}}}); err != nil {
		w.Fatal(err)
	}
	if w.d != nil {
		w.d.Tell(n)
	}
	return n
}

// settled waits until a notification is not pending any more.
func (w *world) settled(n process.Notification) *process.Notification {
	w.Helper()
	for range 10 * Attempts {
		synctest.Wait()
		now := w.now(n)
		if now.State != process.NotificationPending {
			return now
		}
		time.Sleep(max(time.Second, time.Until(now.DueAt)))
	}
	w.Fatalf("it is still %+v", w.now(n))
	return nil
}

func (w *world) now(n process.Notification) *process.Notification {
	w.Helper()
	now, err := w.store.Notification(w.Context(), n.Process, n.Run)
	if err != nil {
		w.Fatal(err)
	}
	return now
}

// receiver remembers what it got.
type receiver struct {
	mu           sync.Mutex
	got          []request
	flying, most int
}

type request struct {
	at     time.Time
	url    string
	header http.Header
	body   string
}

func (r *receiver) requests() []request {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]request(nil), r.got...)
}

// answers answers one request after the other, the last for ever.
func answers(all ...http.HandlerFunc) http.HandlerFunc {
	var mu sync.Mutex
	return func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		h := all[0]
		if len(all) > 1 {
			all = all[1:]
		}
		mu.Unlock()
		h(w, r)
	}
}

func status(code int) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code) }
}

func hang(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }

func drop(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }

// network carries requests to receivers by the names of hosts.
type network struct {
	mu      sync.Mutex
	hosts   map[string]*pipeListener
	servers []*http.Server
	serving sync.WaitGroup
}

func (n *network) transport() *http.Transport {
	t := newTransport()
	t.DialContext = func(ctx context.Context, _, addr string) (net.Conn, error) {
		host, _, _ := net.SplitHostPort(addr)
		n.mu.Lock()
		l := n.hosts[host]
		n.mu.Unlock()
		if l == nil {
			return nil, errors.New("connection refused")
		}
		return l.dial(ctx)
	}
	return t
}

func (n *network) close() {
	for _, s := range n.servers {
		_ = s.Close()
	}
	n.serving.Wait()
}

// pipeListener is a net.Listener of pipes.
type pipeListener struct {
	conns chan net.Conn
	done  chan struct{}
	once  sync.Once
}

func newPipeListener() *pipeListener {
	return &pipeListener{conns: make(chan net.Conn), done: make(chan struct{})}
}

func (l *pipeListener) dial(ctx context.Context) (net.Conn, error) {
	here, there := net.Pipe()
	select {
	case l.conns <- there:
		return here, nil
	case <-l.done:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (l *pipeListener) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.done:
		return nil, net.ErrClosed
	}
}

func (l *pipeListener) Close() error { l.once.Do(func() { close(l.done) }); return nil }

func (l *pipeListener) Addr() net.Addr { return &net.UnixAddr{Name: "pipe"} }

type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}
