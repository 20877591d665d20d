package growth

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/reeverun/reeve/bench/lab"
	"github.com/reeverun/reeve/bench/measure"
)

// archive is a daemon on many finished records.
type archive struct {
	l    *lab.Lab
	d    *lab.Daemon
	dir  string
	size int
	gone int // how many of the oldest were pruned
}

func records(l *lab.Lab) measure.Family {
	a := &archive{l: l}
	ask := func(id, title, path string) measure.Curve {
		return measure.Curve{ID: id, Title: title, Unit: "ms", Limit: level, At: a.asking(path)}
	}
	none := ask("records-search", "a search that finds nothing", "/processes?limit=50&text=nothing+like+it")
	none.Limit, none.Explained = 1.2, "No index has every part of every word: such a search reads each record once, from the file where there are more than the cache holds. A search that finds something stops when its page is full."
	overview := ask("records-overview", "the numbers of the dashboard", "/overview")
	overview.Explained = "Only the first one counts all records. How many have each tag is counted again after twenty times as long as that took."
	return measure.Family{X: "records", Sizes: sizes(l, 1000, 1_000_000, 3000), Grow: a.grow, Close: a.close, Curves: []measure.Curve{
		{ID: "records-start", Title: "start of the daemon, to the first list", Unit: "ms", Limit: level, At: a.start},
		ask("records-list", "list of the newest 50", "/processes?limit=50"),
		ask("records-state", "list of 10 that failed, one in a hundred", "/processes?limit=10&status=failed"),
		ask("records-tag", "list of 10 with a tag, one in a hundred", "/processes?limit=10&tag="+lab.RareTag),
		ask("records-text", "list of 10 with a word, one in a hundred", "/processes?limit=10&text="+lab.RareWord),
		none,
		{ID: "records-get", Title: "one record", Unit: "ms", Limit: level, At: a.one("/processes/%d")},
		{ID: "records-events", Title: "the events of one record", Unit: "ms", Limit: level, At: a.one("/processes/%d/events")},
		overview,
		{ID: "records-create", Title: "create to finished, true, durable", Unit: "ms", Limit: level, At: a.create},
		{ID: "records-delete", Title: "delete of one", Unit: "ms", Limit: level, At: a.remove},
		{ID: "records-prune", Title: "prune of old events and logs, each record", Unit: "ms", Limit: level, At: a.prune},
	}}
}

func (a *archive) grow(ctx context.Context, size float64) error {
	if err := a.close(); err != nil {
		return err
	}
	dir, err := a.l.FilledCopy(ctx, int(size))
	a.dir, a.size, a.gone = dir, int(size), 0
	if err != nil {
		return err
	}
	a.d, err = a.l.Daemon(ctx, dir)
	return err
}

func (a *archive) close() error {
	if a.dir == "" {
		return nil
	}
	err := a.stop()
	err = errors.Join(err, os.RemoveAll(a.dir))
	a.dir = ""
	return err
}

func (a *archive) stop() error {
	if a.d == nil {
		return nil
	}
	d := a.d
	a.d = nil
	return d.Close()
}

func (a *archive) start(ctx context.Context, _ float64) ([]float64, error) {
	var took []float64
	for range a.l.Size(5, 1) {
		if err := a.stop(); err != nil {
			return nil, err
		}
		begin := time.Now()
		d, err := a.l.Daemon(ctx, a.dir)
		if err != nil {
			return nil, err
		}
		a.d = d
		if err := d.Do(ctx, "GET", "/processes?limit=50", "", nil); err != nil {
			return nil, err
		}
		took = append(took, milliseconds(time.Since(begin)))
	}
	return took, nil
}

// patience is how long one question is asked again and again.
const patience = 3 * time.Second

// asking asks the same again and again: often, or, where it takes long, for a
// while.
func (a *archive) asking(path string) func(context.Context, float64) ([]float64, error) {
	return func(ctx context.Context, _ float64) ([]float64, error) {
		if err := a.d.Do(ctx, "GET", path, "", nil); err != nil { // the first finds caches cold
			return nil, err
		}
		var all []float64
		for begin := time.Now(); len(all) < a.l.Size(200, 5) && time.Since(begin) < patience; {
			took, err := each(ctx, 1, func(int) error { return a.d.Do(ctx, "GET", path, "", nil) })
			if err != nil {
				return nil, err
			}
			all = append(all, took...)
		}
		return all, nil
	}
}

// one asks for different records, from all over the place.
func (a *archive) one(path string) func(context.Context, float64) ([]float64, error) {
	return func(ctx context.Context, _ float64) ([]float64, error) {
		const stride = 7919 // a prime: no pattern of the file
		return each(ctx, a.l.Size(300, 5), func(i int) error {
			return a.d.Do(ctx, "GET", fmt.Sprintf(path, 1+(i+1)*stride%a.size), "", nil)
		})
	}
}

func (a *archive) create(ctx context.Context, _ float64) ([]float64, error) {
	return each(ctx, a.l.Size(200, 5), func(int) error {
		_, err := a.d.Run(ctx, lab.TrueCommand)
		return err
	})
}

func (a *archive) remove(ctx context.Context, _ float64) ([]float64, error) {
	return each(ctx, a.l.Size(100, 5), func(i int) error {
		return a.d.Do(ctx, "DELETE", fmt.Sprint("/processes/", a.size/2+i), "", nil)
	})
}

// prune removes what belongs to the oldest records, some at a time.
func (a *archive) prune(ctx context.Context, _ float64) ([]float64, error) {
	const some = 100
	var took []float64
	for range a.l.Size(3, 1) {
		a.gone += some
		var oldest struct{ CreatedAt time.Time }
		if err := a.d.Do(ctx, "GET", fmt.Sprint("/processes/", a.gone+1), "", &oldest); err != nil {
			return nil, err
		}
		age := time.Since(oldest.CreatedAt).Milliseconds()
		var pruned struct{ Events, Logs int }
		begin := time.Now()
		if err := a.d.Do(ctx, "POST", "/prune", fmt.Sprintf(`{"events":%d,"logs":%d}`, age, age), &pruned); err != nil {
			return nil, err
		}
		if pruned.Logs < some/2 || pruned.Logs > 2*some || pruned.Events < pruned.Logs {
			return nil, fmt.Errorf("pruned %+v, but %d records were old enough", pruned, some)
		}
		took = append(took, milliseconds(time.Since(begin))/float64(pruned.Logs))
	}
	return took, nil
}
