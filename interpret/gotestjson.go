package interpret

import (
	"encoding/json"
	"fmt"
	"strings"
)

// jsonOutput marks the lines of `go test -json` that carry output.
const jsonOutput = `output","`

// unwrapperOf returns how lines of a format are turned into text.
func unwrapperOf(format string) (func(string) (string, bool), error) {
	switch format {
	case "", "text":
		return nil, nil
	case "go-test-json":
		return unwrapGoTest, nil
	}
	return nil, fmt.Errorf("format: %q is not text or go-test-json", format)
}

// unwrapGoTest returns the output a line of `go test -json` carries; events
// without output, or cut short, are no lines. Any other line is itself: the
// tool mixes both.
func unwrapGoTest(line string) (string, bool) {
	if !strings.HasPrefix(line, "{") || !strings.Contains(line, `"Action":"`) {
		return line, true
	}
	var ev struct{ Action, Output string }
	if json.Unmarshal([]byte(line), &ev) != nil {
		return "", false
	}
	if ev.Action != "output" && ev.Action != "build-output" {
		return "", false
	}
	return strings.TrimRight(ev.Output, "\r\n"), true
}
