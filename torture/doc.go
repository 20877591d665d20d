// Package torture has Reeve work under faults and checks that nothing is lost:
// the built binary as a daemon on a real data directory, by its socket, with
// commands that leave traces of their own.
//
// What a process really did is known from outside: a command appends a line to
// a ledger when it begins and writes lines that can be foretold, a program
// calls a tool of the harness. Records, events and output are held against
// that.
//
// One sort of test kills it under load, again and again. The other, the soak,
// lasts: a mix of everything Reeve runs, by clients of every sort, with crashes,
// restarts and upgrades in one half of the time and long lives in the other. It
// comes to rest every few seconds. Then all that was promised since is judged,
// old records are deleted and output is pruned, so that the same is left each
// time, and what Reeve holds is measured: of none of it may there be more and
// more (soakflat_test.go has the figures, and what each may grow by).
//
// All of it runs briefly with the other tests, and at length by "make torture"
// and "make soak"; these variables choose:
//
//	REEVE_SOAK              how long the soak lasts (1m)
//	REEVE_SOAK_JSON         the file that its report is written to, as JSON
//	REEVE_TORTURE_ROUNDS    how often the daemon is killed (3)
//	REEVE_TORTURE_KEEPER    how often the keeper is killed (2)
//	REEVE_TORTURE_COMMANDS  chatty commands that run at each kill (20)
//	REEVE_TORTURE_PROGRAMS  programs that run at each kill (20)
//	REEVE_TORTURE_CREATES   creates in flight at each kill (60)
//	REEVE_TORTURE_SEED      repeats the choices of a run that printed it
//	REEVE_BIN               the program, if it need not be built
package torture
