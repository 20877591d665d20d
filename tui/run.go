package tui

import (
	"context"
	"errors"

	tea "charm.land/bubbletea/v2"
)

// frames is how often a second the screen may change: enough for the eye, and half
// of what an idle renderer costs by default.
const frames = 30

// Run shows the dashboard until the user leaves it or ctx is over. What it started
// has ended when it returns.
func Run(ctx context.Context, cfg Config) error {
	m := New(ctx, cfg)
	defer m.Close()
	options := []tea.ProgramOption{tea.WithContext(ctx), tea.WithFPS(frames)}
	if cfg.Input != nil {
		options = append(options, tea.WithInput(cfg.Input))
	}
	if cfg.Output != nil {
		options = append(options, tea.WithOutput(cfg.Output))
	}
	if cfg.Environ != nil {
		options = append(options, tea.WithEnvironment(cfg.Environ))
	}
	_, err := tea.NewProgram(m, options...).Run()
	if errors.Is(err, tea.ErrInterrupted) || ctx.Err() != nil {
		return nil
	}
	return err
}
