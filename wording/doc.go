// Package wording says in plain words what records, events and numbers mean, for
// everything that shows them to people: the command line and the terminal
// dashboard. What others wrote (labels, commands, messages) comes out of it
// unable to move a cursor.
package wording
