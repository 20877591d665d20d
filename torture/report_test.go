//go:build linux

package torture

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// figures are what a run has to show.
type figures struct {
	rounds, keepers        int
	acknowledged, repeated int
	finished, canceled     int
	interrupted, lost      int // lost: of these, commands
	reattached, events     int
	bytes                  int64
	strays                 int
	restarts               []time.Duration
}

// forget drops what the last check of all counts anew.
func (f *figures) forget() {
	f.finished, f.canceled, f.interrupted, f.lost, f.reattached, f.events, f.bytes = 0, 0, 0, 0, 0, 0, 0
}

// report prints the figures as a table.
func (w *world) report() {
	f := w.figures
	kills, pauses := 0, 0
	live, lagged := w.witness.tally()
	for _, p := range w.procs {
		if p.killed {
			kills++
		}
		if p.pausedOnce {
			pauses++
		}
	}
	rows := [][2]string{
		{"rounds", fmt.Sprint(f.rounds)},
		{"keepers killed", fmt.Sprint(f.keepers)},
		{"processes acknowledged", fmt.Sprint(f.acknowledged)},
		{"of these cut off and created again by their key", fmt.Sprint(f.repeated)},
		{"finished", fmt.Sprint(f.finished)},
		{"canceled", fmt.Sprint(f.canceled)},
		{"interrupted (host process exited)", fmt.Sprintf("%d, commands among them %d", f.interrupted, f.lost)},
		{"reattached", fmt.Sprint(f.reattached)},
		{"kills acknowledged", fmt.Sprint(kills)},
		{"pauses acknowledged", fmt.Sprint(pauses)},
		{"bytes of output checked", fmt.Sprint(f.bytes)},
		{"events checked", fmt.Sprint(f.events)},
		{"events seen live", fmt.Sprintf("%d, lagged %d times", live, lagged)},
		{"wrong", fmt.Sprint(w.wrongs.Load())},
		{"stray processes", fmt.Sprint(f.strays)},
	}
	if len(f.restarts) > 0 {
		slices.Sort(f.restarts)
		rows = append(rows, [2]string{"kill to ready", fmt.Sprintf("p50 %v, max %v",
			f.restarts[len(f.restarts)/2].Round(time.Millisecond), f.restarts[len(f.restarts)-1].Round(time.Millisecond))})
	}
	var table strings.Builder
	for _, row := range rows {
		fmt.Fprintf(&table, "\n%-48s %s", row[0], row[1])
	}
	w.t.Log(table.String())
}
