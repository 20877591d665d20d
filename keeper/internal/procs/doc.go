// Package procs reads what the kernel says about processes, and signals them
// without trusting a bare pid: a process is known by (pid, start time), which
// no other process will ever have, and on Linux pinned by a pidfd while it is
// signalled.
//
// On Linux it imports the standard library only, and little of it: the early
// dispatch of the subreaper must not wait for other packages to initialise.
package procs
