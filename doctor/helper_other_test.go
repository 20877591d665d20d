//go:build !linux

package doctor_test

func helperMain() {}
