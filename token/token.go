// Package token keeps the tokens that clients of a daemon show.
//
// A token is a secret of 256 random bits, shown once, when it is made; the file
// holds its SHA-256, which is enough for a secret that cannot be guessed. The
// file is replaced as a whole, under a lock, and read again when it has changed:
// any number of programs may use it at the same time, the daemon and "reeve
// token" among them.
package token

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"slices"
	"strings"
	"time"

	"github.com/reeverun/reeve/process"
)

// Scope is something that the holder of a token may do.
type Scope string

// The scopes. Run, approve and admin include read; admin includes run. Only
// approve allows to approve: who starts work must not be able to wave it
// through.
const (
	ScopeRead    Scope = "read"    // see everything
	ScopeRun     Scope = "run"     // create, signal and delete processes
	ScopeApprove Scope = "approve" // decide approvals
	ScopeAdmin   Scope = "admin"   // everything else
)

// Scopes lists every scope.
func Scopes() []Scope { return []Scope{ScopeRead, ScopeRun, ScopeApprove, ScopeAdmin} }

// Token is what is known of a token; its secret is not.
type Token struct {
	ID        string    `json:"id"`
	Name      string    `json:"name,omitempty"`
	Scopes    []Scope   `json:"scopes"`
	CreatedAt time.Time `json:"createdAt"`
	ExpiresAt time.Time `json:"expiresAt,omitzero"` // zero: never
}

// Has reports whether the token's scopes include s.
func (t Token) Has(s Scope) bool {
	switch s {
	case ScopeRead:
		return len(t.Scopes) > 0
	case ScopeRun:
		return slices.Contains(t.Scopes, ScopeRun) || slices.Contains(t.Scopes, ScopeAdmin)
	}
	return slices.Contains(t.Scopes, s)
}

// Expired reports whether the token's time was over at a moment.
func (t Token) Expired(at time.Time) bool { return !t.ExpiresAt.IsZero() && !at.Before(t.ExpiresAt) }

// secretPrefix lets people, and programs that look for leaked secrets, see what
// they found.
const secretPrefix = "reeve_"

func newSecret() string {
	b := make([]byte, 32)
	_, _ = rand.Read(b) // it never fails
	return secretPrefix + base64.RawURLEncoding.EncodeToString(b)
}

func newID() string {
	b := make([]byte, 4)
	_, _ = rand.Read(b)
	return hex.EncodeToString(b)
}

func hash(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(sum[:])
}

// checkScopes refuses an empty list and scopes that do not exist.
func checkScopes(scopes []Scope) error {
	known := make([]string, 0, len(Scopes()))
	for _, s := range Scopes() {
		known = append(known, string(s))
	}
	if len(scopes) == 0 {
		return process.Invalid("scope", "is missing: want at least one of %s", strings.Join(known, ", "))
	}
	for _, s := range scopes {
		if !slices.Contains(Scopes(), s) {
			return process.Invalid("scope", "%q is not one of %s", s, strings.Join(known, ", "))
		}
	}
	return nil
}
