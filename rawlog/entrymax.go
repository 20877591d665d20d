package rawlog

// EntryMax is how many bytes an index entry should cover at most, so that the
// cap can keep a head and a tail of whole entries. The kernel reads in blocks
// of this size.
func (l *Log) EntryMax() int {
	c := l.logs.cfg.Cap
	if l.policy == KeepMemory {
		c = l.logs.cfg.MemoryCap
	}
	return int(min(max(c/8, 4<<10), 256<<10))
}
