// Package bench measures Reeve from outside: the built binary as a daemon, by
// HTTP, each figure beside a bare baseline interleaved in the same run. Its
// benchmarks report ratios; absolute times move from machine to machine.
package bench
