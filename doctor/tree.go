package doctor

import (
	"fmt"
	"runtime"

	"github.com/reeverun/reeve/keeper"
)

// tierMeanings says what each tier of the keeper does when it works.
var tierMeanings = map[keeper.Tier]string{
	keeper.TierCgroup2:   "Each run has a cgroup of its own: the kernel kills and freezes all of it, whatever the program does to get away.",
	keeper.TierSubreaper: "Each run has a small parent process that inherits what breaks away, and kills until nothing is left.",
	keeper.TierGroup:     "Each run has a process group; what leaves it is found by a mark in its environment, which a program can remove.",
	keeper.TierJobObject: "Each run has a Job Object: the system kills all of it.",
}

// tierAdvice says how to come by a tier that does not work.
var tierAdvice = map[keeper.Tier]string{
	keeper.TierCgroup2: "Run Reeve where it owns its cgroup: as a systemd service with Delegate=yes, or in a container with a writable cgroup v2 file system.",
}

func treeChecks() []Check {
	reports := keeper.Probe()
	checks := []Check{bestTier(reports)}
	for _, r := range reports {
		c := check(SectionTree, "tier-"+string(r.Tier), "tier "+string(r.Tier))
		if r.Available {
			checks = append(checks, c.ok(tierMeanings[r.Tier]))
		} else {
			checks = append(checks, c.missing("Trees cannot be held this way here.", r.Reason, ""))
		}
	}
	return append(checks, treeExtras()...)
}

// bestTier says which tier Reeve uses: the first that works.
func bestTier(reports []keeper.TierReport) Check {
	c := check(SectionTree, "tree-control", "tree control")
	why, advice := "", ""
	for _, r := range reports {
		if !r.Available {
			if why == "" {
				why, advice = fmt.Sprintf("%s: %s", r.Tier, r.Reason), tierAdvice[r.Tier]
			}
			continue
		}
		uses := fmt.Sprintf("Reeve uses %s. %s", r.Tier, tierMeanings[r.Tier])
		switch {
		case r.Tier == keeper.TierGroup && why == "":
			return c.limited(uses, runtime.GOOS+" has nothing stronger", "")
		case why != "":
			return c.limited(uses, why, advice)
		}
		return c.ok(uses)
	}
	return c.missing("Reeve cannot run commands here.", why, advice)
}
