package daemon

import (
	"cmp"
	"context"
	"io"
	"log/slog"
	"os"
	"time"

	"github.com/reeverun/reeve"
	"github.com/reeverun/reeve/api"
	"github.com/reeverun/reeve/env/supervisor"
	"github.com/reeverun/reeve/process"
	"github.com/reeverun/reeve/server"
	"github.com/reeverun/reeve/settings"
	"github.com/reeverun/reeve/telemetry"
)

// configure makes the runtime's Config.
func (d *daemon) configure() (reeve.Config, error) {
	s := d.settings
	c := reeve.Config{
		Dir: s.Data, Recover: s.Recover, LogDir: s.LogDir, RawOutput: s.RawOutput, LogCap: s.LogCap, MemoryLogCap: s.MemoryLogCap,
		Retention: reeve.Retention{Events: s.RetentionEvents, Logs: s.RetentionLogs, PinnedTag: s.PinnedTag},
		Slots:     s.Concurrency, MaxActive: s.MaxActive, DefaultTimeout: s.DefaultTimeout, Heartbeat: s.Heartbeat,
		// The runtime takes 0 for its default, but here it was asked for.
		Grace: cmp.Or(s.Grace, time.Nanosecond), Drain: cmp.Or(s.Drain, time.Nanosecond),
		Tools: startedTools{d.tools}, ApprovalLife: s.ApprovalLife,
		EndRunning: s.StopJobs, RulesDir: s.RulesDir, Observe: d.observe,
		UserAgent: "reeve/" + d.wiring.Version.Version, Logger: d.log,
		Private: shortFolders(), // the socket may be there
	}
	if s.Keeper {
		c.Keep = d.openKeeper
	}
	if d.wiring.Environments != nil {
		var err error
		c.Environments, err = d.wiring.Environments(Parts{
			Settings: s, Tools: d.tools, Spec: server.Children(s.Environment), Logger: d.log,
		})
		if err != nil {
			return c, err
		}
	}
	if c.Environments == nil {
		c.Environments = map[string]reeve.Environment{}
	}
	// Its children are asked for as all processes are here.
	c.Environments[process.EnvSupervisor] = supervisor.New(supervisor.Config{Specs: server.Specs(s.Environment)})
	return c, nil
}

// observe counts what happens to processes, and logs it for those who want to
// know everything. It must not block: beyond debugging, nothing is written.
func (d *daemon) observe(ctx context.Context, m reeve.Moment, p *reeve.Process) {
	switch m {
	case reeve.Created:
		d.telemetry.CreatedIn(ctx, p)
	case reeve.Started:
		d.telemetry.Started(p)
		d.log.Debug("process started", "process", p.ID, "run", p.Run.Number)
	case reeve.Stalled:
		d.telemetry.Stalled(p)
		d.log.Debug("process stalled", "process", p.ID, "run", p.Run.Number)
	case reeve.Finished:
		d.telemetry.Finished(p)
		d.log.Debug("process finished", "process", p.ID, "run", p.Run.Number, "exit", string(p.ExitState))
	}
}

// countStates is asked when metrics are scraped.
func (d *daemon) countStates() map[process.State]int {
	ctx, cancel := context.WithTimeout(context.Background(), d.limits.linger)
	defer cancel()
	count := map[process.State]int{}
	for _, s := range process.States() {
		if s == process.Idle {
			continue
		}
		for range d.each(ctx, s) {
			count[s]++
		}
	}
	return count
}

// countNotifications is, too.
func (d *daemon) countNotifications() (telemetry.Notifications, error) {
	ctx, cancel := context.WithTimeout(context.Background(), d.limits.linger)
	defer cancel()
	s, err := d.runtime.NotifyStats(ctx)
	return telemetry.Notifications(s), err
}

func newLogger(s settings.Settings, w io.Writer) *slog.Logger {
	o := &slog.HandlerOptions{Level: s.LogLevel}
	if s.LogFormat == "json" {
		return slog.New(slog.NewJSONHandler(w, o))
	}
	return slog.New(slog.NewTextHandler(w, o))
}

func newTelemetry(s settings.Settings, v api.Version, log *slog.Logger) (*telemetry.T, error) {
	c := telemetry.Config{Version: v.Version, Endpoint: s.OTLPEndpoint, Getenv: os.Getenv, Logger: log}
	if s.OTLPEndpoint == settings.None {
		c.Endpoint, c.Getenv = "", func(string) string { return "" }
	}
	return telemetry.New(c)
}
