//go:build !unix

package lab

import "syscall"

func ownGroup() *syscall.SysProcAttr { return nil }

const profileSignal = syscall.SIGTERM // it has no profile to end
