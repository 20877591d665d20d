// Package remote is the keeper process: one per directory, the parent of every
// command, which outlives the daemon that started it. The daemon talks to it as
// a [Client], which is a keeper.Spawner like any other.
//
//	daemon ── spawn, with descriptors ──▶ keeper ── fork ──▶ leader ──▶ …
//	       ── signal, kill, freeze ─────▶   │
//	       ◀── each change of each job ──   └── writes jobs/NAME
//
// The keeper starts and holds jobs by the in-process spawner, so that a job is
// the same thing in both. It keeps no output and no database. What it knows of
// a job it tells its client and writes to one small file; a job that was
// started is in its file before the client hears of it, and so is its end.
//
// # Who may die
//
// The daemon: its jobs go on. The next one connects, finds them in [Client.Jobs]
// and goes on with [Client.Adopt]; one that ended meanwhile has its exit kept.
//
// The keeper: what it left running in cgroups goes on and is adopted, by the
// client that is connected and by the next keeper; both know it by its cgroup
// and by (pid, start time, boot), so nobody is taken for a job who only has its
// number. How a leader ended is then known where the kernel tells it (Linux
// 6.15), else it is keeper.ErrLost. Under subreapers (no cgroups) jobs end with
// their keeper. What a keeper began and had no time to name is ended by the
// next. Terminals and input pipes end with their keeper.
//
// The machine: the end of a job is synced to the disk within a moment, unless
// the client has taken it over and released the job by then. A job that was
// running when the power was cut is lost, and said to be.
//
// If its disk is full, a keeper that cannot make a job's file refuses the start;
// one that cannot write a line goes on, and tells its client all the same.
//
// # Life of a keeper
//
// The first [Connect] starts it: this same program under other arguments, which
// package initialisation looks at. It is in a session of its own, out of reach
// of the terminal, with umask and resource limits as its starter had them. It
// holds a lock on its directory, serves this user and root alone, and one
// client at a time: a new one takes over. It ends by [Client.Shutdown], or by
// itself when it has had neither a client nor a running job for [Config.Idle];
// SIGTERM ends it at once if no job runs, and is ignored otherwise. Nothing is
// lost if it is killed while it holds no job.
//
// A service manager must not end it with the daemon: see KillMode=process of
// systemd.
//
// Linux only; elsewhere [Connect] answers errors.ErrUnsupported.
package remote
