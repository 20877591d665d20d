package tool

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"
)

// Registry holds services and performs calls. Its methods are safe for
// concurrent use.
type Registry struct {
	cfg      Config
	calls    gate
	dead     chan struct{} // closed when Close waits no longer for calls
	builtin  *listed       // the tool reeve/search
	finished chan struct{} // closed when Close is through
	reading  chan struct{} // one for each call whose large parameters are being read

	mu       sync.Mutex // guards what follows
	services map[string]*service
	cancel   context.CancelFunc // ends what Start began; nil before it
	life     context.Context    // of the services' goroutines; nil before Start
	wg       sync.WaitGroup     // those goroutines
	closing  bool
}

// New makes an empty registry.
func New(cfg Config) *Registry {
	r := &Registry{
		cfg:      cfg.withDefaults(),
		dead:     make(chan struct{}),
		finished: make(chan struct{}),
		reading:  make(chan struct{}, max(1, runtime.GOMAXPROCS(0)/2)),
		services: map[string]*service{},
	}
	r.builtin = list(Builtin, searchTool(), r.cfg.Logger)
	return r
}

// Option sets something of one service.
type Option func(*service)

// Timeout bounds each call of the service, in place of Config.CallTimeout.
func Timeout(d time.Duration) Option {
	return func(s *service) {
		if d != 0 {
			s.timeout = d
		}
	}
}

// Description describes the service, in place of what the adapter says.
func Description(text string) Option { return func(s *service) { s.description = text } }

// Add adds a service. One that is added after Start is connected at once.
func (r *Registry) Add(name string, a Adapter, options ...Option) error {
	if !ValidName(name) {
		return fmt.Errorf("%q cannot name a service: use 1 to %d letters, digits and _ . -", Clip(name, 100), maxName)
	}
	if name == Builtin {
		return fmt.Errorf("the service name %s is reserved: choose another", Builtin)
	}
	s := newService(name, a, r.cfg)
	for _, o := range options {
		o(s)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.services[name] != nil {
		return fmt.Errorf("there is a service %s already", name)
	}
	if r.closing {
		return fmt.Errorf("the service %s cannot be added: the registry is closed", name)
	}
	if w, ok := a.(Watcher); ok {
		w.Watch(s.changed)
	}
	r.services[name] = s
	r.launch(s)
	return nil
}

// Start begins to connect the services, and to keep them connected until Close.
// It does not wait for them: [Registry.Ready] does. ctx gives values, its end
// does not end the services.
func (r *Registry) Start(ctx context.Context) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.cancel != nil || r.closing {
		return
	}
	r.life, r.cancel = context.WithCancel(context.WithoutCancel(ctx))
	for _, s := range r.services {
		r.launch(s)
	}
}

// launch runs a service if the registry runs. r.mu is held.
func (r *Registry) launch(s *service) {
	if life := r.life; life != nil {
		s.markStarted()
		r.wg.Go(func() { s.run(life) })
	}
}

// Ready waits until each service has been connected or has failed to be, once.
func (r *Registry) Ready(ctx context.Context) error {
	for _, s := range r.all() {
		select {
		case <-s.tried:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return nil
}

// Close refuses new calls, waits for those under way as long as the drain time
// allows, cancels the others and closes the adapters. It may be called again,
// and without Start.
func (r *Registry) Close() error {
	r.mu.Lock()
	if r.closing {
		r.mu.Unlock()
		<-r.finished
		return nil
	}
	r.closing = true
	cancel := r.cancel
	r.mu.Unlock()
	defer close(r.finished)

	r.drain()
	if cancel != nil {
		cancel()
	}
	ended := make(chan struct{})
	go func() { // left behind if an adapter does not heed its context
		defer close(ended)
		r.wg.Wait()
		r.closeAdapters()
	}()
	select {
	case <-ended:
	case <-time.After(maxClose + r.cfg.DrainTimeout):
		r.cfg.Logger.Warn("services do not end; they are left behind")
	}
	return nil
}

// maxClose is how long Close waits for services that were asked to end.
const maxClose = 10 * time.Second

// drain waits for the calls. One that ignores even its cancelled context is left
// behind; its answer is not listened to.
func (r *Registry) drain() {
	empty := r.calls.close()
	select {
	case <-empty:
	case <-time.After(r.cfg.DrainTimeout):
	}
	close(r.dead)
	select {
	case <-empty:
	case <-time.After(min(time.Second, r.cfg.DrainTimeout)):
		r.cfg.Logger.Warn("tool calls outlived the end of the registry")
	}
}

func (r *Registry) closeAdapters() {
	var wg sync.WaitGroup
	for _, s := range r.all() {
		wg.Go(func() {
			if err := s.adapter.Close(); err != nil {
				r.cfg.Logger.Warn("close service", "service", s.name, "error", err)
			}
		})
	}
	wg.Wait()
}

// all returns the services by name.
func (r *Registry) all() []*service {
	r.mu.Lock()
	defer r.mu.Unlock()
	all := make([]*service, 0, len(r.services))
	for _, s := range r.services {
		all = append(all, s)
	}
	slices.SortFunc(all, func(a, b *service) int { return strings.Compare(a.name, b.name) })
	return all
}

func (r *Registry) service(name string) *service {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.services[name]
}
