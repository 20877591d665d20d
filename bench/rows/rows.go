// Package rows has the rows of the table: for each what is measured, against
// which floor and peers, and what is asked of Reeve.
package rows

import (
	"github.com/reeverun/reeve/bench/lab"
	"github.com/reeverun/reeve/bench/measure"
)

// All returns the rows in the order of the table. Nothing is started before a
// row is run.
func All(l *lab.Lab) []measure.Row {
	return []measure.Row{
		spawnWait(l),
		spawnsPerSecond(l),
		createFinished(l),
		capture(l),
		captureGeneric(l),
		lineLatency(l),
		killTree(l),
		list50(l),
		parked(l),
		restart(l),
	}
}
