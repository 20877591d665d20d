package doctor

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"

	"golang.org/x/sys/unix"
)

// fileSystemChecks try what the store and the logs ask of a file system.
func fileSystemChecks(dir string) []Check {
	hole := check(SectionData, "data-holes", "holes in files")
	if err := tryHole(filepath.Join(dir, "hole")); err != nil {
		hole = hole.limited("Output beyond its cap cannot drop its middle: it takes its whole size on the disk.", err.Error(), "Put --data on ext4, XFS, Btrfs or tmpfs.")
	} else {
		hole = hole.ok("Output beyond its cap loses its middle and keeps its head and tail, while the program goes on writing.")
	}
	shared := check(SectionData, "data-mmap", "shared memory files")
	if err := tryShared(filepath.Join(dir, "shared")); err != nil {
		shared = shared.missing("The database cannot be used here.", err.Error(), "Put --data on a local file system.")
	} else {
		shared = shared.ok("The database's index can be shared between its connections.")
	}
	return []Check{hole, shared}
}

// tryHole punches one and looks whether it freed anything.
func tryHole(path string) error {
	const block, blocks = 64 << 10, 16
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	if _, err := f.Write(make([]byte, block*blocks)); err != nil {
		return err
	}
	if err := f.Sync(); err != nil { // so that the blocks are there to be freed
		return err
	}
	var before, after unix.Stat_t
	err = errors.Join(unix.Fstat(int(f.Fd()), &before),
		unix.Fallocate(int(f.Fd()), unix.FALLOC_FL_PUNCH_HOLE|unix.FALLOC_FL_KEEP_SIZE, block, block*(blocks-2)),
		f.Sync(), unix.Fstat(int(f.Fd()), &after))
	if err != nil {
		return fmt.Errorf("punch a hole: %w", err)
	}
	if after.Size != before.Size || after.Blocks >= before.Blocks {
		return fmt.Errorf("the hole freed nothing: %d blocks before, %d after", before.Blocks, after.Blocks)
	}
	return nil
}

// tryShared maps a file twice and writes through one to the other. On a full
// disk or a broken file system that is a fault, which is an error here.
func tryShared(path string) (err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	if _, err := f.Write(make([]byte, 4096)); err != nil {
		return err
	}
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if fault := recover(); fault != nil {
			err = fmt.Errorf("write to a mapped file: %v", fault)
		}
	}()
	var maps [2][]byte
	for i := range maps {
		if maps[i], err = unix.Mmap(int(f.Fd()), 0, 4096, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED); err != nil {
			return fmt.Errorf("map a file: %w", err)
		}
		defer func() { _ = unix.Munmap(maps[i]) }()
	}
	maps[0][7] = 1
	if maps[1][7] != 1 {
		return errors.New("two maps of one file differ")
	}
	return nil
}
