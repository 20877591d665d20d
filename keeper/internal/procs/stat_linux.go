package procs

import (
	"bytes"
	"errors"
	"os"
	"slices"
	"strconv"
	"syscall"
	"time"
)

// ErrFormat says that the kernel wrote something this package cannot read.
var ErrFormat = errors.New("unexpected format of a /proc file")

// ticksPerSecond is USER_HZ, 100 on every architecture Go runs on.
const ticksPerSecond = 100

var pageSize = int64(os.Getpagesize())

// Read returns the stat of a process.
func Read(pid int) (Stat, error) {
	var buf [1024]byte
	n, err := readFile("/proc/"+strconv.Itoa(pid)+"/stat", buf[:])
	if err != nil {
		return Stat{}, err
	}
	return parse(buf[:n])
}

// parse reads "pid (comm) state ppid pgrp session ...": comm may hold anything,
// parentheses and blanks included, so the last parenthesis counts.
func parse(line []byte) (Stat, error) {
	open, end := bytes.IndexByte(line, '('), bytes.LastIndexByte(line, ')')
	if open < 2 || end < open {
		return Stat{}, ErrFormat
	}
	fields := bytes.Fields(line[end+1:])
	if len(fields) < 22 {
		return Stat{}, ErrFormat
	}
	var s Stat
	var bad error
	num := func(b []byte) uint64 {
		n, err := strconv.ParseInt(string(b), 10, 64)
		if err != nil {
			bad = ErrFormat
		}
		return uint64(n)
	}
	ticks := func(b []byte) time.Duration {
		return time.Duration(num(b)) * (time.Second / ticksPerSecond)
	}
	s.PID = int(num(line[:open-1]))
	s.State = fields[0][0]
	s.PPID, s.Group, s.SID = int(num(fields[1])), int(num(fields[2])), int(num(fields[3]))
	s.CPU = ticks(fields[11]) + ticks(fields[12])
	s.Kids = ticks(fields[13]) + ticks(fields[14])
	s.Start = num(fields[19])
	s.RSS = int64(num(fields[21])) * pageSize
	return s, bad
}

// All returns every process there is; those that end meanwhile are left out,
// those born meanwhile are not: a listing that missed them would never catch a
// chain of processes that each fork the next and exit.
func All() ([]Stat, error) {
	before, _ := lastPID()
	all, err := list()
	if err != nil {
		return nil, err
	}
	for range maxFollow {
		now, err := lastPID()
		if err != nil || now == before {
			break
		}
		if now < before { // the numbers began anew
			before = 1
		}
		all = refresh(all, before+1, now)
		before = now
	}
	return all, nil
}

// maxFollow bounds how long births are followed.
const maxFollow = 64

// lastPID is the newest pid given out, to processes and threads alike.
func lastPID() (int, error) {
	var buf [128]byte
	n, err := readFile("/proc/loadavg", buf[:])
	if err != nil {
		return 0, err
	}
	f := bytes.Fields(buf[:n])
	if len(f) != 5 {
		return 0, ErrFormat
	}
	return strconv.Atoi(string(f[4]))
}

// refresh reads the processes of a range of pids anew.
func refresh(all []Stat, from, to int) []Stat {
	all = slices.DeleteFunc(all, func(s Stat) bool { return s.PID >= from && s.PID <= to })
	for pid := from; pid <= to; pid++ {
		// A thread can be read by its number, too, and is no process.
		if s, err := Read(pid); err == nil && s.PID == pid && isProcess(pid) {
			all = append(all, s)
		}
	}
	return all
}

// isProcess tells a process from a thread of one.
func isProcess(pid int) bool {
	var buf [256]byte
	n, err := readFile("/proc/"+strconv.Itoa(pid)+"/status", buf[:])
	if err != nil {
		return false
	}
	_, rest, _ := bytes.Cut(buf[:n], []byte("\nTgid:\t"))
	line, _, _ := bytes.Cut(rest, []byte{'\n'})
	id, _ := strconv.Atoi(string(line))
	return id == pid
}

func list() ([]Stat, error) {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	names, err := dir.Readdirnames(-1)
	if err != nil {
		return nil, err
	}
	all := make([]Stat, 0, len(names))
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil {
			continue
		}
		if s, err := Read(pid); err == nil {
			all = append(all, s)
		}
	}
	return all, nil
}

// readFile reads a small file in one go. It stays off the poller, which costs
// more than these reads.
func readFile(path string, buf []byte) (int, error) {
	fd, err := openRead(path)
	if err != nil {
		return 0, err
	}
	defer syscall.Close(fd)
	for {
		n, err := syscall.Read(fd, buf)
		if err == syscall.EINTR {
			continue
		}
		if err != nil {
			return 0, &os.PathError{Op: "read", Path: path, Err: err}
		}
		return n, nil
	}
}

func openRead(path string) (int, error) {
	for {
		fd, err := syscall.Open(path, syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
		if err == syscall.EINTR {
			continue
		}
		if err != nil {
			return -1, &os.PathError{Op: "open", Path: path, Err: err}
		}
		return fd, nil
	}
}
