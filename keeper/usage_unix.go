//go:build unix

package keeper

import "github.com/reeverun/reeve/keeper/internal/procs"

// held adds what a living process holds.
func (u *Usage) held(s procs.Stat) {
	if s.Alive() {
		u.RSS += s.RSS
		u.PIDs++
	}
}
