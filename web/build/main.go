// Command build makes the dashboard of its source: web/app becomes web/dist,
// which is committed, so that go build alone gives a whole program. esbuild is
// the one that go.mod pins; what it bundles is pinned by package-lock.json.
//
//	go run ./web/build              build
//	go run ./web/build -check       fail unless web/dist is what building gives
//	go run ./web/build -dev URL     serve the source, rebuilt for each page, before a daemon at URL
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Where things are, from the root of the module.
const (
	source = "web/app"
	target = "web/dist"
)

func main() {
	check := flag.Bool("check", false, "only compare web/dist with what building gives")
	dev := flag.String("dev", "", "serve the source on 127.0.0.1:7339 before the daemon at this `URL`")
	flag.Parse()
	if err := run(*check, *dev); err != nil {
		fmt.Fprintln(os.Stderr, "build:", err)
		os.Exit(1)
	}
}

func run(check bool, dev string) error {
	if dev != "" {
		h, err := develop(dev)
		if err != nil {
			return err
		}
		fmt.Println("http://127.0.0.1:7339")
		return http.ListenAndServe("127.0.0.1:7339", h)
	}
	built, err := build()
	if err != nil {
		return err
	}
	if check {
		return compare(built)
	}
	return write(built)
}

// files are built files by their path below web/dist.
type files map[string][]byte

// write replaces what was built before.
func write(built files) error {
	if err := os.RemoveAll(target); err != nil {
		return err
	}
	for name, body := range built {
		path := filepath.Join(target, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, body, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// compare says which committed files are not what building gives.
func compare(built files) error {
	var differ []string
	for name, body := range built {
		old, err := os.ReadFile(filepath.Join(target, name))
		if err != nil || !bytes.Equal(old, body) {
			differ = append(differ, name)
		}
	}
	err := filepath.WalkDir(target, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, err := filepath.Rel(target, path)
		if _, ok := built[filepath.ToSlash(name)]; !ok {
			differ = append(differ, name)
		}
		return err
	})
	if len(differ) > 0 {
		slices.Sort(differ)
		return fmt.Errorf("%s is not what %s gives: %s; run go run ./web/build and commit it", target, source, strings.Join(differ, ", "))
	}
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s is missing: run go run ./web/build", target)
	}
	return err
}
