package kernel

import (
	"errors"
	"unicode/utf8"

	"github.com/reeverun/reeve/process"
	"github.com/reeverun/reeve/rawlog"
)

// MaxTail is how much of a stream is shown beside a record.
const MaxTail = 64 << 10

// Tails returns the ends of both streams of a process's newest run, at most
// MaxTail of each. What was not kept is empty: the byte counts of the record
// tell what there was.
func (k *Kernel) Tails(p *process.Process) (stdout, stderr []byte, err error) {
	if p.StdoutBytes == 0 && p.StderrBytes == 0 {
		return nil, nil, nil
	}
	o, err := k.openRun(p.ID, &p.Run)
	if err != nil {
		if errors.Is(err, process.ErrNotKept) {
			err = nil
		}
		return nil, nil, err
	}
	defer o.Close()
	return tailOf(o, rawlog.Stdout), tailOf(o, rawlog.Stderr), nil
}

// tailOf reads a stream's end, from behind its last hole.
func tailOf(o Output, s rawlog.Stream) []byte {
	end := o.Size(s)
	from := max(0, end-MaxTail)
	for _, h := range o.Holes(s) {
		if h.To > from && h.To <= end {
			from = h.To
		}
	}
	b := make([]byte, end-from)
	n, _ := o.ReadAt(s, b, from)
	b = b[:n]
	if from > 0 { // not in the middle of a character
		for i := 0; i < utf8.UTFMax && len(b) > 0 && !utf8.RuneStart(b[0]); i++ {
			b = b[1:]
		}
	}
	return b
}
