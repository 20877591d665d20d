package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
)

// platform is something to build for.
type platform struct {
	os, arch string
	v8       bool // with V8 linked in; else programs run on QuickJS
}

func (p platform) String() string {
	if p.v8 {
		return p.os + "/" + p.arch + "/v8"
	}
	return p.os + "/" + p.arch
}

// platforms are those that compile. SQLite and QuickJS are Go code for each of
// them; V8 is a library for two, which this machine's compiler links for itself.
func platforms() []platform {
	var all []platform
	for _, p := range []platform{
		{os: "linux", arch: "amd64"}, {os: "linux", arch: "arm64"}, {os: "linux", arch: "arm"}, {os: "linux", arch: "386"},
		{os: "linux", arch: "riscv64"}, {os: "linux", arch: "ppc64le"}, {os: "linux", arch: "s390x"}, {os: "linux", arch: "loong64"},
		{os: "darwin", arch: "amd64"}, {os: "darwin", arch: "arm64"},
		{os: "windows", arch: "amd64"}, {os: "windows", arch: "arm64"},
	} {
		all = append(all, p)
		here := p.os == runtime.GOOS && p.arch == runtime.GOARCH
		if name := p.String(); here && (name == "linux/amd64" || name == "linux/arm64") && compiler() {
			p.v8 = true
			all = append(all, p)
		}
	}
	return all
}

// compiler tells whether this machine can link C++.
func compiler() bool {
	name := os.Getenv("CXX")
	if name == "" {
		name = "g++"
	}
	_, err := exec.LookPath(name)
	return err == nil
}

// release is what is built.
type release struct {
	root            string // of the repository
	pkg             string // the program
	version, commit string
	out             string
}

// build compiles the program for a platform, without anything of the machine,
// the folder or the hour it is built in.
func (r release) build(ctx context.Context, p platform) ([]byte, error) {
	dir, err := os.MkdirTemp("", "reeve-release-")
	if err != nil {
		return nil, fmt.Errorf("make a folder to build in: %w", err)
	}
	defer os.RemoveAll(dir)
	cgo := "CGO_ENABLED=0"
	if p.v8 {
		cgo = "CGO_ENABLED=1"
	}
	program := filepath.Join(dir, "program")
	stamp := "-s -w -buildid= -X main.version=" + r.version + " -X main.commit=" + r.commit
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-buildvcs=false", "-ldflags", stamp, "-o", program, r.pkg)
	cmd.Dir = r.root
	cmd.Env = append(os.Environ(), cgo, "GOOS="+p.os, "GOARCH="+p.arch)
	var said bytes.Buffer
	cmd.Stderr = &said
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("build: %w\n%s", err, &said)
	}
	return os.ReadFile(program)
}
