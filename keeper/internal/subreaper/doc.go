// Package subreaper is the small process that holds one job where no cgroup
// can: it is the job's parent and, as a child subreaper, inherits every
// descendant whose own parent dies, whatever session or group it moved to. So
// the job's tree is empty exactly when this process has no child left.
//
//	host ──fork──▶ subreaper ──fork──▶ leader ──▶ ... descendants
//	  ◀──messages──▶   ▲                               │
//	                   └────────── orphans ────────────┘
//
// It is a process of this same program under another name, dispatched before
// anything else runs (see [Name]), and may be started ahead of its job. Host
// and subreaper talk over a pair of sockets in [Message] values; what to start
// comes in a memory file, see [Order]. If the host dies, the socket closes and
// the subreaper kills everything. It never touches the job's output.
//
// The same worker confines jobs (see package confine): it does to itself what
// the order's plan says, and then starts the job, or becomes it ([Order].Exec)
// where a cgroup holds the tree. Born in a pid namespace it is that namespace's
// first process: it inherits every orphan by right, cannot be ended from
// inside, and takes all others with it.
package subreaper
