package server

import (
	"cmp"
	"net/http"
	"strconv"

	"github.com/reeverun/reeve/api"
	"github.com/reeverun/reeve/process"
)

func (q *request) approvals() error {
	query := process.ApprovalQuery{State: process.ApprovalState(q.query("state"))}
	query.Limit, _ = strconv.Atoi(q.query("limit")) // checked
	query.Limit = cmp.Or(query.Limit, process.DefaultLimit)
	if v := q.query("process"); v != "" {
		n, _ := strconv.ParseInt(v, 10, 64) // checked
		query.Process = process.ID(n)
	}
	if v := q.query("cursor"); v != "" {
		before, err := process.ParseApprovalID(v)
		if err != nil {
			return process.Invalid("cursor", "%q is not a cursor of this list", shorten(v))
		}
		query.Before = before
	}
	page := api.Approvals{Approvals: []process.Approval{}}
	found, err := q.s.rt.Approvals(q.r.Context(), query)
	if err != nil {
		return err
	}
	page.Approvals = append(page.Approvals, found...)
	if len(found) == query.Limit {
		query.Before, query.Limit = found[len(found)-1].ID, 1
		rest, err := q.s.rt.Approvals(q.r.Context(), query)
		if err != nil {
			return err
		}
		if cursor := query.Before.String(); len(rest) > 0 {
			page.NextCursor = &cursor
		}
	}
	return q.answer(http.StatusOK, page)
}

// noApproval answers who asks for one and names none.
func (q *request) noApproval() error {
	_, err := process.ParseApprovalID("")
	return err
}

func (q *request) approval() error {
	id, err := process.ParseApprovalID(q.r.PathValue("id"))
	if err != nil {
		return err
	}
	a, err := q.s.rt.Approval(q.r.Context(), id)
	if err != nil {
		return err
	}
	return q.answer(http.StatusOK, a)
}

func (q *request) approve() error { return q.decide(true) }

func (q *request) deny() error { return q.decide(false) }

// decide takes a person's decision. Who that is the token says.
func (q *request) decide(approve bool) error {
	id, err := process.ParseApprovalID(q.r.PathValue("id"))
	if err != nil {
		return err
	}
	var body api.Decision
	if _, err := q.decode(&body); err != nil {
		return err
	}
	by := q.grant().token
	a, err := q.s.rt.Decide(q.r.Context(), id, approve, cmp.Or(by.Name, by.ID), body.Reason)
	if err != nil {
		return err
	}
	q.s.log.Info("approval decided", "approval", int64(id), "process", int64(a.Process), "tool", a.Service+"/"+a.Tool,
		"state", string(a.State), "token", by.ID)
	return q.answer(http.StatusOK, a)
}
