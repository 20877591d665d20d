package compile

import (
	"encoding/json"
	"strings"
)

// mappingsOf takes the mappings out of a source map; what else is in it does
// not change.
func mappingsOf(sourceMap []byte) string {
	var m struct {
		Mappings string `json:"mappings"`
	}
	_ = json.Unmarshal(sourceMap, &m) // without it, traces show the compiled lines
	return m.Mappings
}

// shift moves the sources of a mapping one line up: it undoes a line that was
// put before the client's own. Source lines are told as differences, so only the
// first one that is told changes.
func shift(mappings string) string {
	at := strings.IndexFunc(mappings, func(r rune) bool { return r != ';' && r != ',' })
	if at < 0 {
		return mappings
	}
	end := at + strings.IndexAny(mappings[at:]+";", ",;")
	fields, ok := decodeVLQ(mappings[at:end])
	if !ok || len(fields) < 4 {
		return mappings
	}
	fields[2]--
	return mappings[:at] + encodeVLQ(fields) + mappings[end:]
}

const base64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

func decodeVLQ(s string) (fields []int, ok bool) {
	value, shift := 0, 0
	for _, r := range s {
		digit := strings.IndexRune(base64, r)
		if digit < 0 || shift > 30 {
			return nil, false
		}
		value |= digit & 31 << shift
		if shift += 5; digit&32 != 0 {
			continue
		}
		n := value >> 1
		if value&1 != 0 {
			n = -n
		}
		fields = append(fields, n)
		value, shift = 0, 0
	}
	return fields, shift == 0
}

func encodeVLQ(fields []int) string {
	var b strings.Builder
	for _, n := range fields {
		v := n << 1
		if n < 0 {
			v = -n<<1 | 1
		}
		for {
			digit := v & 31
			if v >>= 5; v > 0 {
				digit |= 32
			}
			b.WriteByte(base64[digit])
			if v == 0 {
				break
			}
		}
	}
	return b.String()
}
