// Package tui is the terminal dashboard, "reeve top".
//
// It shows what a [Source], the HTTP API, tells and does what a person asks of
// it; it decides nothing by itself. An event says that a process has changed,
// whereupon its record is fetched again: the daemon's record is the truth.
//
// [Model] is a pure machine: messages in, a screen out. Input and output happen in
// commands, which [Run] owns, together with two kinds of goroutine: the feed,
// which reads the events of all processes, and the follower, which reads the
// output or the events of the process that is looked at. When Run returns, they
// have all ended.
//
// Bytes of others are never passed to the terminal: of a program's output colours
// and printable characters are kept, of labels and messages the latter only.
package tui
