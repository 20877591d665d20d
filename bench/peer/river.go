package peer

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/reeverun/reeve/bench/measure"
	"github.com/reeverun/reeve/internal/peers"
)

// RiverName is how the table calls it.
const RiverName = "River on Postgres"

// River does no-op jobs, so many a round: inserted many at a time, the end of
// each in the database. The figure is jobs per second.
func (s *Set) River(jobs int) measure.Subject {
	return measure.Subject{Name: RiverName, Role: measure.Peer, Rounds: 5, Open: func(ctx context.Context) (measure.Instrument, error) {
		return guard(s.openRiver(ctx, jobs))
	}}
}

func (s *Set) openRiver(ctx context.Context, jobs int) (measure.Instrument, error) {
	path, err := s.buildRiver(ctx)
	if err != nil {
		return nil, err
	}
	p, err := s.openPostgres(ctx)
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(path)
	cmd.Env = append(os.Environ(), "DATABASE_URL="+p.url)
	t, err := talk(cmd)
	if err != nil {
		return nil, errors.Join(err, p.close())
	}
	return measure.Closing(func(ctx context.Context) (float64, error) {
		var took struct{ Seconds float64 }
		err := t.ask(ctx, map[string]int{"jobs": jobs}, &took)
		return float64(jobs) / took.Seconds, err
	}, func() error { return errors.Join(t.close(), p.close()) }), nil
}

// buildRiver compiles the program of bench/river, a module of its own.
func (s *Set) buildRiver(ctx context.Context) (string, error) {
	return s.get("river", func() (string, error) {
		if s.lab.Short {
			return "", errors.New("it takes too long to compile for a short run")
		}
		if err := os.MkdirAll(s.installed(), 0o755); err != nil {
			return "", err
		}
		path := filepath.Join(s.installed(), "river")
		h := peers.Home{Dir: filepath.Join(s.lab.Root, "bench/river"), Env: []string{"GOWORK=off", "CGO_ENABLED=0"}}
		_, err := h.CallFor(ctx, 10*peers.Patience, "go", "build", "-o", path, ".")
		if err != nil {
			err = fmt.Errorf("build River: %w", err)
		}
		return path, err
	})
}
