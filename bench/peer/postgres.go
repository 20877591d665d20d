package peer

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"

	"github.com/reeverun/reeve/internal/peers"
)

// postgres is a server of its own, on a socket in its folder, that syncs.
type postgres struct {
	server *peers.Server
	url    string
}

// unpackPostgres gets Debian's Postgres with those libraries that the machine
// lacks. The path is that of its programs.
func (s *Set) unpackPostgres(ctx context.Context) (string, error) {
	return s.get("postgres", func() (string, error) {
		name, err := newestPostgres(ctx)
		if err != nil {
			return "", err
		}
		root, err := peers.Debian(ctx, s.installed(), append([]string{name}, missingLibraries(ctx, name)...)...)
		return filepath.Join(root, "usr/lib/postgresql", strings.TrimPrefix(name, "postgresql-"), "bin"), err
	})
}

func newestPostgres(ctx context.Context) (string, error) {
	said, err := peers.Home{}.Call(ctx, "apt-cache", "depends", "postgresql")
	if err != nil {
		return "", err
	}
	name := regexp.MustCompile(`postgresql-\d+`).FindString(said)
	if name == "" {
		return "", errors.New("apt-cache knows no Postgres: apt-get update may help")
	}
	return name, nil
}

// missingLibraries are those that an installation would bring. Those of the
// compiler for queries are not needed: it is off.
func missingLibraries(ctx context.Context, name string) (missing []string) {
	said, err := peers.Home{}.Call(ctx, "apt-get", "install", "--simulate", "--no-install-recommends", name)
	if err != nil {
		return nil // then it must do with what there is
	}
	for _, found := range regexp.MustCompile(`(?m)^Inst (lib\S+)`).FindAllStringSubmatch(said, -1) {
		if lib := found[1]; !strings.HasPrefix(lib, "libllvm") && !strings.HasSuffix(lib, "-dev") && !strings.HasSuffix(lib, "-perl") {
			missing = append(missing, lib)
		}
	}
	return missing
}

// openPostgres makes a database and starts the server. It refuses to run as
// root, who has it run as nobody.
func (s *Set) openPostgres(ctx context.Context) (*postgres, error) {
	bin, err := s.unpackPostgres(ctx)
	if err != nil {
		return nil, err
	}
	dir, err := s.lab.Scratch()
	if err != nil {
		return nil, err
	}
	as, err := unprivileged(dir)
	if err != nil {
		return nil, err
	}
	if as != nil { // who must get to its folder
		if err := os.Chmod(s.lab.Dir, 0o711); err != nil {
			return nil, err
		}
	}
	libraries, err := filepath.Glob(filepath.Join(bin, "../../../*-linux-gnu")) // those of usr/lib
	if err != nil {
		return nil, err
	}
	h := peers.Home{Dir: dir, Env: []string{"LD_LIBRARY_PATH=" + strings.Join(libraries, ":"), "LC_ALL=C", "TZ=UTC"}}
	if err := h.CallAs(ctx, as, filepath.Join(bin, "initdb"), "-D", dir+"/data", "-A", "trust", "-U", "postgres", "-E", "UTF8", "--locale=C", "--no-sync"); err != nil {
		return nil, err
	}
	p := &postgres{url: fmt.Sprintf("host=%s user=postgres dbname=postgres", dir)}
	p.server, err = h.ServeAs(as, filepath.Join(bin, "postgres"), "-D", dir+"/data", "-k", dir, "-c", "listen_addresses=", "-c", "jit=off",
		"-c", "fsync=on", "-c", "synchronous_commit=on", "-c", "shared_buffers=512MB", "-c", "max_wal_size=4GB")
	return p, err
}

// close is what Postgres calls a fast shutdown.
func (p *postgres) close() error { p.server.EndBy(syscall.SIGINT); return nil }
