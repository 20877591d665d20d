//go:build linux

package torture

import (
	"encoding/json"
	"fmt"
	"slices"
)

// judgeNursery checks each run of each child of a supervisor that has ended:
// its lines, its exit code, and that there were as many as the ledger has.
func (w *world) judgeNursery(p *proc) {
	var got struct {
		Children []struct {
			Name    string `json:"name"`
			Process int64  `json:"process"`
			State   string `json:"state"`
		} `json:"children"`
	}
	if err := w.daemon.get(fmt.Sprintf("/supervisors/%d", p.id), &got); err != nil {
		w.wrong("supervisor %s: %v", p.name, err)
		return
	}
	began := w.ledger.read().began
	for _, child := range got.Children {
		i := slices.IndexFunc(p.children, func(j *Job) bool { return j.Name == child.Name })
		if child.Process == 0 {
			continue // it was ended before it came to that
		}
		if i < 0 || child.State != "idle" {
			w.wrong("child %s of %s is not one of its, or goes on: %+v", child.Name, p.name, child)
			continue
		}
		w.judgeRuns(p, p.children[i], child.Process, began[child.Name])
		w.witness.forget(child.Process)
	}
}

// judgeRuns judges all runs of a supervised command.
func (w *world) judgeRuns(p *proc, job *Job, id int64, began int) {
	var got struct {
		Runs []struct {
			Run       int     `json:"run"`
			ExitState *string `json:"exitState"`
			StartedAt *string `json:"startedAt"`
			Exit      *struct {
				Code int `json:"code"`
			} `json:"exit"`
		} `json:"runs"`
	}
	if err := w.daemon.get(fmt.Sprintf("/processes/%d/runs", id), &got); err != nil {
		w.wrong("runs of %s: %v", job.Name, err)
		return
	}
	started := 0
	for _, run := range got.Runs {
		if run.StartedAt == nil {
			continue
		}
		started++
		state := text(run.ExitState)
		complete := run.Exit != nil && run.Exit.Code == job.Code() && (state == "success" || state == "failed")
		if !complete && state != "canceled" && !p.shaken.Load() {
			w.wrong("run %d of %s ends as %s with %+v, want code %d", run.Run, job.Name, state, run.Exit, job.Code())
		}
		for _, stream := range []string{"stdout", "stderr"} {
			var content []byte
			err := w.daemon.get(fmt.Sprintf("/processes/%d/runs/%d/%s", id, run.Run, stream), &content)
			if err == nil {
				err = job.verify(stream, string(content), complete)
			}
			if err != nil {
				w.wrong("%s of run %d of %s: %v", stream, run.Run, job.Name, err)
			}
		}
	}
	// A run that is killed as it starts may not have come to enter itself.
	if began > started || began < started-1 && !p.shaken.Load() {
		runs, _ := json.Marshal(got.Runs)
		w.wrong("%s has %d runs that started, and %d began: %s\n%s", job.Name, started, began, runs, w.ledger.of(job.Name))
	}
}
