// Hello stands for the program in tests: it builds in a moment.
package main

import "os"

var version, commit string

func main() { _, _ = os.Stdout.WriteString("hello " + version + " " + commit + "\n") }
