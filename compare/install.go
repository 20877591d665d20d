//go:build linux

package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// getDebian unpacks Debian packages into a folder, without installing them.
func getDebian(dir string, packages ...string) (root string, err error) {
	for _, tool := range []string{"apt-get", "dpkg-deb"} {
		if _, err := exec.LookPath(tool); err != nil {
			return "", fmt.Errorf("%s comes as a Debian package, and there is no %s here", packages[0], tool)
		}
	}
	root = filepath.Join(dir, packages[0])
	if _, err := os.Stat(root); err == nil {
		return root, nil
	}
	if err := os.MkdirAll(root, 0o755); err != nil {
		return "", err
	}
	h := home{dir: root}
	if _, err := h.call("apt-get", append([]string{"download"}, packages...)...); err != nil {
		return "", err
	}
	files, err := filepath.Glob(filepath.Join(root, "*.deb"))
	if err != nil || len(files) != len(packages) {
		return "", fmt.Errorf("apt-get brought %d packages of %d: %w", len(files), len(packages), err)
	}
	for _, file := range files {
		if _, err := h.call("dpkg-deb", "-x", file, root); err != nil {
			return "", err
		}
	}
	return root, nil
}

func getSupervisor(dir string) (path, version string, err error) {
	if _, err := exec.LookPath("python3"); err != nil {
		return "", "", errors.New("supervisor needs python3")
	}
	root, err := getDebian(dir, "supervisor", "python3-pkg-resources")
	if err != nil {
		return "", "", err
	}
	s := newSupervisor(root, root).(*supervisor)
	version, err = s.call("python3", "-W", "ignore", s.program("supervisord"), "--version")
	return root, strings.TrimSpace(version), err
}

func getTSP(dir string) (path, version string, err error) {
	root, err := getDebian(dir, "task-spooler")
	if err != nil {
		return "", "", err
	}
	path = filepath.Join(root, "usr/bin/tsp")
	said, err := (home{dir: root}).call(path, "-V")
	if fields := strings.Fields(said); len(fields) > 2 {
		version = strings.TrimPrefix(fields[2], "v")
	}
	return path, version, err
}

func getPM2(dir string) (path, version string, err error) {
	if _, err := exec.LookPath("npm"); err != nil {
		return "", "", errors.New("pm2 needs npm")
	}
	root := filepath.Join(dir, "pm2")
	if err := os.MkdirAll(root, 0o755); err != nil {
		return "", "", err
	}
	h := home{dir: root}
	if _, err := h.call("npm", "install", "--prefix", root, "--no-audit", "--no-fund", "--loglevel=error", "pm2"); err != nil {
		return "", "", err
	}
	// Asking pm2 itself would start its daemon.
	version, err = h.call("node", "-p", "require('./node_modules/pm2/package.json').version")
	return filepath.Join(root, "node_modules/.bin/pm2"), strings.TrimSpace(version), err
}
