package peer

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"time"

	"github.com/reeverun/reeve/bench/lab"
	"github.com/reeverun/reeve/bench/measure"
)

// treeScript is a tree of two levels: shells, each with nine that sleep. What
// belongs to it is known by the mark, which is how long they sleep.
const treeScript = `i=0; while [ $i -lt $1 ]; do sh -c 'for j in 1 2 3 4 5 6 7 8 9; do sleep "$0" & done; wait' "$2" & i=$((i+1)); done; wait`

// KillTree is the end of a tree of so many processes by force, from the request
// to the manager's word that it is over, in milliseconds. The note says how many
// were alive then.
func (s *Set) KillTree(n int) []measure.Subject {
	return s.managed(func(ctx context.Context, _ product, m manager) (float64, string, error) {
		return killTree(ctx, s.lab, m, n)
	}, map[string]int{"sandbox-agent": 3, "task-spooler": 3, "supervisor": 3, "pm2": 3})
}

func killTree(ctx context.Context, l *lab.Lab, m manager, n int) (float64, string, error) {
	dir, err := l.Scratch()
	if err != nil {
		return 0, "", err
	}
	file, mark := dir+"/tree.sh", newMark()
	if err := os.WriteFile(file, []byte(treeScript), 0o600); err != nil {
		return 0, "", err
	}
	defer endMarked(mark)
	if err := m.start(ctx, 1, "sh", file, fmt.Sprint(n/10), mark); err != nil {
		return 0, "", err
	}
	want := n/10*10 + 1
	if err := lab.Until(ctx, time.Minute, func() bool { return len(marked(mark)) >= want }); err != nil {
		return 0, "", fmt.Errorf("the tree has %d processes of %d: %w", len(marked(mark)), want, err)
	}
	begin := time.Now()
	if err := m.kill(ctx); err != nil {
		return 0, "", err
	}
	took := time.Since(begin)
	return took.Seconds() * 1e3, fmt.Sprintf("%d of %d are alive when it says so", len(marked(mark)), want), nil
}

// newMark is a day and a bit that nobody else sleeps for.
func newMark() string { return fmt.Sprintf("86400.%09d", rand.N(1_000_000_000)) }

// marked lists the shells and sleepers with a mark. A manager may have the mark
// among its arguments, too.
func marked(mark string) []int {
	return lab.Arguments(func(args []string) bool {
		name := filepath.Base(args[0])
		return (name == "sh" || name == "sleep") && args[len(args)-1] == mark
	})
}

func endMarked(mark string) {
	_ = lab.Until(context.Background(), time.Minute, func() bool {
		left := marked(mark)
		for _, pid := range left {
			end(pid)
		}
		return len(left) == 0
	})
}
