package doctor

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"time"

	"github.com/reeverun/reeve/store"
	"github.com/reeverun/reeve/store/sqlite"
)

// databaseCheck looks at every page of the database, of a running daemon too. It
// takes about 9 ms for each MiB.
func databaseCheck(ctx context.Context, dataDir string) Check {
	c := check(SectionData, "data-database", "database")
	path := filepath.Join(dataDir, "reeve.db")
	began := time.Now()
	err := sqlite.CheckFile(ctx, path)
	var u *store.Unavailable
	switch {
	case err == nil:
		return c.ok("Every page of " + path + " is sound (looked at in " + round(time.Since(began)).String() + ").")
	case errors.Is(err, fs.ErrNotExist):
		return c.ok("There is none yet; it is made when the daemon starts.")
	case errors.As(err, &u) && u.Reason == store.Damaged:
		return c.missing("The daemon does not start with a damaged database, and what is in it is not safe.", err.Error(),
			"Stop the daemon, and restore a backup, or start it with reeve serve --recover, which keeps the damaged one and saves what can be read.")
	}
	return c.limited("Whether the database is sound cannot be told.", err.Error(), "Run reeve doctor as the user of the daemon.")
}
