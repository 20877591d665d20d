// Child is what benchmarks run as a job: it writes lines, as fast as it can or
// with the time in each, or has children of its own.
package main

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"time"
)

const usage = "usage: child lines BYTES | child clock LINES EVERY | child flood | child parked N | child paced BURSTS LINES PAUSE [steady] [gated]"

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "child:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	switch {
	case len(args) == 2 && args[0] == "lines":
		n, err := strconv.Atoi(args[1])
		if err != nil {
			return err
		}
		return lines(n)
	case len(args) == 3 && args[0] == "clock":
		n, err := strconv.Atoi(args[1])
		every, err2 := time.ParseDuration(args[2])
		if err := errors.Join(err, err2); err != nil {
			return err
		}
		return clock(n, every)
	case len(args) == 1 && args[0] == "flood":
		return flood()
	case len(args) == 2 && args[0] == "parked":
		n, err := strconv.Atoi(args[1])
		if err != nil {
			return err
		}
		return parked(n)
	}
	if len(args) >= 4 && args[0] == "paced" {
		p, err := pacedBy(args[1:])
		if err != nil {
			return err
		}
		return p.run()
	}
	return errors.New(usage)
}

func line() []byte { return append(bytes.Repeat([]byte("x"), 99), '\n') }

// lines writes lines of 100 bytes, 64 KiB at a time, as stdio would.
func lines(size int) error {
	block := bytes.Repeat(line(), 655)
	for size > 0 {
		n, err := os.Stdout.Write(block[:min(size, len(block))])
		if err != nil {
			return err
		}
		size -= n
	}
	return nil
}

// clock writes the time of each write, in nanoseconds since 1970. The pauses
// differ, lest they keep step with another's.
func clock(n int, every time.Duration) error {
	for range n {
		time.Sleep(every/2 + rand.N(every))
		if _, err := fmt.Println(time.Now().UnixNano()); err != nil {
			return err
		}
	}
	return nil
}

// flood writes a line at a time until it is ended.
func flood() error {
	for {
		if _, err := os.Stdout.Write(line()); err != nil {
			return err
		}
	}
}
