package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// hello is a release of a program that builds in a moment.
func hello(t *testing.T) release {
	return release{root: "../..", pkg: "./packaging/release/testdata/hello", version: "v1.2.3", commit: "abc", out: t.TempDir()}
}

// ok returns what a call gave, unless it failed.
func ok[T any](v T, err error) func(*testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// The same source gives the same bytes, and what was packed runs, stamped.
func TestArchiveIsReproducibleAndComplete(t *testing.T) {
	here := platform{os: runtime.GOOS, arch: runtime.GOARCH}
	r := hello(t)
	path := ok(r.archive(t.Context(), here))(t)
	first := ok(os.ReadFile(path))(t)
	t.Setenv("TMPDIR", t.TempDir()) // built elsewhere, later
	again := hello(t)
	if second := ok(os.ReadFile(ok(again.archive(t.Context(), here))(t)))(t); !bytes.Equal(first, second) {
		t.Error("two builds of the same source differ")
	}
	files := unpack(t, first, "reeve-v1.2.3-"+here.os+"-"+here.arch+"/")
	for _, name := range []string{"README.md", "CHANGELOG.md", "config.yaml", "man/reeve.1", "man/reeve-serve.1", "completions/reeve", "completions/_reeve", "completions/reeve.fish", "completions/reeve.ps1"} {
		if len(files[name]) < 100 {
			t.Errorf("%s has %d bytes", name, len(files[name]))
		}
	}
	if _, err := os.Stat("../../LICENSE"); (err == nil) != (files["LICENSE"] != nil) {
		t.Error("the licence is packed if there is one")
	}
	if here.os == "linux" && (files["systemd/system/reeve.service"] == nil || files["systemd/user/reeve.service"] == nil) {
		t.Error("the units are missing")
	}
	program := filepath.Join(t.TempDir(), "reeve")
	if err := os.WriteFile(program, files["reeve"], 0o755); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(program).Output(); err != nil || string(out) != "hello v1.2.3 abc\n" {
		t.Errorf("%q, %v", out, err)
	}
}

// unpack reads a tarball whose files are all below a folder.
func unpack(t *testing.T, packed []byte, folder string) map[string][]byte {
	t.Helper()
	z := ok(gzip.NewReader(bytes.NewReader(packed)))(t)
	files := map[string][]byte{}
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return files
		}
		name, below := strings.CutPrefix(h.Name, folder)
		if err != nil || !below || (h.Mode&0o111 != 0) != (name == "reeve") {
			t.Fatalf("%+v, %v", h, err)
		}
		files[name] = ok(io.ReadAll(r))(t)
	}
}

// Windows has its archives as zip, with the program under its own name there.
func TestZip(t *testing.T) {
	packed := ok(zipped("reeve-1", []entry{{"README.md", 0o644, []byte("read")}, {"reeve.exe", 0o755, []byte("run")}}))(t)
	z := ok(zip.NewReader(bytes.NewReader(packed), int64(len(packed))))(t)
	if len(z.File) != 2 || z.File[1].Name != "reeve-1/reeve.exe" || z.File[1].Mode() != 0o755 {
		t.Errorf("%+v", z.File)
	}
	if text := ok(io.ReadAll(ok(z.File[0].Open())(t)))(t); string(text) != "read" {
		t.Errorf("%q", text)
	}
}

func TestSums(t *testing.T) {
	r := release{out: t.TempDir()}
	var archives []string
	for _, name := range []string{"a.tar.gz", "b.zip"} {
		archives = append(archives, filepath.Join(r.out, name))
		if err := os.WriteFile(filepath.Join(r.out, name), []byte(name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := r.sums(archives); err != nil {
		t.Fatal(err)
	}
	want := fmt.Sprintf("%x  a.tar.gz\n%x  b.zip\n", sha256.Sum256([]byte("a.tar.gz")), sha256.Sum256([]byte("b.zip")))
	if got := ok(os.ReadFile(filepath.Join(r.out, "SHA256SUMS")))(t); string(got) != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}

func TestChoose(t *testing.T) {
	if chosen, err := choose("windows/arm64,linux/386"); err != nil || len(chosen) != 2 {
		t.Errorf("%v, %v", chosen, err)
	}
	if _, err := choose("linux/vax"); err == nil || !strings.Contains(err.Error(), "linux/amd64") {
		t.Errorf("%v", err)
	}
}
