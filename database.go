package reeve

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/reeverun/reeve/process"
	"github.com/reeverun/reeve/store"
	"github.com/reeverun/reeve/store/sqlite"
)

// openDatabase opens the database of a durable runtime, checked as far as that
// takes no time. A large one is checked page by page while it is used.
func (rt *Runtime) openDatabase(ctx context.Context) (store.Store, error) {
	c := &rt.cfg
	if c.Recover {
		if err := rt.recoverDatabase(ctx); err != nil {
			return nil, err
		}
	}
	st, err := sqlite.Open(ctx, sqlite.Config{Path: c.Database, Sealer: rt.box})
	if err != nil {
		return nil, err
	}
	rt.onClose(st.Close)
	if err := rt.skipUsed(ctx, st); err != nil {
		return nil, err
	}
	if !st.Checked() {
		rt.checkLater(st)
	}
	return st, nil
}

// recoverDatabase replaces a damaged database, and leaves a sound one alone.
func (rt *Runtime) recoverDatabase(ctx context.Context) error {
	c := &rt.cfg
	err := sqlite.CheckFile(ctx, c.Database)
	var u *store.Unavailable
	switch {
	case err == nil, errors.Is(err, fs.ErrNotExist):
		c.Logger.Info("the database is sound: there is nothing to recover", "database", c.Database)
		return nil
	case !errors.As(err, &u) || u.Reason != store.Damaged:
		return fmt.Errorf("recover database: %w", err)
	}
	used, err := highestLog(c.LogDir)
	if err != nil {
		return fmt.Errorf("recover database: %w", err)
	}
	r, err := sqlite.Recover(ctx, c.Database, used, time.Now())
	if err != nil {
		return fmt.Errorf("recover database: %w", err)
	}
	c.Logger.Warn("the database was damaged: it is kept aside, and what could be read of it was saved",
		"kept", r.Aside, "processes", r.Processes, "incomplete", r.Lost, "next id", r.ID+1, "damage", u.Error())
	return nil
}

// skipUsed has ids go on after those that logs are kept of, where the database
// is older than the logs: somebody restored a backup, or its write-ahead log is
// lost. Logs are made after their record, so one look usually tells.
func (rt *Runtime) skipUsed(ctx context.Context, st *sqlite.Store) error {
	m, err := st.Marks(ctx)
	if err != nil {
		return err
	}
	if !anyLog(rt.cfg.LogDir, m.ID+1) {
		return nil
	}
	used, err := highestLog(rt.cfg.LogDir)
	if err != nil {
		return err
	}
	rt.cfg.Logger.Warn("the database is older than the logs: processes up to this id are not in it, and their ids are not used again",
		"database", rt.cfg.Database, "id", used)
	return st.Skip(ctx, used)
}

// lookAhead is how many ids are looked at for logs that should not be there: not
// every process writes.
const lookAhead = 32

func anyLog(dir string, from process.ID) bool {
	for id := from; id < from+lookAhead; id++ {
		if _, err := os.Stat(filepath.Join(dir, id.String())); err == nil {
			return true
		}
	}
	return false
}

// highestLog is the highest id that has a folder for its logs.
func highestLog(dir string) (highest process.ID, err error) {
	f, err := os.Open(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	defer f.Close()
	names, err := f.Readdirnames(-1)
	for _, name := range names {
		if id, err := strconv.ParseInt(name, 10, 64); err == nil {
			highest = max(highest, process.ID(id))
		}
	}
	return highest, err
}

// checkLater looks at every page while the runtime works, and says what is
// wrong: by then there is more to lose by stopping than by going on.
func (rt *Runtime) checkLater(st *sqlite.Store) {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	rt.onClose(func() error { cancel(); <-done; return nil })
	go func() {
		defer close(done)
		began := time.Now()
		err := st.Check(ctx)
		if ctx.Err() != nil {
			return
		}
		if err != nil {
			rt.cfg.Logger.Error("the database is damaged", "error", err)
			err = &process.Error{Code: process.CodeNoEnvironment, Message: "the database is damaged", Err: fmt.Errorf("%w: %w", process.ErrUnrecorded, err)}
			rt.damage.Store(&err)
			return
		}
		rt.cfg.Logger.Debug("the database is sound", "took", time.Since(began).Round(time.Millisecond).String())
	}()
}

// Check reports what Open would refuse a Config for, as far as that can be told
// while another program owns the data directory: nothing is changed.
func Check(ctx context.Context, cfg Config) error {
	rt := &Runtime{cfg: cfg.withDefaults()}
	if rt.cfg.durable() && !rt.cfg.Recover {
		if err := sqlite.MayOpen(ctx, rt.cfg.Database); err != nil {
			return err
		}
	}
	_, err := rt.interpreters()
	return err
}
