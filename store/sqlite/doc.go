// Package sqlite is Reeve's durable store: one SQLite file, in WAL mode with
// synchronous=FULL, so that what Apply has acknowledged survives the power
// going off.
//
// One connection writes, guarded by a mutex, with prepared statements; a small
// pool of connections only reads and never waits for the writer. The caller
// batches (see package store): a commit costs one sync however many changes
// it holds.
//
//	marks       the highest numbers ever used             one row
//	processes   state and newest run                      one row a process, changes
//	 ├─ specs     what was asked for, code, sealed secrets  one row, never changes
//	 ├─ tags      (tag, process)                            one row a tag
//	 ├─ runs      earlier runs                              one row a run
//	 ├─ events    the events of one change, as JSON         one row a change
//	 ├─ findings  findings among the events                 one row a finding
//	 ├─ approvals tool calls a person decides               one row a call
//	 ├─ messages  an agent's transcript                     one row a message, never changes
//	 ├─ series    what a run used as time went by           one row a run that lasted
//	 └─ notifications  who is told that a run is over       one row a run, with its end
//
// What is filtered or ordered by is a column, the rest is one JSON text a row:
// writing is what this store does most, and each index costs every job. Every
// list is a walk along an index in the order of ids, from the page's start to
// its end, so its cost does not grow with the table (list.go). Clocks may be
// set back, ids may not; how far the two ever disagreed is kept in marks, which
// makes a search by time a search by id (drift.go).
//
// There are no foreign keys: they would cost a lookup for every event, and
// there is one place that deletes (delete.go).
//
// Secrets, the values of Command.Env and Command.StdinData, the parameters of
// calls that a person decides, what transcripts say and whom a Notify names and
// how it signs, are stored sealed and nowhere else, the write-ahead log included; their names are not secret.
// Process and Unsettled open them. Processes, the list, does not: there each
// secret is process.Redacted.
//
// The schema has a number, PRAGMA user_version. Open brings an older file
// forward, step by step (migrations/*.sql), and refuses a newer one, or a file
// that is not Reeve's, without touching it.
package sqlite
