// Package e2e holds the black-box acceptance suite of the HTTP API. It knows
// the public contract, not the code: it builds the test binary (the real one
// plus the scriptable environments "fake" and "typescript") and, for what
// concerns programs, tools and approvals, the program as it is shipped, starts
// real daemons on real sockets and talks plain HTTP to them.
//
// Tests that need nothing of their own share one daemon; the others start
// theirs. Every daemon has its own data, temporary and home folder, is stopped
// by SIGTERM and must then exit with 0 and leave no process, cgroup or
// temporary file behind; a data race reported by any of them fails the suite.
// Every answer that any test gets must be described by /openapi.json.
//
// The folder npm holds independent tools the API is held against. Without node
// and npm those tests are skipped, except in CI.
package e2e
