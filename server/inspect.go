package server

import (
	"context"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/reeverun/reeve/api"
	"github.com/reeverun/reeve/process"
)

func (q *request) noID() error { return process.Invalid("id", "is empty: want a whole number from 1") }

// process returns the process that the path names.
func (q *request) process() (*process.Process, error) {
	id, err := q.id()
	if err != nil {
		return nil, err
	}
	return q.s.rt.Process(q.r.Context(), id)
}

func (q *request) show() error {
	rec, err := q.process()
	if err != nil {
		return err
	}
	return q.answerRecord(http.StatusOK, rec)
}

// answerProcess answers the record of a process as it is now.
func (q *request) answerProcess(status int, id process.ID) error {
	rec, err := q.s.rt.Process(q.r.Context(), id)
	if err != nil {
		return err
	}
	return q.answerRecord(status, rec)
}

// answerRecord answers a whole record, in the terms of the route.
func (q *request) answerRecord(status int, rec *process.Process) error {
	if q.route.mci {
		return q.answer(status, mciOf(rec))
	}
	return q.answer(status, q.s.record(q.r.Context(), rec))
}

// record is a whole record: with the ends of both streams.
func (s *Server) record(ctx context.Context, p *process.Process) process.Record {
	r := p.Record()
	out, errs := s.tails(p)
	r.Stdout, r.Stderr = &out, &errs
	return r
}

func (q *request) list() error {
	query, err := q.listQuery()
	if err != nil {
		return err
	}
	include, err := q.include()
	if err != nil {
		return err
	}
	query.NoCode = !slices.Contains(include, "code")
	if len(include) > 0 {
		return q.longList(query, include)
	}
	page, err := q.s.rt.Processes(q.r.Context(), query)
	if err != nil {
		return err
	}
	if q.route.mci {
		return q.answer(http.StatusOK, mciPage(page.Processes))
	}
	list := api.List{Processes: make([]process.Record, len(page.Processes))}
	for i := range page.Processes {
		list.Processes[i] = q.s.item(q.r.Context(), &page.Processes[i], include)
	}
	list.NextCursor = cursor(page.Next)
	return q.answer(http.StatusOK, list)
}

// maxPage bounds what a page includes: a page may have fewer items than asked
// for, but always one.
const maxPage = 8 << 20

// longList answers with items that include what is long, a few at a time, until
// the page is full by number or by bytes.
func (q *request) longList(query process.Query, include []string) error {
	const few = 10
	list := api.List{Processes: []process.Record{}}
	want, bytes := query.Limit, 0
	for {
		query.Limit = min(few, want-len(list.Processes))
		page, err := q.s.rt.Processes(q.r.Context(), query)
		if err != nil {
			return err
		}
		for i := range page.Processes {
			r := q.s.item(q.r.Context(), &page.Processes[i], include)
			list.Processes = append(list.Processes, r)
			bytes += included(&r)
			if bytes >= maxPage || len(list.Processes) == want {
				if i < len(page.Processes)-1 || page.Next != "" {
					list.NextCursor = cursor(r.ID.String())
				}
				return q.answer(http.StatusOK, list)
			}
		}
		if query.Cursor = page.Next; page.Next == "" {
			return q.answer(http.StatusOK, list)
		}
	}
}

// included counts the bytes of what is long.
func included(r *process.Record) (n int) {
	for _, s := range []*string{r.Code, r.Stdout, r.Stderr} {
		if s != nil {
			n += len(*s)
		}
	}
	return n
}

func cursor(next string) *string {
	if next == "" {
		return nil
	}
	return &next
}

// item is a record in a list: what is long is left out unless asked for.
func (s *Server) item(ctx context.Context, p *process.Process, include []string) process.Record {
	r := p.Record()
	asked := func(name string) bool { return slices.Contains(include, name) }
	if !asked("code") {
		r.Code = nil
	}
	if !asked("output") {
		r.Output = nil
	}
	if asked("stdout") || asked("stderr") {
		out, errs := s.tails(p)
		if asked("stdout") {
			r.Stdout = &out
		}
		if asked("stderr") {
			r.Stderr = &errs
		}
	}
	return r
}

