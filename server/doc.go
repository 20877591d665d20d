// Package server is Reeve's HTTP API: it turns requests into calls of a
// reeve.Runtime and its values into answers. It owns no process and no socket:
// package daemon gives it listeners, and a runtime that outlives it.
//
// One table (routes.go) describes every route: path, parameters, body, answers,
// scope. Requests are checked by it, and /openapi.json and /docs are made of it,
// so that what is served and what is described cannot differ.
//
//	request ─▶ host, origin, token ─▶ mux ─▶ slot ─▶ parameters and body checked ─▶ handler ─▶ Runtime
//
// Every answer that is not a success is {"error": sentence, "code": name}; codes
// of process.Error become statuses in errors.go and nowhere else. Whatever a
// client sends, it is not answered with a 500.
//
// A request that waits (block, follow, events) waits for the runtime's own
// events, gives up its slot, and costs nothing but its connection. When its
// client goes away it ends, and ends nothing else.
package server
