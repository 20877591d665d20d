// Package cli is Reeve's command line. Each command is a small file: it reads
// its flags, speaks to the daemon through package client, and renders what came
// back. All it needs of the world is in [App], so that tests can run whole
// command lines in-process.
//
// Exit codes: the job's own for run, exec, rerun and wait (128+n for a signal,
// 124 timeout, 130 canceled), else 0 ok, 1 failure, 2 usage. Standard output
// carries results only; everything Reeve itself has to say goes to standard
// error as "reeve: …".
package cli
