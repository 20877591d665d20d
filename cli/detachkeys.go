package cli

import "strings"

// defaultDetachKeys leave a process as telnet leaves its host: a key that shells
// and editors hardly use.
const defaultDetachKeys = "ctrl-]"

// detachKeys is a sequence that is not typed into the process but leaves it.
// The zero value never does.
type detachKeys struct {
	name     string
	sequence []byte
	matched  int // of its beginning, held back
}

// parseDetachKeys reads keys separated by commas: ctrl-LETTER, or one character;
// "none" is no keys.
func parseDetachKeys(text string) (detachKeys, error) {
	d := detachKeys{name: text}
	if text == "none" {
		return d, nil
	}
	for _, key := range strings.Split(text, ",") {
		b, ok := keyByte(key)
		if !ok {
			return d, usagef("--detach-keys %q: %q is not a key: want ctrl-] or ctrl-p,ctrl-q, or none", text, key)
		}
		d.sequence = append(d.sequence, b)
	}
	return d, nil
}

func keyByte(key string) (byte, bool) {
	if len(key) == 1 && key[0] > ' ' && key[0] < 0x7f {
		return key[0], true
	}
	name, ok := strings.CutPrefix(strings.ToLower(key), "ctrl-")
	if !ok || len(name) != 1 || !strings.Contains("abcdefghijklmnopqrstuvwxyz@[]\\^_", name) {
		return 0, false
	}
	return name[0] & 0x1f, true
}

// take returns what of b is to be typed, and whether the rest of b follows the
// keys. The beginning of the keys is held back until it is known to be theirs.
func (d *detachKeys) take(b []byte) (typed []byte, leave bool) {
	if len(d.sequence) == 0 {
		return b, false
	}
	typed = make([]byte, 0, len(b)+d.matched)
	for _, c := range b {
		for c != d.sequence[d.matched] && d.matched > 0 { // the longest other beginning
			keep := d.shorter(d.matched)
			typed = append(typed, d.sequence[:d.matched-keep]...)
			d.matched = keep
		}
		if c != d.sequence[d.matched] {
			typed = append(typed, c)
			continue
		}
		if d.matched++; d.matched == len(d.sequence) {
			return typed, true
		}
	}
	return typed, false
}

// shorter is how much of the sequence's beginning the first n of it end with.
func (d *detachKeys) shorter(n int) int {
	for keep := n - 1; keep > 0; keep-- {
		if string(d.sequence[n-keep:n]) == string(d.sequence[:keep]) {
			return keep
		}
	}
	return 0
}
