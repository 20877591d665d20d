package rawlog

// pageRecords is how many records make a page of the index file.
const pageRecords = pageSize / recordSize

// drop frees the pages of the index whose entries have all lost their bytes, so
// that a program that writes forever does not fill the disk with its index. It
// looks at what lies before the end of stream s's last hole, once. The last
// entry stays: it tells where the streams stand.
func (x *indexFile) drop(s Stream, holes [2][]Span) error {
	if x.f == nil || len(holes[s]) == 0 {
		return nil
	}
	gone := holes[s][len(holes[s])-1].To
	end := min(x.n-1, search(x, func(r *record) bool { return r.ends(s) > gone }))
	page := max(1, slot(x.dropped[s])/pageSize) // the first one holds the states
	last := slot(end) / pageSize                // and is not looked at
	for page < last {
		n := x.deadPages(page, last, holes)
		if n > 0 {
			if err := punch(x.f, x.path, page*pageSize, (page+n)*pageSize); err != nil {
				return nil // it grows, as the log does, which has said so
			}
		}
		page += n + 1
	}
	x.dropped[s] = max(x.dropped[s], unslot(max(1, last)*pageSize))
	return nil
}

// deadPages counts the pages from the given one on that hold no entry with
// bytes left.
func (x *indexFile) deadPages(page, last int64, holes [2][]Span) (n int64) {
	var buf [pageSize]byte
	for page+n < last {
		if m, _ := x.f.ReadAt(buf[:], (page+n)*pageSize); m < pageSize || !dead(buf[:], holes) {
			break
		}
		n++
	}
	return n
}

func dead(page []byte, holes [2][]Span) bool {
	var r record
	for ; len(page) > 0; page = page[recordSize:] {
		if r.get(page) && !inHoles(&r, holes) {
			return false
		}
	}
	return true
}
