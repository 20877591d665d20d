package seal

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
)

// loadOrCreate reads the key file, or makes one. The file it returns the
// content of is always complete: it gets its name only after its bytes are on
// the disk.
func loadOrCreate(path string) ([]byte, error) {
	key, err := load(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return key, err
	}
	if err := create(path); err != nil {
		return nil, err
	}
	return load(path) // not the key just made: another opener may have been first
}

func load(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if err := check(path, info); err != nil {
		return nil, err
	}
	key := make([]byte, KeySize)
	if _, err := io.ReadFull(f, key); err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	return key, nil
}

// check refuses a file that is no key or that others may read.
func check(path string, info fs.FileInfo) error {
	switch {
	case !info.Mode().IsRegular():
		return fmt.Errorf("%s is not a file", path)
	case info.Size() != KeySize:
		return fmt.Errorf("%s holds %d bytes, a key has %d: restore it from a backup; without it stored secrets cannot be read",
			path, info.Size(), KeySize)
	case runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0:
		return fmt.Errorf("%s may be read by others (mode %04o): run chmod 600 %s, and renew the secrets if others had access",
			path, info.Mode().Perm(), path)
	}
	return nil
}

// create makes a key file unless there is one by now.
func create(path string) error {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	tmp, err := writeTemp(dir, newKey())
	if err != nil {
		return err
	}
	defer os.Remove(tmp)
	if err := publish(tmp, path); err != nil {
		return err
	}
	return syncDir(dir)
}

// writeTemp writes a key, durably, under a name nobody looks for. os.CreateTemp
// opens with O_EXCL and mode 0600.
func writeTemp(dir string, key []byte) (name string, err error) {
	f, err := os.CreateTemp(dir, ".key-*")
	if err != nil {
		return "", err
	}
	_, err = f.Write(key)
	if err == nil {
		err = f.Sync()
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		os.Remove(f.Name())
		return "", fmt.Errorf("write %s: %w", f.Name(), err)
	}
	return f.Name(), nil
}

// publish gives a complete key its name. A hard link never replaces what is
// there, so the first of several openers wins; file systems without links get
// a rename, which is as safe against crashes but not against that race.
func publish(tmp, path string) error {
	err := os.Link(tmp, path)
	if err == nil || errors.Is(err, fs.ErrExist) {
		return nil
	}
	return os.Rename(tmp, path)
}

// syncDir makes the new name durable, where directories can be synced.
func syncDir(dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}
