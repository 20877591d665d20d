//go:build !unix

package peer

import "syscall"

func unprivileged(string) (*syscall.SysProcAttr, error) { return nil, nil }
