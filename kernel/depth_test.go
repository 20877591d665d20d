package kernel

import (
	"encoding/json"
	"strings"
	"testing"
)

// Structured output that readers of JSON could choke on is not taken.
func TestOutputIsBoundedInDepth(t *testing.T) {
	for depth, ok := range map[int]bool{1: true, 400: true, 600: false, 9990: false, 20_000: false} {
		deep := json.RawMessage(strings.Repeat("[", depth) + "1" + strings.Repeat("]", depth))
		if _, err := asJSON(map[string]any{"a": deep}); (err == nil) != ok {
			t.Errorf("depth %d: %v", depth, err)
		}
	}
}
