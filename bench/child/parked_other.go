//go:build !linux

package main

import "errors"

func parked(int) error { return errors.New("needs pidfds, which are Linux's") }
