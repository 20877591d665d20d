package interpret

import (
	"strconv"
	"strings"

	"github.com/reeverun/reeve/process"
)

// detector recognises a form of progress that an expression would either find
// in too many places or look for too slowly. Its find is its prefilter.
type detector interface {
	finder
	detect(line string) (process.Progress, bool)
}

func detectorNamed(name string) (detector, bool) {
	switch name {
	case "percent":
		return percent{}, true
	case "ratio":
		return ratio{}, true
	}
	return nil, false
}

// percent recognises "45%", "45.5 %" as progress; the last one of a line
// counts. A line that speaks of load, coverage and the like is none.
type percent struct{}

func (percent) find(block []byte, from int) int {
	for i := from; i < len(block); i++ {
		if i = indexFrom(block, '%', i); i == len(block) {
			break
		}
		start := max(from, i-8)
		if _, ok := numberBefore(string(block[start:i])); ok {
			return i
		}
	}
	return len(block)
}

func (percent) detect(line string) (process.Progress, bool) {
	for end := len(line); ; {
		i := strings.LastIndexByte(line[:end], '%')
		if i < 0 {
			return process.Progress{}, false
		}
		v, ok := numberBefore(line[max(0, i-8):i])
		if ok && v <= 100 && !wordAt(line, i+1) && !beforePath(line[i+1:]) && !containsWord(line, notProgress) {
			return process.Fraction(v / 100), true
		}
		end = i
	}
}

// notProgress are words of lines whose percentages measure something else.
var notProgress = wordSet(" accuracy battery compressed compression confidence coverage cpu disk faster hit idle " +
	"increase load loss mem memory packet quota rate ratio saved savings slower smaller " +
	"statements usage used utilization ")

// beforePath tells the usage column of a table of file systems.
func beforePath(s string) bool { return strings.HasPrefix(strings.TrimLeft(s, " "), "/") }

// numberBefore reads the decimal number a text ends in, at most one space
// before its end. Part of a longer word ("v1.2", "-3", "x5") is none.
func numberBefore(s string) (float64, bool) {
	s = strings.TrimSuffix(s, " ")
	i := digitsBefore(s, len(s))
	if i == len(s) {
		return 0, false
	}
	if i > 1 && s[i-1] == '.' && isDigit(s[i-2]) {
		i = digitsBefore(s, i-1)
	}
	if i > 0 && (isWord(s[i-1]) || s[i-1] == '-') || i > 1 && s[i-1] == '.' && isDigit(s[i-2]) {
		return 0, false
	}
	v, err := strconv.ParseFloat(s[i:], 64)
	return v, err == nil
}

func digitsBefore(s string, i int) int {
	for i > 0 && isDigit(s[i-1]) {
		i--
	}
	return i
}

// ratio recognises "3/10" as a count, where it is written as one: in brackets
// ("[3/10]", "( 3/10)") or beside a word that is counted ("Step 3/10",
// "3/10 files"). Dates, paths, networks and fractions in prose are none.
type ratio struct{}

func (ratio) find(block []byte, from int) int {
	for i := from; i < len(block); i++ {
		if i = indexFrom(block, '/', i); i == len(block) {
			break
		}
		if i == from || i+1 == len(block) || !isDigit(block[i-1]) || !isDigit(block[i+1]) {
			continue
		}
		end := i + 2
		for end < len(block) && isDigit(block[end]) {
			end++
		}
		if !plain(at(block, end)) { // most often a date: its next slash is none either
			i = end
			continue
		}
		if start, _ := digitsAround(block, i); start >= from && plain(at(block, start-1)) {
			return i
		}
	}
	return len(block)
}

func (ratio) detect(line string) (process.Progress, bool) {
	b := []byte(line)
	for i := 0; i < len(b); i++ {
		if i = (ratio{}).find(b, i); i == len(b) {
			break
		}
		start, end := digitsAround(b, i)
		done, err1 := strconv.ParseInt(line[start:i], 10, 48)
		total, err2 := strconv.ParseInt(line[i+1:end], 10, 48)
		if err1 != nil || err2 != nil || total < 1 || done > total {
			continue
		}
		if bracketed(b, start, end) || counted[lastWord(line[:start])] || counted[firstWord(line[end:])] {
			return process.Progress{Kind: process.ProgressDeterminate, Unit: process.UnitCount, Done: done, Total: total}, true
		}
	}
	return process.Progress{}, false
}

// counted are words beside which n/m is a count.
var counted = wordSet(" batch batches build building chunk chunks compiling complete completed copied done " +
	"downloaded downloading epoch file files finished image images installed installing item " +
	"items iteration job jobs layer layers module modules objects package packages page pages " +
	"part parts phase processed progress records round rows stage step steps target targets task " +
	"tasks test testing tests uploaded uploading ")

func digitsAround(b []byte, i int) (start, end int) {
	start, end = i, i+1
	for start > 0 && isDigit(b[start-1]) {
		start--
	}
	for end < len(b) && isDigit(b[end]) {
		end++
	}
	return start, end
}

// plain reports whether a byte may stand beside a ratio.
func plain(c byte) bool {
	switch c {
	case '/', '.', '-', '\\', '+', '%', '@':
		return false
	}
	return !isWord(c)
}

func at(b []byte, i int) byte {
	if i < 0 || i >= len(b) {
		return '\n'
	}
	return b[i]
}

func bracketed(b []byte, start, end int) bool {
	for at(b, start-1) == ' ' {
		start--
	}
	for at(b, end) == ' ' {
		end++
	}
	l, r := at(b, start-1), at(b, end)
	return l == '[' && r == ']' || l == '(' && r == ')'
}