func (q *request) listQuery() (process.Query, error) {
	f := process.Query{Ref: q.query("ref"), Tag: q.query("tag"), Environment: q.query("environment"),
		Cursor: q.query("cursor"), Text: q.query("text"), Paused: q.flag("paused")}
	// Checked already, by the route.
	for _, v := range listed(q.query("state")) {
		f.States = append(f.States, process.State(v))
	}
	for _, v := range listed(q.query("status")) {
		status, _ := process.ParseExitState(v)
		f.Statuses = append(f.Statuses, status)
	}
	for _, v := range listed(q.query("ids")) {
		id, _ := strconv.ParseInt(v, 10, 64)
		f.IDs = append(f.IDs, process.ID(id))
	}
	f.Limit, _ = strconv.Atoi(q.query("limit"))
	parent, _ := strconv.ParseInt(q.query("parent"), 10, 64)
	f.Parent = process.ID(parent)
	if v := q.query("since"); v != "" {
		f.Since, _ = parseTime(v)
	}
	if v := q.query("until"); v != "" {
		f.Until, _ = parseTime(v)
	}
	return f.Normalize()
}

func (q *request) include() ([]string, error) {
	v := q.query("include")
	if v == "" {
		return nil, nil
	}
	known := []string{"code", "output", "stdout", "stderr"}
	parts := strings.Split(v, ",")
	for i, p := range parts {
		parts[i] = strings.TrimSpace(p)
		if !slices.Contains(known, parts[i]) {
			return nil, process.Invalid("include", "%q cannot be included: want %s", parts[i], strings.Join(known, ", "))
		}
	}
	return parts, nil
}

func (q *request) runs() error {
	id, err := q.id()
	if err != nil {
		return err
	}
	runs, err := q.s.rt.Runs(q.r.Context(), id)
	if err != nil {
		return err
	}
	all := api.Runs{Runs: make([]process.RunRecord, len(runs))}
	for i := range runs {
		all.Runs[i] = runs[i].Record()
	}
	return q.answer(http.StatusOK, all)
}

func (q *request) oneRun() error {
	run, _, err := q.named()
	if err != nil {
		return err
	}
	return q.answer(http.StatusOK, run.Record())
}

// named returns the run that the path names, the newest where it names none,
// and whether it is over.
func (q *request) named() (run process.Run, over bool, err error) {
	rec, err := q.process()
	if err != nil {
		return run, false, err
	}
	n, err := q.run()
	if err != nil {
		return run, false, err
	}
	if n == 0 || n == rec.Number {
		return rec.Run, rec.State == process.Idle, nil
	}
	runs, err := q.s.rt.Runs(q.r.Context(), rec.ID)
	if err != nil {
		return run, false, err
	}
	i := slices.IndexFunc(runs, func(r process.Run) bool { return r.Number == n })
	if i < 0 {
		return run, false, process.Errorf(process.CodeNotFound, "process %d has no run %d", rec.ID, n)
	}
	return runs[i], true, nil
}

func (q *request) tree() error {
	rec, err := q.process()
	if err != nil {
		return err
	}
	root := api.Tree{Record: q.s.record(q.r.Context(), rec)}
	if err := q.s.grow(q.r.Context(), &root, maxDepth); err != nil {
		return err
	}
	return q.answer(http.StatusOK, root)
}

// maxDepth is how many levels of a tree are shown: readers of JSON have limits.
const maxDepth = 1000

// grow fills in the children of a node, and theirs, oldest first.
func (s *Server) grow(ctx context.Context, node *api.Tree, levels int) error {
	node.Children = []api.Tree{}
	if levels == 0 {
		return nil
	}
	for query := (process.Query{Parent: node.ID, Limit: process.MaxLimit, NoCode: true}); ; {
		page, err := s.rt.Processes(ctx, query)
		if err != nil {
			return err
		}
		for i := range page.Processes {
			node.Children = append(node.Children, api.Tree{Record: s.item(ctx, &page.Processes[i], nil)})
		}
		if page.Next == "" {
			break
		}
		query.Cursor = page.Next
	}
	slices.Reverse(node.Children)
	for i := range node.Children {
		if err := s.grow(ctx, &node.Children[i], levels-1); err != nil {
			return err
		}
	}
	return nil
}

func (q *request) transcript() error {
	rec, err := q.process()
	if err != nil {
		return err
	}
	if rec.Environment != process.EnvAgent {
		return process.Errorf(process.CodeNotFound, "process %d has no transcript: it is not an agent", rec.ID)
	}
	after, _ := strconv.ParseInt(q.query("after"), 10, 64) // checked by the route
	messages, err := q.s.rt.Transcript(q.r.Context(), rec.ID, after, q.limit())
	if err != nil {
		return err
	}
	page := api.Transcript{Messages: messages, Next: after}
	if n := len(messages); n > 0 {
		page.Next = messages[n-1].Number
	} else {
		page.Messages = []process.Message{}
	}
	return q.answer(http.StatusOK, page)
}
