package tool

import (
	"context"
	"time"
)

// lose says that a connection turned out to be gone, unless there is a newer
// one already. Who calls next waits for the next.
func (s *service) lose(connection int, why error) {
	s.mu.Lock()
	current := s.ready && s.opened == connection
	if current {
		s.ready, s.reason, s.lost = false, "its connection was lost", why
	}
	s.mu.Unlock()
	if current {
		s.poke()
	}
}

// maxWait is how long a call waits for an attempt to connect its service.
const maxWait = 10 * time.Second

// await returns nil when the service is ready, after one more attempt if need
// be, or an unavailable error that says why not.
func (s *service) await(ctx context.Context) error {
	_, err := s.connected(ctx)
	return err
}

// connected is await and returns the number of the connection.
func (s *service) connected(ctx context.Context) (int, error) {
	s.mu.Lock()
	ready, started, attempt, n := s.ready, s.started, s.attempt, s.opened
	s.wanted = s.wanted || !ready
	s.mu.Unlock()
	if ready {
		return n, nil
	}
	if started {
		s.poke()
		t := time.NewTimer(maxWait)
		defer t.Stop()
		select {
		case <-attempt:
		case <-t.C:
		case <-ctx.Done():
			return 0, context.Cause(ctx)
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ready {
		return s.opened, nil
	}
	return 0, unavailable(s.name, s.reason)
}

// unavailable says why the service cannot be called.
func (s *service) unavailable() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return unavailable(s.name, s.reason)
}
