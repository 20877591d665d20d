package procs

import (
	"os"
	"strconv"
	"strings"
)

// Name is a process's command line, shortened, or its short name in brackets
// where it has none; empty when it is gone.
func Name(pid int) string {
	dir := "/proc/" + strconv.Itoa(pid)
	var buf [maxName + 1]byte
	n, err := readFile(dir+"/cmdline", buf[:])
	if err != nil {
		return ""
	}
	if n > 0 {
		return shorten(string(buf[:n]))
	}
	if n, err = readFile(dir+"/comm", buf[:]); err != nil {
		return ""
	}
	return "[" + shorten(strings.TrimSpace(string(buf[:n]))) + "]"
}

// HasEnv reports whether a process was started with the environment entry
// key=value, where value may also be one of several joined by colons.
func HasEnv(pid int, key, value string) bool {
	env, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/environ")
	if err != nil {
		return false
	}
	for entry := range strings.SplitSeq(string(env), "\x00") {
		if carries(entry, key, value) {
			return true
		}
	}
	return false
}
