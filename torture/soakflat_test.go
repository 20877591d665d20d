//go:build linux

package torture

// figure is one thing that has to stay flat.
type figure struct {
	name  string
	exact bool    // a count, which stands still at rest
	may   float64 // what it may grow by, from first to last by the slope
	most  float64 // what it may be at rest; 0: anything
	life  func(sample) int
}

// Figures belong to the daemon, to the keeper, or to what outlives both.
func ofDaemon(s sample) int { return s.daemon }
func ofKeeper(s sample) int { return s.keeper }
func ofAll(sample) int      { return 1 }

// watched are the figures, each with what it may grow by:
//   - Counts vary by what Reeve holds ready: a listener's goroutine, idle
//     threads of the Go runtime, prepared cgroups (a stock of 32, in up to three
//     hierarchies). A leak per process passes these within one round.
//   - Heap is what was alive after a collection at rest. Memory beyond it is the
//     collector's: it keeps what a peak took, and gives that back late.
//   - The database's log of writes grows to 16 MiB before it begins anew, and
//     neither that nor the database shrinks.
var watched = []figure{
	{name: "daemon memory, MiB", may: 100, life: ofDaemon},
	{name: "daemon heap, MiB", may: 12, life: ofDaemon},
	{name: "daemon goroutines", exact: true, may: 12, life: ofDaemon},
	{name: "daemon descriptors", exact: true, may: 12, life: ofDaemon},
	{name: "daemon threads", may: 12, life: ofDaemon},
	{name: "keeper memory, MiB", may: 8, life: ofKeeper},
	{name: "keeper descriptors", exact: true, may: 12, life: ofKeeper},
	{name: "keeper threads", may: 12, life: ofKeeper},
	{name: "zygote memory, MiB", may: 8, life: ofDaemon},
	{name: "zygote descriptors", exact: true, may: 4, life: ofDaemon},
	{name: "processes", exact: true, may: 2, life: ofAll},
	{name: "zombies", exact: true, may: 0.5, most: 0.5, life: ofAll},
	{name: "cgroups", may: 40, most: 130, life: ofAll},
	{name: "files", exact: true, may: 4, life: ofAll},
	{name: "files of pruned output", exact: true, may: 0.5, most: 0.5, life: ofAll},
	{name: "temporary files", exact: true, may: 0.5, most: 0.5, life: ofAll},
	{name: "data, MiB", may: 24, life: ofAll},
}

// growth is by how much a figure grew, by the slope that its lives have in
// common, over as many processes as the longest of them saw. The first part of
// each life is left out: caches fill, pools reach their size.
func (f figure) growth(samples []sample) (grown, perProcess float64) {
	lives := map[int][]sample{}
	for _, s := range samples {
		lives[f.life(s)] = append(lives[f.life(s)], s)
	}
	var xy, xx, span float64
	for _, life := range lives {
		life = life[(len(life)+1)/3:]
		var meanX, meanY float64
		for _, s := range life {
			meanX += float64(s.made) / float64(len(life))
			meanY += s.values[f.name] / float64(len(life))
		}
		for _, s := range life {
			dx := float64(s.made) - meanX
			xy += dx * (s.values[f.name] - meanY)
			xx += dx * dx
		}
		span = max(span, float64(life[len(life)-1].made-life[0].made))
	}
	if xx == 0 {
		return 0, 0
	}
	return xy / xx * span, xy / xx
}

// peak is the highest value at rest.
func (f figure) peak(samples []sample) (most float64) {
	for _, s := range samples {
		most = max(most, s.values[f.name])
	}
	return most
}

// flat reports whether a figure stayed as it should.
func (f figure) flat(samples []sample) bool {
	grown, _ := f.growth(samples)
	return grown <= f.may && (f.most == 0 || f.peak(samples) <= f.most)
}
