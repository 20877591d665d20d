package daemon

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strings"
	"syscall"
	"time"

	"github.com/reeverun/reeve/process"
	"github.com/reeverun/reeve/settings"
)

// mayListen refuses an address that others can reach, if all of them could use
// it.
func (d *daemon) mayListen() error {
	addr := d.settings.Listen
	if addr == settings.None {
		return nil
	}
	any, err := d.tokens.Any()
	if err != nil {
		return err
	}
	if !any && !loopback(addr) {
		return &process.Error{Code: process.CodeInvalid, Field: "--listen",
			Message: fmt.Sprintf("%s can be reached from other machines, and there is no token to keep strangers out", addr),
			Hint:    fmt.Sprintf("make one first with 'reeve token create --scope run --data %s', or listen on 127.0.0.1", d.settings.Data)}
	}
	return nil
}

// listen binds the TCP address, unless there is to be none, or is one already.
func (d *daemon) listen() (err error) {
	addr := d.settings.Listen
	if addr == settings.None || d.tcp != nil {
		return nil
	}
	if d.tcp, err = net.Listen("tcp", addr); err != nil {
		d.tcp = nil
		return d.cannotListen(addr, err)
	}
	return nil
}

// cannotListen says what is in the way.
func (d *daemon) cannotListen(addr string, err error) error {
	if !inUse(err) {
		return fmt.Errorf("listen on %s: %w", addr, errors.Unwrap(err))
	}
	if path, bad := d.data.FindSocket(); bad == nil && d.before == nil {
		if c, bad := net.DialTimeout("unix", path, time.Second); bad == nil {
			c.Close()
			return &process.Error{Code: process.CodeOwned,
				Message: fmt.Sprintf("a daemon is already running on the data directory %s", d.settings.Data),
				Hint:    "stop it first, replace it with --replace, or use another data directory and another address"}
		}
	}
	return &process.Error{Code: process.CodeInvalid, Field: "--listen",
		Message: fmt.Sprintf("%s is in use by another program", addr),
		Hint:    "choose another address, or none to serve on the unix socket only"}
}

// wsaeaddrinuse is what Windows calls EADDRINUSE.
const wsaeaddrinuse = syscall.Errno(10048)

func inUse(err error) bool {
	return errors.Is(err, syscall.EADDRINUSE) || errors.Is(err, wsaeaddrinuse)
}

// loopback reports whether an address can be reached from this machine only.
// Names other than localhost are not looked up: what they mean may change.
func loopback(addr string) bool {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return false
	}
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.Unmap().IsLoopback()
}
