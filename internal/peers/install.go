// Package peers gets other managers of processes, to be compared with Reeve, and
// calls their programs. Packages are unpacked into a folder of the caller, who
// removes it; nothing is installed on the machine.
package peers

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Debian unpacks Debian packages into a folder below dir that is named after the
// first of them. One that is there already is taken as it is.
func Debian(ctx context.Context, dir string, packages ...string) (root string, err error) {
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
	defer func() {
		if err != nil {
			_ = os.RemoveAll(root) // half of it is not it
		}
	}()
	h := Home{Dir: root}
	if _, err := h.CallFor(ctx, 5*Patience, "apt-get", append([]string{"download"}, packages...)...); err != nil {
		return "", err
	}
	files, err := filepath.Glob(filepath.Join(root, "*.deb"))
	if err != nil || len(files) != len(packages) {
		return "", fmt.Errorf("apt-get brought %d packages of %d: %w", len(files), len(packages), err)
	}
	for _, file := range files {
		if _, err := h.Call(ctx, "dpkg-deb", "-x", file, root); err != nil {
			return "", err
		}
	}
	return root, nil
}

// Supervisor unpacks Debian's supervisor; see SupervisorEnv.
func Supervisor(ctx context.Context, dir string) (root, version string, err error) {
	if _, err := exec.LookPath("python3"); err != nil {
		return "", "", errors.New("supervisor needs python3")
	}
	root, err = Debian(ctx, dir, "supervisor", "python3-pkg-resources")
	if err != nil {
		return "", "", err
	}
	version, err = Home{root, SupervisorEnv(root)}.Call(ctx, "python3", "-W", "ignore", filepath.Join(root, "usr/bin/supervisord"), "--version")
	return root, strings.TrimSpace(version), err
}

// SupervisorEnv is what python3 needs in its environment to find supervisor.
func SupervisorEnv(root string) []string {
	return []string{"PYTHONPATH=" + filepath.Join(root, "usr/lib/python3/dist-packages")}
}

// TaskSpooler unpacks Debian's task-spooler. The path is that of its program.
func TaskSpooler(ctx context.Context, dir string) (path, version string, err error) {
	root, err := Debian(ctx, dir, "task-spooler")
	if err != nil {
		return "", "", err
	}
	path = filepath.Join(root, "usr/bin/tsp")
	said, err := Home{Dir: root}.Call(ctx, path, "-V")
	if fields := strings.Fields(said); len(fields) > 2 {
		version = strings.TrimPrefix(fields[2], "v")
	}
	return path, version, err
}

// PM2 installs npm's pm2 into a folder below dir. The path is that of its program.
func PM2(ctx context.Context, dir string) (path, version string, err error) {
	if _, err := exec.LookPath("npm"); err != nil {
		return "", "", errors.New("pm2 needs npm")
	}
	root := filepath.Join(dir, "pm2")
	if err := os.MkdirAll(root, 0o755); err != nil {
		return "", "", err
	}
	h := Home{Dir: root}
	if _, err := h.Call(ctx, "npm", "install", "--prefix", root, "--no-audit", "--no-fund", "--loglevel=error", "pm2"); err != nil {
		return "", "", err
	}
	// Asking pm2 itself would start its daemon.
	version, err = h.Call(ctx, "node", "-p", "require('./node_modules/pm2/package.json').version")
	return filepath.Join(root, "node_modules/.bin/pm2"), strings.TrimSpace(version), err
}
