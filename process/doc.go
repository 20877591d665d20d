// Package process is Reeve's domain: what a process is, which states it may
// be in, what happened to it, and the errors a caller can match. It holds
// values and the rules about them, nothing that runs, and imports the
// standard library only; every other package speaks in its terms.
//
// A [Process] is the durable thing a client names. Each execution of it is a
// [Run], numbered from 1. What happens to it is told by [Event] values,
// numbered per process without gaps.
//
//	lifecycle of a run      created ──▶ running ──▶ zombie ──▶ dead
//	state a client sees     idle/queued  running     idle       idle
//	                                     terminating
package process
