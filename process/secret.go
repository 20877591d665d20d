package process

import (
	"encoding/json"
	"log/slog"
)

// Redacted stands for a secret wherever one would be shown.
const Redacted = "•••"

// Secret is a value that is needed to run a process and must not be shown:
// printed, logged or marshalled it is [Redacted]. Reveal gives the value.
type Secret string

// Reveal returns the value itself, for the spawner and the sealed store only.
func (s Secret) Reveal() string { return string(s) }

// String returns Redacted.
func (s Secret) String() string { return Redacted }

// GoString returns Redacted.
func (s Secret) GoString() string { return Redacted }

// MarshalJSON writes Redacted.
func (s Secret) MarshalJSON() ([]byte, error) { return json.Marshal(Redacted) }

// LogValue gives slog Redacted.
func (s Secret) LogValue() slog.Value { return slog.StringValue(Redacted) }
