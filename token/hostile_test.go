package token

import (
	"path/filepath"
	"testing"
	"time"
)

// The end of a token is cut to the second: one of a short life may be over
// before it begins. token/file.go:99 (Create); round it up.
func TestHostileShortLivedTokenLives(t *testing.T) {
	f := Open(filepath.Join(t.TempDir(), "tokens.json"))
	now := time.Date(2026, 6, 24, 12, 0, 0, 100e6, time.UTC)
	f.now = func() time.Time { return now }
	secret, made, err := f.Create("short", []Scope{ScopeRead}, 800*time.Millisecond)
	if err != nil {
		t.Fatal(err)
	}
	if _, ok, err := f.Verify(secret); !ok || err != nil {
		t.Errorf("made at %v for 800 ms, it ended at %v", now, made.ExpiresAt)
	}
}
