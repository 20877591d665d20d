package powercut

import (
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// sector is what a disk writes as a whole.
const sector = 512

type kind int

const (
	write    kind = iota // data at off
	truncate             // to size off
	sync                 // of a file, or of a folder's names
	create               // a file, or a folder
	link                 // another name of a file
	rename
	remove
	acknowledge
)

// op is one thing the program did.
type op struct {
	kind     kind
	file     *file
	off      int64
	data     []byte
	began    int // of a sync: ops before it are covered
	name, to entry
	ack      string
}

// entry is a name in a folder.
type entry struct {
	folder *file
	base   string
}

// file is what a name stands for. Identity is the pointer.
type file struct{ folder bool }

// tree is what names stand for, by folder.
type tree map[*file]map[string]*file

func (t tree) put(e entry, f *file) {
	if t[e.folder] == nil {
		t[e.folder] = map[string]*file{}
	}
	t[e.folder][e.base] = f
}

func (t tree) drop(e entry) { delete(t[e.folder], e.base) }

// Log is what a program did, in order.
type Log struct {
	root *file
	ops  []op
}

// Len is the number of points at which the power can be cut, less one: from 0,
// before anything was done, to Len.
func (l *Log) Len() int { return len(l.ops) }

// Acknowledged returns the lines that were printed before a cut.
func (l *Log) Acknowledged(cut int) []string {
	var b strings.Builder
	for _, o := range l.ops[:cut] {
		b.WriteString(o.ack)
	}
	lines := strings.SplitAfter(b.String(), "\n")
	lines = lines[:len(lines)-1] // the last one is empty, or was not finished
	for i := range lines {
		lines[i] = strings.TrimSuffix(lines[i], "\n")
	}
	return lines
}

// Mode says how much of what was not synced is left.
type Mode int

// The modes.
const (
	Nothing Mode = iota
	Everything
	Something // by chance
	Modes
)

// Make fills dir with what a cut leaves of the folder.
func (l *Log) Make(dir string, cut int, m Mode, rng *rand.Rand) error {
	return l.fill(dir, l.root, l.names(cut, m, rng), func(f *file) []byte { return l.content(f, cut, m, rng) })
}

func (l *Log) fill(dir string, folder *file, names tree, content func(*file) []byte) error {
	for _, base := range slices.Sorted(maps.Keys(names[folder])) { // by name: chance is to be repeatable
		f, path := names[folder][base], filepath.Join(dir, base)
		if !f.folder {
			if err := os.WriteFile(path, content(f), 0o600); err != nil {
				return err
			}
			continue
		}
		if err := os.Mkdir(path, 0o700); err != nil {
			return err
		}
		if err := l.fill(path, f, names, content); err != nil {
			return err
		}
	}
	return nil
}

// names are those that a cut leaves.
func (l *Log) names(cut int, m Mode, rng *rand.Rand) tree {
	upTo := map[*file]int{} // by folder: its ops before are on the disk
	var folders []*file
	last := map[*file]int{}
	for i := range l.ops[:cut] {
		o := &l.ops[i]
		switch folder := o.folder(); {
		case o.kind == sync:
			upTo[o.file] = max(upTo[o.file], o.began)
		case folder != nil:
			if last[folder] == 0 {
				folders = append(folders, folder)
			}
			last[folder] = i + 1
		}
	}
	for _, folder := range folders {
		more := max(0, last[folder]-upTo[folder])
		switch m {
		case Everything:
			upTo[folder] += more
		case Something:
			upTo[folder] += rng.IntN(more + 1)
		}
	}
	names := tree{}
	for i := range l.ops[:cut] {
		o := &l.ops[i]
		if folder := o.folder(); folder == nil || i >= upTo[folder] {
			continue
		}
		switch o.kind {
		case create:
			names.put(o.name, o.file)
		case link:
			names.put(o.to, o.file)
		case rename:
			names.drop(o.name)
			names.put(o.to, o.file)
		case remove:
			names.drop(o.name)
		}
	}
	return names
}

// folder is the one whose names an op changes; nil: none.
func (o *op) folder() *file {
	switch o.kind {
	case create, remove:
		return o.name.folder
	case link, rename:
		return o.to.folder
	}
	return nil
}

// content is what a cut leaves of a file.
func (l *Log) content(f *file, cut int, m Mode, rng *rand.Rand) []byte {
	safe := 0
	for _, o := range l.ops[:cut] {
		if o.kind == sync && o.file == f {
			safe = max(safe, o.began)
		}
	}
	var b []byte
	for i, o := range l.ops[:cut] {
		if o.file != f || o.kind != write && o.kind != truncate {
			continue
		}
		unsafe := i >= safe
		switch {
		case unsafe && (m == Nothing || m == Something && rng.IntN(3) == 0):
		case o.kind == truncate:
			b = resized(b, int(o.off))
		case unsafe && m == Something && rng.IntN(2) == 0:
			b = torn(b, &o, rng)
		default:
			b = overwritten(b, int(o.off), o.data)
		}
	}
	return b
}

// torn writes some of an op's sectors.
func torn(b []byte, o *op, rng *rand.Rand) []byte {
	for at := 0; at < len(o.data); {
		end := min(len(o.data), at+sector-int(o.off+int64(at))%sector)
		if rng.IntN(2) == 0 {
			b = overwritten(b, int(o.off)+at, o.data[at:end])
		}
		at = end
	}
	return b
}

func overwritten(b []byte, off int, data []byte) []byte {
	b = resized(b, max(len(b), off+len(data)))
	copy(b[off:], data)
	return b
}

func resized(b []byte, size int) []byte {
	if size <= len(b) {
		return b[:size:size]
	}
	return append(b, make([]byte, size-len(b))...)
}
