// Package powercut finds out what a power cut would leave of a folder. It is
// for tests only.
//
// A program runs as a traced child, and each of its writes, syncs, renames and
// so on below a folder is recorded, together with what it acknowledges on
// standard output. From the record a folder can be made as a cut at any point
// might leave it:
//
//	what was synced before the cut          is there
//	what was written and not synced         is there, is not, or in part:
//	                                        any of its sectors may be missing
//	names that were made, moved or removed  up to some point, in their order;
//	without a sync of their folder          each folder by itself
//
// That is harsher than what file systems do, and allowed by what they promise.
// Shared memory of SQLite (-shm) is left out: it is made anew after a crash.
//
// The child calls [Enlist] first, which has the kernel stop it at the system
// calls of interest, and at those only. Linux on amd64 and arm64.
package powercut
