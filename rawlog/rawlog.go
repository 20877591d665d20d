// Package rawlog keeps what a run writes to stdout and stderr: exact bytes, one
// log per stream, and beside them an index that maps event numbers to bytes.
//
// A child process writes its streams by itself, through append-only
// descriptors ([Log.File]); an environment that has chunks in hand uses
// [Log.Append]. One goroutine, the pump, reads both streams to their end while
// they grow. Readers replay, at any time.
//
//	child ──O_APPEND──▶ <dir>/<id>/<run>.stdout ◀── pump: Read, Index, Consumed, Arm
//	                    <dir>/<id>/<run>.stderr ◀── Reader (any number)
//	                    <dir>/<id>/<run>.idx         entries, holes, shifts
//
// # Who may call what
//
// [Logs] and [Reader] are safe for concurrent use. Of a [Log], Read, Consumed,
// Arm and Truncated belong to the pump: one goroutine at a time, which has ended
// when Finish is called. Index is called by one goroutine at a time too, not
// necessarily the pump. Everything else may be called by anyone, at any time;
// after Finish, File and Append fail with [ErrFinished]. Descriptors given out by File
// are closed by Finish, or by [Logs.Close], which ends nothing else: a log that was
// live then is taken up again by [Logs.Recover]. A Reader is closed by whoever
// opened it; it survives the Finish and, with [ErrNotKept], the removal of its
// log.
//
// # Offsets
//
// All offsets are logical: they count the bytes a stream ever carried. A log
// over its cap loses its middle, a program that truncates its own stdout loses
// what was there; offsets go on as if nothing had happened and the lost range
// becomes a hole. Holes begin and end at entry borders where there are any.
// Entries whose bytes all lie in a hole may be missing: the gap in their
// numbers tells.
//
// # Durability
//
// Index has written before it returns, so that a replay after a crash of the
// host numbers lines the same. Nothing is synced to the disk but compressed
// logs, before their originals are removed: bytes survive a crash of their host
// and not, for sure, a power cut.
package rawlog

import (
	"errors"
	"strconv"
)

// Errors that callers tell apart.
var (
	ErrNotKept  = errors.New("log is not kept")
	ErrHole     = errors.New("bytes were dropped")
	ErrFinished = errors.New("log is finished")
	ErrNoDir    = errors.New("no log directory is configured")
	ErrCorrupt  = errors.New("log is corrupt")
)

// Stream is one of a run's two outputs.
type Stream uint8

// The streams.
const (
	Stdout Stream = iota
	Stderr
)

// String is the stream's name, and the suffix of its file.
func (s Stream) String() string {
	switch s {
	case Stdout:
		return "stdout"
	case Stderr:
		return "stderr"
	}
	return "stream(" + strconv.Itoa(int(s)) + ")"
}

// Policy says what is kept of a run's output.
type Policy uint8

// The policies.
const (
	KeepFile    Policy = iota // files
	KeepGzip                  // files, compressed by Finish
	KeepMemory                // in memory, up to Config.MemoryCap per stream
	KeepNothing               // what was read is dropped
)

// OnDisk tells whether p needs a directory.
func (p Policy) OnDisk() bool { return p == KeepFile || p == KeepGzip }

// Config says where logs live and how large they grow. The zero value keeps
// nothing on disk.
type Config struct {
	Dir       string // logs are <Dir>/<id>/<run>.stdout and so on; made when needed
	Cap       int64  // per stream on disk; 0: 1 GiB
	MemoryCap int64  // per stream under KeepMemory; 0: 1 MiB
}

// Entry says that the bytes [Offset, Offset+Len) of a stream hold Count lines,
// numbered Seq to Seq+Count-1 within their process and Cursor to
// Cursor+Count-1 globally.
type Entry struct {
	Seq, Cursor int64
	Stream      Stream
	Offset, Len int64
	Count       int
	At          int64 // unix nanoseconds
}

// end is the offset after the entry's last byte.
func (e Entry) end() int64 { return e.Offset + e.Len }

// Span is a half-open range of logical offsets.
type Span struct{ From, To int64 }

// Len is the number of bytes in the span.
func (s Span) Len() int64 { return s.To - s.From }

func (s Span) contains(off int64) bool { return off >= s.From && off < s.To }

// Marker is the text shown in place of n dropped bytes.
func Marker(n int64) string {
	return "[reeve: " + strconv.FormatInt(n, 10) + " bytes dropped]"
}
