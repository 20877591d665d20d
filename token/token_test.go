package token

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/reeverun/reeve/process"
)

// createEnv makes the test binary create tokens in a file, like "reeve token".
const createEnv = "REEVE_TEST_TOKEN_FILE"

func TestMain(m *testing.M) {
	if path := os.Getenv(createEnv); path != "" {
		for range 5 {
			if _, _, err := Open(path).Create("from outside", []Scope{ScopeRead}, 0); err != nil {
				fmt.Println(err)
				os.Exit(1)
			}
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func open(t *testing.T) *File { return Open(filepath.Join(t.TempDir(), "data", "tokens.json")) }

func create(t *testing.T, f *File, ttl time.Duration, scopes ...Scope) (string, Token) {
	t.Helper()
	secret, tok, err := f.Create("test", scopes, ttl)
	if err != nil {
		t.Fatal(err)
	}
	return secret, tok
}

func verify(t *testing.T, f *File, secret string) bool {
	t.Helper()
	_, ok, err := f.Verify(secret)
	if err != nil {
		t.Fatal(err)
	}
	return ok
}

func TestNoFileMeansNoTokens(t *testing.T) {
	f := open(t)
	if any, err := f.Any(); any || err != nil {
		t.Error(any, err)
	}
	if verify(t, f, "") {
		t.Error("an empty secret was accepted")
	}
	if list, err := f.List(); list == nil || len(list) != 0 || err != nil {
		t.Error(list, err)
	}
}

func TestCreatedTokenIsVerifiedUntilItIsRemoved(t *testing.T) {
	f := open(t)
	secret, made := create(t, f, 0, ScopeRun, ScopeRead, ScopeRun)
	if !strings.HasPrefix(secret, secretPrefix) || len(secret) != len(secretPrefix)+43 {
		t.Errorf("secret %q", secret)
	}
	got, ok, err := f.Verify(secret)
	if !ok || err != nil || got.ID != made.ID || got.Name != "test" || len(got.Scopes) != 2 {
		t.Errorf("%+v %v %v", got, ok, err)
	}
	for _, wrong := range []string{"", secret + "x", secret[:len(secret)-1], strings.ToUpper(secret), made.ID, hash(secret)} {
		if verify(t, f, wrong) {
			t.Errorf("%q was accepted", wrong)
		}
	}
	if err := f.Remove("nope"); !errors.Is(err, process.ErrNotFound) {
		t.Error(err)
	}
	if err := f.Remove(made.ID); err != nil {
		t.Fatal(err)
	}
	if verify(t, f, secret) {
		t.Error("a removed token was accepted")
	}
}

func TestSecretIsNotInTheFileAndTheFileIsPrivate(t *testing.T) {
	f := open(t)
	secret, _ := create(t, f, 0, ScopeAdmin)
	b, err := os.ReadFile(f.path)
	if err != nil || bytes.Contains(b, []byte(strings.TrimPrefix(secret, secretPrefix))) {
		t.Error("the secret is in the file", err)
	}
	info, _ := os.Stat(f.path)
	if info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v", info.Mode())
	}
	left, _ := filepath.Glob(filepath.Join(filepath.Dir(f.path), ".tokens-*"))
	if len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestExpiredTokenIsRefusedButStillCounts(t *testing.T) {
	f := open(t)
	secret, made := create(t, f, time.Hour, ScopeRead)
	f.now = func() time.Time { return made.ExpiresAt.Add(-time.Nanosecond) }
	if !verify(t, f, secret) {
		t.Error("refused before its time")
	}
	f.now = func() time.Time { return made.ExpiresAt }
	if verify(t, f, secret) {
		t.Error("accepted after its time")
	}
	if any, _ := f.Any(); !any {
		t.Error("an expired token opened the daemon to everybody")
	}
}

func TestScopes(t *testing.T) {
	for _, c := range []struct {
		has  Scope
		want []Scope
	}{
		{ScopeRead, []Scope{ScopeRead}},
		{ScopeRun, []Scope{ScopeRead, ScopeRun}},
		{ScopeApprove, []Scope{ScopeRead, ScopeApprove}},
		{ScopeAdmin, []Scope{ScopeRead, ScopeRun, ScopeAdmin}},
	} {
		tok := Token{Scopes: []Scope{c.has}}
		var got []Scope
		for _, s := range Scopes() {
			if tok.Has(s) {
				got = append(got, s)
			}
		}
		if fmt.Sprint(got) != fmt.Sprint(c.want) {
			t.Errorf("%s has %v, want %v", c.has, got, c.want)
		}
	}
	if (Token{}).Has(ScopeRead) {
		t.Error("a token without scopes may read")
	}
}

func TestBadTokensAreRefused(t *testing.T) {
	f := open(t)
	for _, scopes := range [][]Scope{nil, {"root"}, {ScopeRead, ""}} {
		if _, _, err := f.Create("x", scopes, 0); !errors.Is(err, process.ErrInvalid) || !strings.Contains(err.Error(), "read, run, approve, admin") {
			t.Errorf("%v: %v", scopes, err)
		}
	}
	if _, _, err := f.Create("x", []Scope{ScopeRead}, -1); !errors.Is(err, process.ErrInvalid) {
		t.Error(err)
	}
	if any, _ := f.Any(); any {
		t.Error("a refused token exists")
	}
}
