package main

import (
	"bufio"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// paced writes lines that begin with the time, in bursts with pauses between
// them, and then says on standard error how long that took, in nanoseconds.
// At a steady rate, pauses make up for what the writing took. Behind a gate, it
// begins when it has read a line.
type paced struct {
	bursts, lines int
	pause         time.Duration
	steady, gated bool
}

// pacedBy reads how it is paced: BURSTS LINES PAUSE, then "steady" and "gated".
func pacedBy(args []string) (p paced, err error) {
	if _, err := fmt.Sscan(strings.Join(args[:2], " "), &p.bursts, &p.lines); err != nil {
		return p, err
	}
	if p.pause, err = time.ParseDuration(args[2]); err != nil {
		return p, err
	}
	for _, word := range args[3:] {
		switch word {
		case "steady":
			p.steady = true
		case "gated":
			p.gated = true
		default:
			return p, fmt.Errorf("%q is neither steady nor gated", word)
		}
	}
	return p, nil
}

func (p paced) run() error {
	if p.gated {
		if _, err := bufio.NewReader(os.Stdin).ReadString('\n'); err != nil {
			return fmt.Errorf("wait at the gate: %w", err)
		}
	}
	begin := time.Now()
	if err := p.write(begin); err != nil {
		return err
	}
	_, err := fmt.Fprintln(os.Stderr, time.Since(begin).Nanoseconds())
	return err
}

func (p paced) write(begin time.Time) error {
	rest := " " + strings.Repeat("x", 79) + "\n" // 100 bytes, with the time
	var burst []byte
	for i := range p.bursts {
		burst = burst[:0]
		for range p.lines {
			burst = append(strconv.AppendInt(burst, time.Now().UnixNano(), 10), rest...)
		}
		if _, err := os.Stdout.Write(burst); err != nil {
			return err
		}
		if p.steady {
			time.Sleep(time.Until(begin.Add(time.Duration(i+1) * p.pause)))
		} else {
			time.Sleep(p.pause)
		}
	}
	return nil
}
