package settings

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/reeverun/reeve/process"
)

// DataDir is a data directory, an absolute path. Its methods name the files on
// which the daemon and its clients agree; database, key, logs and owner lock
// are the runtime's own.
type DataDir string

// Socket is where the daemon's unix socket is, if the path is not too long.
func (d DataDir) Socket() string { return filepath.Join(string(d), "reeve.sock") }

// SocketFile holds the path of the running daemon's socket.
func (d DataDir) SocketFile() string { return filepath.Join(string(d), "socket") }

// SocketLock is held by the daemon that the socket belongs to.
func (d DataDir) SocketLock() string { return filepath.Join(string(d), "socket.lock") }

// AddressFile holds the TCP address the running daemon serves on.
func (d DataDir) AddressFile() string { return filepath.Join(string(d), "address") }

// Log is where a daemon in the background logs.
func (d DataDir) Log() string { return filepath.Join(string(d), "daemon.log") }

// StartLock is held by the client that starts a daemon.
func (d DataDir) StartLock() string { return filepath.Join(string(d), "start.lock") }

// Keeper is the folder of the process that holds commands.
func (d DataDir) Keeper() string { return filepath.Join(string(d), "keeper") }

// Tokens is the file of tokens.
func (d DataDir) Tokens() string { return filepath.Join(string(d), "tokens.json") }

// FindSocket returns the path of the socket of the daemon that runs, or would
// run, on the directory.
func (d DataDir) FindSocket() (string, error) {
	b, err := os.ReadFile(d.SocketFile())
	switch path := strings.TrimSpace(string(b)); {
	case err == nil && filepath.IsAbs(path):
		return path, nil
	case err == nil || errors.Is(err, fs.ErrNotExist):
		return d.Socket(), nil
	}
	return "", err
}

// Make creates the directory, for its user alone.
func (d DataDir) Make() error { return os.MkdirAll(string(d), 0o700) }

// ClientData is the data directory of a client: given, or by REEVE_DATA, or the
// default. Relative paths are relative to dir.
func ClientData(given string, env func(string) (string, bool), dir string) (DataDir, error) {
	if given == "" {
		given = value(env, "REEVE_DATA")
	}
	switch {
	case given == "":
		path, err := DefaultData(env)
		return DataDir(path), err
	case !filepath.IsAbs(given):
		given = filepath.Join(dir, given)
	}
	return DataDir(filepath.Clean(given)), nil
}

// DefaultData is the data directory of daemons and clients that name none.
func DefaultData(env func(string) (string, bool)) (string, error) {
	if dir := value(env, "XDG_DATA_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "reeve"), nil
	}
	if dir := value(env, "LOCALAPPDATA"); runtime.GOOS == "windows" && dir != "" {
		return filepath.Join(dir, "reeve"), nil
	}
	if home := home(env); home != "" {
		return filepath.Join(home, ".local", "share", "reeve"), nil
	}
	return "", process.Invalid("--data", "there is no home directory to keep data in: name a data directory, or set HOME or XDG_DATA_HOME")
}

func home(env func(string) (string, bool)) string {
	name := "HOME"
	if runtime.GOOS == "windows" {
		name = "USERPROFILE"
	}
	if dir := value(env, name); filepath.IsAbs(dir) {
		return dir
	}
	return ""
}
