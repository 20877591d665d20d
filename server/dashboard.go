package server

// dashboard answers with the page for browsers.
func (q *request) dashboard() error {
	q.s.site.Index(q.w, q.r)
	return nil
}

// dashboardFile answers with one of its files.
func (q *request) dashboardFile() error {
	if !q.s.site.Asset(q.w, q.r, q.r.PathValue("file")) {
		return noRoute(q.r)
	}
	return nil
}
