//go:build !linux && !darwin

package handover

import (
	"errors"
	"net"
	"os"
	"syscall"
)

const (
	supported   = false
	rightsSpace = 0
)

func rights([]int) []byte { return nil }

func received([]byte) []*os.File { return nil }

func userOf(*net.UnixConn) (int, error) { return 0, errors.ErrUnsupported }

// Duplicate is not there on this system.
func Duplicate(syscall.Conn) (int, error) { return 0, errors.ErrUnsupported }

// CloseDuplicates has nothing to close.
func CloseDuplicates([]int) {}
