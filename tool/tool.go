package tool

import (
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"strings"

	"github.com/reeverun/reeve/process"
)

// Service is what an adapter offers.
type Service struct {
	Name        string // the adapter's own idea of it; the registry's name wins
	Description string
	Tools       []Tool
}

// Tool is one thing that can be called.
type Tool struct {
	Name        string // of letters, digits and _ . -, at most 64
	Description string
	Params      json.RawMessage // a JSON Schema; nil: any object
	Result      json.RawMessage // a JSON Schema; nil: unknown
}

// Adapter performs the calls of one service. Its methods are safe for
// concurrent use.
type Adapter interface {
	// Open connects, unless it is connected, and returns what is offered. It
	// may be called again, after Close too.
	Open(ctx context.Context) (Service, error)
	// Call performs one call. params is a JSON object. Where the tool said no,
	// the error is a *process.ToolError; where the tool was not reached at
	// all, it wraps [ErrNotSent].
	Call(ctx context.Context, tool string, params json.RawMessage) (json.RawMessage, error)
	// Close ends what Open began. It may be called again, and without Open.
	Close() error
}

// Kinder is an Adapter that has a name for its kind, such as "mcp".
type Kinder interface {
	Kind() string
}

// Watcher is an Adapter that notices by itself when what it offers changes.
type Watcher interface {
	// Watch is called once, before the first Open. The adapter calls changed
	// with nil when Open would return something else, and with the reason when
	// the connection is lost. changed does not block.
	Watch(changed func(lost error))
}

// ErrNotSent marks the error of a call that never reached its tool, so that it
// may be repeated.
var ErrNotSent = fmt.Errorf("the call was not sent")

// maxName bounds the name of a service or a tool.
const maxName = 64

// ValidName reports whether s may name a service or a tool.
func ValidName(s string) bool {
	if s == "" || len(s) > maxName {
		return false
	}
	for i := range len(s) {
		if !nameByte(s[i]) {
			return false
		}
	}
	return true
}

func nameByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '.' || c == '-'
}

// SafeName makes a valid name of what somebody else calls a tool. Names that are
// valid stay; taken says which are in use already.
func SafeName(s string, taken func(string) bool) string {
	name := []byte(s)
	for i, c := range name {
		if !nameByte(c) {
			name[i] = '_'
		}
	}
	safe := string(name)
	if safe == "" {
		safe = "_"
	}
	if len(safe) > maxName {
		safe = fmt.Sprintf("%s_%08x", safe[:maxName-9], digest(s))
	}
	unique := safe
	for n := 2; taken != nil && taken(unique); n++ {
		suffix := fmt.Sprintf("_%d", n)
		unique = safe[:min(len(safe), maxName-len(suffix))] + suffix
	}
	return unique
}

func digest(s string) uint32 {
	h := fnv.New32a()
	_, _ = h.Write([]byte(s))
	return h.Sum32()
}

// maxErrorText bounds the message of a ToolError.
const maxErrorText = 4 << 10

// Errorf makes the error of a call.
func Errorf(code, format string, args ...any) *process.ToolError {
	return &process.ToolError{Code: code, Message: Clip(fmt.Sprintf(format, args...), maxErrorText)}
}

// Clip cuts a text for people at n bytes, between characters, and says so.
func Clip(s string, n int) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	if len(s) <= n {
		return s
	}
	cut := s[:max(0, n-len("…"))]
	for len(cut) > 0 && !validEnd(cut) {
		cut = cut[:len(cut)-1]
	}
	return cut + "…"
}
