package command

import (
	"io"
	"os"
	"sync"

	"github.com/reeverun/reeve/env"
	"github.com/reeverun/reeve/process"
)

// output is a child's stdout and stderr. Where the host has files the child
// writes to them by itself; else a pipe is pumped into the host.
type output struct {
	child [2]*os.File // what the child gets
	pipes [2]*os.File // our ends; nil where the child has a file
	wg    sync.WaitGroup
}

func openOutput(h env.Host, merged bool) (*output, error) {
	o := &output{}
	for i, s := range []process.Stream{process.Stdout, process.Stderr} {
		if i == 1 && merged {
			o.child[1] = o.child[0]
			break
		}
		f, err := h.File(s)
		if err == nil && f == nil {
			o.pipes[i], f, err = os.Pipe()
		}
		if err != nil {
			o.closeChild()
			o.finish()
			return nil, err
		}
		o.child[i] = f
	}
	return o, nil
}

// closeChild closes what was opened for the child only.
func (o *output) closeChild() {
	for i, p := range o.pipes {
		if p != nil {
			o.child[i].Close()
		}
	}
}

// start pumps pipes into the host.
func (o *output) start(h env.Host) {
	for i, s := range []process.Stream{process.Stdout, process.Stderr} {
		if p := o.pipes[i]; p != nil {
			o.wg.Go(func() { pumpPipe(p, func(b []byte) { _ = h.Write(s, b) }) })
		}
	}
}

func pumpPipe(r io.Reader, write func([]byte)) {
	buf := make([]byte, 64<<10)
	for {
		n, err := r.Read(buf)
		if n > 0 {
			write(buf[:n])
		}
		if err != nil {
			return
		}
	}
}

// finish ends the pumps. The tree is empty, so a pipe's end is near; a
// survivor that holds one open must not keep the run from ending.
func (o *output) finish() {
	for _, p := range o.pipes {
		if p != nil {
			setReadDeadline(p)
		}
	}
	o.wg.Wait()
	for _, p := range o.pipes {
		if p != nil {
			p.Close()
		}
	}
}
