package token

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// change replaces the tokens, alone: another program that does so waits.
func (f *File) change(edit func([]stored) ([]stored, error)) error {
	if err := os.MkdirAll(filepath.Dir(f.path), 0o700); err != nil {
		return fmt.Errorf("write tokens: %w", err)
	}
	lock, err := os.OpenFile(f.path+".lock", os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return fmt.Errorf("write tokens: %w", err)
	}
	defer lock.Close() // which unlocks it; the file stays, for others may wait on it
	if err := lockFile(lock); err != nil {
		return fmt.Errorf("write tokens: %w", err)
	}
	all, err := f.load()
	if err != nil {
		return err
	}
	if all, err = edit(all); err != nil {
		return err
	}
	if err := f.write(all); err != nil {
		return fmt.Errorf("write tokens: %w", err)
	}
	return nil
}

// write puts a complete file in the place of the old one.
func (f *File) write(all []stored) error {
	b, err := json.MarshalIndent(content{all}, "", "  ")
	if err != nil {
		return err
	}
	dir := filepath.Dir(f.path)
	tmp, err := os.CreateTemp(dir, ".tokens-*") // 0600
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name()) // gone already, if all went well
	_, err = tmp.Write(append(b, '\n'))
	if err = errors.Join(err, tmp.Sync(), tmp.Close()); err != nil {
		return err
	}
	if err := f.stamp(tmp.Name()); err != nil {
		return err
	}
	if err := os.Rename(tmp.Name(), f.path); err != nil {
		return err
	}
	return syncDir(dir)
}

// stamp gives the new file a time of its own. The system's clock for files is
// coarse and inodes are used again: two files of one size could look the same.
func (f *File) stamp(path string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	at := time.Now()
	if f.seen != nil && !at.After(f.seen.ModTime()) {
		at = f.seen.ModTime().Add(time.Millisecond)
	}
	return os.Chtimes(path, at, at)
}
