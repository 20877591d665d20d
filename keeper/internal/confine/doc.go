// Package confine takes rights from the process that calls it, before it
// becomes, or starts, a program that shall not have them: see [Plan]. It says
// what it did and what the machine would not let it do, by the names in
// names.go; nothing is assumed to work because of a version.
//
// Nearly everything here is per thread on Linux, so the caller has locked
// itself to one, and the program inherits from that thread alone.
//
// It runs in a worker that is dispatched before the rest of the program is
// initialised (see package subreaper) and therefore imports only what that
// does: no fmt, no encoding, no x/sys.
package confine
