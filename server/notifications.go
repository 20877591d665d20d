package server

import (
	"cmp"
	"net/http"
	"strconv"

	"github.com/reeverun/reeve/api"
	"github.com/reeverun/reeve/process"
)

func (q *request) notifications() error {
	rec, err := q.process()
	if err != nil {
		return err
	}
	limit, _ := strconv.Atoi(q.query("limit")) // both checked by the route
	before, _ := strconv.Atoi(q.query("cursor"))
	limit = cmp.Or(limit, process.DefaultLimit)
	found, err := q.s.rt.Notifications(q.r.Context(), rec.ID, before, limit+1)
	if err != nil {
		return err
	}
	page := api.Notifications{Notifications: []process.NotificationRecord{}}
	for i := range found[:min(limit, len(found))] {
		page.Notifications = append(page.Notifications, found[i].Record(rec.Notify))
	}
	if len(found) > limit {
		page.NextCursor = cursor(strconv.Itoa(found[limit-1].Run))
	}
	return q.answer(http.StatusOK, page)
}

func (q *request) renotify() error {
	rec, err := q.process()
	if err != nil {
		return err
	}
	run, err := q.run()
	if err != nil {
		return err
	}
	n, err := q.s.rt.Renotify(q.r.Context(), rec.ID, run)
	if err != nil {
		return err
	}
	return q.answer(http.StatusOK, n.Record(rec.Notify))
}
