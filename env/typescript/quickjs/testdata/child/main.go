// Child is a program that only runs children of the quickjs engine, for tests
// whose own binary has the race detector in it: the transpiled engine would run
// fifty times slower there, and its recursion is too deep for it.
package main

import (
	"fmt"
	"os"

	"github.com/reeverun/reeve/env/typescript/quickjs"
)

func main() {
	if quickjs.Child() {
		return
	}
	fmt.Fprintln(os.Stderr, "this program runs children of the quickjs engine and is started by it")
	os.Exit(2)
}
