// River has no-op jobs done by River, a queue on Postgres, as fast as it can: jobs
// are inserted many at a time while others are worked. It is a module of its own,
// so that Reeve's has none of its dependencies.
//
// It reads one JSON request a line and answers with one:
//
//	{"jobs": 1000}  →  {"seconds": 0.1}
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivermigrate"
)

const (
	workers = 2000 // at once
	batch   = 5000 // jobs of one insert
	pools   = 20   // connections
)

type noop struct{}

func (noop) Kind() string { return "noop" }

// worker counts what it has done.
type worker struct {
	river.WorkerDefaults[noop]
	done atomic.Int64
}

func (w *worker) Work(context.Context, *river.Job[noop]) error { w.done.Add(1); return nil }

func main() {
	if err := serve(context.Background(), os.Getenv("DATABASE_URL")); err != nil {
		fmt.Fprintln(os.Stderr, "river:", err)
		os.Exit(1)
	}
}

func serve(ctx context.Context, url string) error {
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		return err
	}
	config.MaxConns = pools
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return err
	}
	defer pool.Close()
	if err := ready(ctx, pool); err != nil {
		return err
	}
	w := new(worker)
	client, err := open(ctx, pool, w)
	if err != nil {
		return err
	}
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		var r struct{ Jobs int }
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			return err
		}
		took, err := w.through(ctx, client, pool, r.Jobs)
		if err != nil {
			return err
		}
		fmt.Printf("{\"seconds\":%f}\n", took.Seconds())
	}
	return client.Stop(ctx)
}

// ready waits until the database takes connections.
func ready(ctx context.Context, pool *pgxpool.Pool) error {
	for end := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
		if err := pool.Ping(ctx); err == nil || time.Now().After(end) {
			return err
		}
	}
}

// open migrates the database and starts the workers.
func open(ctx context.Context, pool *pgxpool.Pool, w *worker) (*river.Client[pgx.Tx], error) {
	driver := riverpgxv5.New(pool)
	migrator, err := rivermigrate.New(driver, nil)
	if err != nil {
		return nil, err
	}
	if _, err := migrator.Migrate(ctx, rivermigrate.DirectionUp, nil); err != nil {
		return nil, err
	}
	all := river.NewWorkers()
	river.AddWorker(all, w)
	client, err := river.NewClient(driver, &river.Config{
		FetchCooldown: time.Millisecond, FetchPollInterval: 20 * time.Millisecond,
		Logger:  slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelError})),
		Queues:  map[string]river.QueueConfig{river.QueueDefault: {MaxWorkers: workers}},
		Workers: all,
	})
	if err != nil {
		return nil, err
	}
	return client, client.Start(ctx)
}

// through has jobs inserted and done, and returns when the end of the last is in
// the database. The table is emptied afterwards.
func (w *worker) through(ctx context.Context, client *river.Client[pgx.Tx], pool *pgxpool.Pool, jobs int) (took time.Duration, err error) {
	begin, before := time.Now(), w.done.Load()
	for left := jobs; left > 0; left -= batch {
		many := make([]river.InsertManyParams, min(left, batch))
		for i := range many {
			many[i].Args = noop{}
		}
		if _, err := client.InsertManyFast(ctx, many); err != nil {
			return 0, err
		}
	}
	for over := false; !over; time.Sleep(time.Millisecond) {
		if w.done.Load() < before+int64(jobs) {
			continue
		}
		if err := pool.QueryRow(ctx, "SELECT NOT EXISTS (SELECT FROM river_job WHERE state <> 'completed')").Scan(&over); err != nil {
			return 0, err
		}
		took = time.Since(begin)
	}
	_, err = pool.Exec(ctx, "TRUNCATE river_job")
	return took, err
}
