package wire

import "encoding/binary"

// AppendStrings writes strings, which may hold any bytes, so that TakeStrings
// finds them again.
func AppendStrings(b []byte, all ...string) []byte {
	b = binary.AppendUvarint(b, uint64(len(all)))
	for _, s := range all {
		b = binary.AppendUvarint(b, uint64(len(s)))
		b = append(b, s...)
	}
	return b
}

// TakeStrings reads one list of strings and returns what follows it.
func TakeStrings(b []byte) (all []string, rest []byte, err error) {
	count, b, err := takeNumber(b)
	if err != nil {
		return nil, nil, err
	}
	all = make([]string, 0, count)
	for range count {
		var n int
		if n, b, err = takeNumber(b); err != nil {
			return nil, nil, err
		}
		all = append(all, string(b[:n]))
		b = b[n:]
	}
	return all, b, nil
}

// takeNumber reads a number of bytes, or of things of at least a byte each,
// that follow it: it cannot be more than are there.
func takeNumber(b []byte) (int, []byte, error) {
	n, size := binary.Uvarint(b)
	if size <= 0 || n > uint64(len(b)-size) {
		return 0, nil, ErrMalformed
	}
	return int(n), b[size:], nil
}
