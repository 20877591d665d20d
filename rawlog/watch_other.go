//go:build !linux

package rawlog

import "errors"

// watcher watches nothing here: files are polled.
type watcher struct{}

func (*watcher) add(*stream, string) error { return errors.ErrUnsupported }
func (*watcher) remove(*stream)            {}
func (*watcher) close()                    {}
