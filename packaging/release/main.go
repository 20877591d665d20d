// Release builds what is released: the program for every platform that compiles,
// each in an archive with its manual pages, completions, units and documents, and
// the sums of all of them. The same source gives the same bytes, wherever and
// whenever it is built.
//
//	go run ./packaging/release -version v1.2.3 -commit $(git rev-parse HEAD) -out dist
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	r := release{pkg: "./cmd/reeve", root: "."}
	var only string
	flags := flag.NewFlagSet("release", flag.ContinueOnError)
	flags.StringVar(&r.version, "version", "unknown", "version to stamp")
	flags.StringVar(&r.commit, "commit", "", "commit to stamp")
	flags.StringVar(&r.out, "out", "dist", "folder for the archives")
	flags.StringVar(&only, "only", "", "platforms to build, such as linux/amd64,windows/arm64 (default: all)")
	if err := flags.Parse(args); err != nil {
		return err
	}
	platforms, err := choose(only)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(r.out, 0o755); err != nil {
		return fmt.Errorf("make the folder for the archives: %w", err)
	}
	var archives []string
	for _, p := range platforms {
		path, err := r.archive(ctx, p)
		if err != nil {
			return fmt.Errorf("%s: %w", p, err)
		}
		fmt.Println(path)
		archives = append(archives, path)
	}
	return r.sums(archives)
}

// choose finds platforms by their names.
func choose(only string) ([]platform, error) {
	all := platforms()
	if only == "" {
		return all, nil
	}
	var chosen []platform
	for name := range strings.SplitSeq(only, ",") {
		before := len(chosen)
		for _, p := range all {
			if p.String() == name {
				chosen = append(chosen, p)
			}
		}
		if len(chosen) == before {
			return nil, fmt.Errorf("%q is not released: choose among %v", name, all)
		}
	}
	return chosen, nil
}
