// Package handover is how a daemon gives its place to the next one: what both
// say to each other over the daemon's unix socket, and how the sockets on which
// it listens change hands.
//
//	new ── POST /handover, who it is ──────────▶ old
//	    ◀── 101, hello: what it listens on ─────
//	    ── begin ──────────────────────────────▶      it could serve
//	    ◀── take, with the sockets ─────────────      its programs have ended
//	    ── taken ──────────────────────────────▶      from here on it answers no more
//	    ◀── released ───────────────────────────      the data directory is free
//	    ── serving ────────────────────────────▶      and exits
//
// Each message is one line of JSON. The socket's mode keeps other users out, and
// the kernel is asked who is there, too.
//
// Up to "taken" either side may go, and the old daemon serves as before. If the
// new one goes after that, or says "failed", the old one, which has kept the
// sockets, takes its place again; if the old one goes, the new one has all it
// needs. Whoever connects between "taken" and "serving" waits in the queue of
// the listening socket, which both have.
//
// Descriptors can be handed over on Linux and macOS.
package handover
