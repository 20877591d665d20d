// Package api holds what travels over HTTP: request bodies, answers and the
// paths they belong to, as Go types. The server is described by them and the
// client speaks in them, so that there is one definition of the wire. Records
// and events are the domain's own (process.Record, process.Event).
//
// The tags doc, minimum, enum and so on are read by the server, which makes its
// validation and its OpenAPI description of them.
package api
