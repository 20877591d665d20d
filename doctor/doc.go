// Package doctor finds out what this machine gives Reeve for this user: how
// surely process trees are held, which limits and sandbox parts are available,
// and whether the data directory is fit. [Probe] answers with a [Report], a
// flat list of checks, each with a status, what it means and what to do.
//
// Features are tried, not looked up: a version number or a file tells less than
// doing it. What confines for good is tried on an operating system thread that
// is thrown away, what needs a process on a child that never executes a
// program, what needs a folder on one that is removed. Nothing of the calling
// process changes, and nothing stays behind.
package doctor
