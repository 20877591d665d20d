package server

import (
	"strconv"
	"strings"

	"github.com/reeverun/reeve/rawlog"
)

// parseRange reads a Range header for a body of a size. asked is false where
// there is none, or none that can be understood: it is then ignored, as RFC
// 9110 has it. Ranges that lie outside are left out.
func parseRange(header string, size int64) (ranges []rawlog.Span, asked bool) {
	list, ok := strings.CutPrefix(header, "bytes=")
	if !ok {
		return nil, false
	}
	for part := range strings.SplitSeq(list, ",") {
		r, ok := parseSpan(strings.TrimSpace(part), size)
		if !ok {
			return nil, false
		}
		if r.Len() > 0 {
			ranges = append(ranges, r)
		}
	}
	return ranges, true
}

// parseSpan reads a-b, a- or -n; an empty span lies outside.
func parseSpan(s string, size int64) (rawlog.Span, bool) {
	first, last, ok := strings.Cut(s, "-")
	if !ok {
		return rawlog.Span{}, false
	}
	if first == "" {
		n, err := strconv.ParseUint(last, 10, 63)
		return rawlog.Span{From: max(0, size-int64(n)), To: size}, err == nil
	}
	from, err := strconv.ParseUint(first, 10, 63)
	if err != nil {
		return rawlog.Span{}, false
	}
	to := uint64(size)
	if last != "" {
		end, err := strconv.ParseUint(last, 10, 63)
		if err != nil || end < from {
			return rawlog.Span{}, false
		}
		to = min(to, end+1)
	}
	if from >= to {
		return rawlog.Span{}, true
	}
	return rawlog.Span{From: int64(from), To: int64(to)}, true
}

// touches reports whether any of the ranges holds bytes of a hole.
func touches(ranges, holes []rawlog.Span) bool {
	for _, r := range ranges {
		for _, h := range holes {
			if r.From < h.To && h.From < r.To {
				return true
			}
		}
	}
	return false
}
