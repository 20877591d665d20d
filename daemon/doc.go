// Package daemon runs Reeve as a service: it opens the runtime, serves the API
// on TCP and on a unix socket, and ends in order.
//
//	tokens checked ─▶ TCP bound ─▶ tool file read ─▶ runtime opened (owner lock)
//	─▶ services of tools started ─▶ socket bound ─▶ served ─▶ ready
//
// The port is bound before the runtime is opened, because opening it starts
// what was queued: a daemon that cannot serve must not have started anything.
// The socket comes after, because whoever holds the owner lock knows that a
// socket found in the data directory is a dead daemon's. A tool file with a
// mistake keeps the daemon from starting, a service that cannot be reached does
// not: it is tried again.
//
// The first SIGINT, SIGTERM or SIGHUP, or the end of the context, stops it:
//
//	no new processes (503) ─▶ what runs is ended (SIGTERM, grace, SIGKILL)
//	─▶ waiting requests and streams end ─▶ listeners close ─▶ services of tools end
//	─▶ files removed
//
// A daemon can give its place to another (package handover, --replace): it then
// serves until the other has its listening sockets, shuts its doors, ends as
// above, keeping the sockets, and exits when the other serves. If that fails it
// opens again.
//
// Reads are answered until the listeners close. When the time for that is over
// (stop-timeout), or at a second signal, what still runs is killed at once. In
// either case nothing is left running, and queued processes stay queued for the
// next daemon.
package daemon
