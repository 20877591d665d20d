//go:build !unix

package main

import (
	"fmt"
	"os"
)

func main() {
	fmt.Fprintln(os.Stderr, "the fault harness runs on Unix")
	os.Exit(2)
}
