// Package lab has what measurements are made with: the built program, a folder
// for all data, daemons, and jobs done by many clients at once.
package lab

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"

	"github.com/reeverun/reeve/internal/testbin"
)

// Lab is where a run of measurements takes place.
type Lab struct {
	Binary string // the built program
	Child  string // what is run as a job: see bench/child
	Dir    string // all data below it; removed last, see Open
	Short  bool   // small sizes: does it work, not how fast is it
	Root   string // the repository
	// Profile is how the profiles of the daemons begin that are started from
	// now on, "folder/row"; empty: there are none.
	Profile string

	mu sync.Mutex // held while records are filled
}

// Open builds the program and makes a folder. The folder goes with the whole
// lab, not piece by piece: a file system that has just freed many inodes takes
// long to make new ones.
//
// A program that is to be profiled is built for it: see cmd/reeve/profile.go.
func Open(ctx context.Context, short, profile bool) (*Lab, error) {
	root, err := Root(ctx)
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "reeve-bench-")
	if err != nil {
		return nil, err
	}
	l := &Lab{Binary: filepath.Join(dir, "reeve"), Child: filepath.Join(dir, "child"), Dir: dir, Short: short, Root: root}
	if err := l.build(profile); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return l, nil
}

func (l *Lab) build(profile bool) error {
	const module = "github.com/reeverun/reeve/"
	if err := testbin.Build(l.Child, module+"bench/child"); err != nil {
		return err
	}
	if profile {
		return testbin.Build(l.Binary, module+"cmd/reeve", "-tags", "reeve_profile")
	}
	return testbin.Make(l.Binary)
}

// Root is the repository's folder.
func Root(ctx context.Context) (string, error) {
	out, err := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}").Output()
	if err != nil {
		return "", fmt.Errorf("find the repository (run it inside): %w", err)
	}
	return strings.TrimSpace(string(out)), nil
}

// Close removes everything.
func (l *Lab) Close() error { return os.RemoveAll(l.Dir) }

// Scratch makes a new folder. Its path is short enough for a socket.
func (l *Lab) Scratch() (string, error) { return os.MkdirTemp(l.Dir, "") }

// Size is the full size of something, or the small one in a short run.
func (l *Lab) Size(full, small int) int {
	if l.Short {
		return small
	}
	return full
}

// Together does a job n times by several workers, and returns the first error.
func Together(n, workers int, job func() error) error {
	todo := make(chan struct{}, n)
	for range n {
		todo <- struct{}{}
	}
	close(todo)
	var wg sync.WaitGroup
	var mu sync.Mutex
	var first error
	for range workers {
		wg.Go(func() {
			for range todo {
				if err := job(); err != nil {
					mu.Lock()
					if first == nil {
						first = err
					}
					mu.Unlock()
					return
				}
			}
		})
	}
	wg.Wait()
	return first
}
