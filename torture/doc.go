// Package torture kills Reeve under load, again and again, and checks that
// nothing was lost: the built binary as a daemon on a real data directory, by
// its socket, with commands that leave traces of their own.
//
// What a process really did is known from outside: a command appends a line to
// a ledger when it begins and writes lines that can be foretold, a program
// calls a tool of the harness. Records, events and output are held against
// that. It runs briefly with the other tests and at length by "make torture";
// these variables choose:
//
//	REEVE_TORTURE_ROUNDS    how often the daemon is killed (3)
//	REEVE_TORTURE_KEEPER    how often the keeper is killed (2)
//	REEVE_TORTURE_COMMANDS  chatty commands that run at each kill (20)
//	REEVE_TORTURE_PROGRAMS  programs that run at each kill (20)
//	REEVE_TORTURE_CREATES   creates in flight at each kill (60)
//	REEVE_TORTURE_SEED      repeats the choices of a run that printed it
//	REEVE_TORTURE_BINARY    the program, if it need not be built
package torture
