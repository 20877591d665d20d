// Package rows has the rows of the table: for each what is measured, against
// which floor and peers, and what is asked of Reeve.
package rows

import (
	"github.com/reeverun/reeve/bench/lab"
	"github.com/reeverun/reeve/bench/measure"
	"github.com/reeverun/reeve/bench/peer"
)

// All returns the rows in the order of the table. Nothing is started, and no
// peer gotten, before a row is run.
func All(l *lab.Lab) []measure.Row {
	p := peer.New(l)
	all := []measure.Row{
		spawnWait(l),
		spawnsPerSecond(l),
		beside(createFinished(l), p.CreateFinished(l.Size(20, 3))),
		noopJobs(l, p),
		programOutput(l, p),
		programsPerSecond(l, p),
		programsSuspended(l, p),
	}
	all = append(all, programsThatCompute(l, p)...)
	return append(all,
		beside(capture(l), p.Capture(l.Size(1<<30, 16<<20))),
		captureGeneric(l),
		lineLatency(l),
		beside(killTree(l), p.KillTree(l.Size(1000, 60))),
		list50(l),
		beside(parked(l), p.Parked()),
		parkedAgents(l),
		restart(l),
	)
}

// beside adds subjects to a row.
func beside(r measure.Row, others []measure.Subject) measure.Row {
	r.Subjects = append(r.Subjects, others...)
	return r
}
