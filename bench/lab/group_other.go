//go:build !unix

package lab

import "syscall"

func ownGroup() *syscall.SysProcAttr { return nil }
