package rawlog

import "os"

// backing is where the bytes of one stream live while the run does. Offsets
// here are physical. Its log's lock guards it: create, handOut and close under
// the write lock, everything else under the read lock.
type backing interface {
	write(p []byte) error
	// readv reads at off into a, then b; fewer bytes than fit, without an
	// error, mean that there are no more.
	readv(a, b []byte, off int64) (int, error)
	size() (int64, error)
	punch(from, to int64) error
	// handOut returns the append-only descriptor for a child, nil where
	// there is none.
	handOut() (*os.File, error)
	// watchPath tells whether there may be writers other than write, and
	// the path by which they can be watched; empty: they must be polled.
	watchPath() (path string, writers bool)
	close() error
}
