//go:build unix && !linux && !darwin

package quickjs

// rssUnit is what the kernel counts memory in, in bytes.
const rssUnit = 1024
