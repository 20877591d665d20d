// Package kernel holds the process table and drives environments: it numbers,
// queues, starts, watches, ends and reaps processes, whatever runs inside.
// There is one process type, one state machine and one event log.
//
//	Spawn ─▶ store (durable) ─▶ queue ─▶ slot ─▶ environment.Execute
//	output: child ─▶ log file ─▶ pump ─▶ lines ─▶ interpreter ─▶ journal
//	exit:   Execute returns ─▶ logs read to their end ─▶ exit hook ─▶ outcome
//	        ─▶ journal (reaped, finalized) ─▶ waiters
//
// # One writer
//
// Whatever happens to a process becomes an entry of the journal: its events,
// numbered under the process's lock, and the record that results. The
// journal's single goroutine commits what has gathered in one transaction,
// then publishes it, in order, to subscribers and to readers of the record.
// So nothing is seen by anyone before it is durable, and a crash never takes
// back what was seen.
//
// # Locks
//
// proc.mu guards one process; it is never held while calling an environment,
// an interpreter, a signal handler or the store. proc.pausing makes pauses and
// resumes of one process take turns; it alone is held while the environment does
// them and while they are committed. proc.remembering makes what is added to one
// transcript take turns; it alone is held while the store is asked how far that
// goes. The order is proc.pausing, proc.remembering, table.mu, proc.mu,
// scheduler.mu, journal.mu, feed.mu, sampler.mu, census.mu, and tracers.mu, Trace.mu last; each may be
// taken under the ones before it, never the other way round.
//
// # Signals
//
// A signal is blocked (then it is pending, once), handled, or does what it does
// by default: which, is decided under one hold of proc.mu. SIGTERM and SIGINT go
// to the program where the environment passes them on, and else cancel the run;
// SIGPAUSE and SIGRESUME hold it and let it go on; SIGKILL kills whatever else
// was decided. What a kernel call on a process answers is a
// *process.SyscallError around the error that says what to do.
//
// # Input
//
// A run whose environment takes input (env.Interactor) can be written to while
// it executes. Input passes through: nothing of it is recorded or kept.
//
// # Reaping
//
// A run that is over is released in the order of seed 003, once, each step noted
// as it is done, and told in its reaped event: orphans, cancel, wait, debug,
// context, dead, remove. PID 0 is the kernel's init: it owns what is orphaned
// and reaps it.
//
// # Hosts come and go
//
// A host that closes leaves queued runs queued, leaves those running that go on
// without a host (env.Reattacher), and leaves paused ones whose environment can go
// on from what it remembered (env.Resumable) paused. The next host takes them up;
// of what else was under way it says that the host exited. Supervisors are left
// before what is below them, and executed again when all of that is settled.
//
// # Errands
//
// A run that calls a tool or waits for a child is out on an errand: it holds no
// slot, and takes one again, without waiting for it, when it is back from the
// last. A call that a person decides makes an approval; until that is decided,
// expired or canceled the run's clock stands still, as in a pause. An approval
// changes by the journal like everything else: it can be seen when it is
// stored, and a decision counts when it is. A run's end ends its errands.
//
// # Who is told
//
// The end of a run whose process has a Notify is stored together with the
// notification that tells it: neither is there without the other. Sending it is
// not the kernel's.
//
// # Budgets
//
// A run with a budget has an account, and so is what was started below it
// accounted for: charges go up from account to account, whoever of the tree is
// still alive. What is used up is ended, children first, or paused and asked
// for. ledger.mu guards all accounts; it may be taken under any other lock, and
// none under it.
//
// # What runs use
//
// One goroutine, the sampler, looks at runs whose environment can tell what they
// use (env.Sampler), in steps that grow with the run, and more often while
// somebody lists processes. What it saw is stored with the run's end. Of others,
// agents for one, it is kept when they spent their tokens.
//
// # Numbers
//
// The census counts processes of each sort: once by the store, when somebody
// first asks, and then by what the journal commits.
//
// # Subscribers
//
// A feed keeps a bounded window of what was published. A subscriber replays
// from the store and the log files until it stands in the window, then reads
// the window. One that falls out of it is told so by a lagged event and goes
// on; nobody waits for it. Those who leave lines of output out have a window of
// their own, without any.
package kernel
