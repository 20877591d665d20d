package token

import (
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/reeverun/reeve/process"
)

// File is a file of tokens. Its methods are safe for concurrent use, also by
// several Files of one path.
type File struct {
	path string
	now  func() time.Time

	mu     sync.Mutex // guards what follows
	seen   fs.FileInfo
	tokens []stored
}

// stored is a token as the file has it.
type stored struct {
	Token
	Hash string `json:"hash"`
}

// content is the file.
type content struct {
	Tokens []stored `json:"tokens"`
}

// Open names a file of tokens. It need not exist: there are no tokens then.
func Open(path string) *File { return &File{path: path, now: time.Now} }

// Any reports whether there are tokens. Expired ones count: a daemon does not
// open up because time has passed.
func (f *File) Any() (bool, error) {
	tokens, err := f.load()
	return len(tokens) > 0, err
}

// List returns the tokens in the order of their making.
func (f *File) List() ([]Token, error) {
	all, err := f.load()
	tokens := make([]Token, 0, len(all))
	for _, t := range all {
		tokens = append(tokens, t.Token)
	}
	return tokens, err
}

// Verify returns the token that a secret belongs to, unless it has expired. The
// time it takes tells nothing about the secrets of others.
func (f *File) Verify(secret string) (Token, bool, error) {
	all, err := f.load()
	if err != nil {
		return Token{}, false, err
	}
	given, found := []byte(hash(secret)), -1
	for i, t := range all {
		if subtle.ConstantTimeCompare(given, []byte(t.Hash)) == 1 {
			found = i
		}
	}
	if found < 0 || all[found].Expired(f.now()) {
		return Token{}, false, nil
	}
	return all[found].Token, true, nil
}

// Create makes a token; ttl 0 means that it never expires. The secret is not
// kept: this is the only time it is seen.
func (f *File) Create(name string, scopes []Scope, ttl time.Duration) (secret string, t Token, err error) {
	if err := checkScopes(scopes); err != nil {
		return "", Token{}, err
	}
	if ttl < 0 {
		return "", Token{}, process.Invalid("expires", "%v is over already: give a positive duration", ttl)
	}
	secret = newSecret()
	t = Token{
		Name:   strings.TrimSpace(name),
		Scopes: slices.Compact(slices.Sorted(slices.Values(scopes))), CreatedAt: f.now().UTC().Truncate(time.Second),
	}
	if ttl > 0 {
		t.ExpiresAt = f.now().Add(ttl + time.Second - 1).UTC().Truncate(time.Second)
	}
	err = f.change(func(all []stored) ([]stored, error) {
		for t.ID == "" || slices.ContainsFunc(all, func(o stored) bool { return o.ID == t.ID }) {
			t.ID = newID()
		}
		return append(all, stored{t, hash(secret)}), nil
	})
	if err != nil {
		return "", Token{}, err
	}
	return secret, t, nil
}

// Remove forgets a token; it is refused from then on.
func (f *File) Remove(id string) error {
	return f.change(func(all []stored) ([]stored, error) {
		left := slices.DeleteFunc(slices.Clone(all), func(t stored) bool { return t.ID == id })
		if len(left) == len(all) {
			return nil, &process.Error{Code: process.CodeNotFound,
				Message: fmt.Sprintf("there is no token %q", id), Hint: "reeve token list shows their ids"}
		}
		return left, nil
	})
}

// load returns the tokens, read again if the file is not the one seen last.
func (f *File) load() ([]stored, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	info, err := os.Stat(f.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		f.seen, f.tokens = nil, nil
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("read tokens: %w", err)
	case f.seen != nil && same(f.seen, info):
		return f.tokens, nil
	}
	return f.read()
}

func same(a, b fs.FileInfo) bool {
	return os.SameFile(a, b) && a.Size() == b.Size() && a.ModTime().Equal(b.ModTime()) && a.Mode() == b.Mode()
}

// read reads the file; f.mu is held.
func (f *File) read() ([]stored, error) {
	in, err := os.Open(f.path)
	if err != nil {
		return nil, fmt.Errorf("read tokens: %w", err)
	}
	defer in.Close()
	info, err := in.Stat()
	if err != nil {
		return nil, fmt.Errorf("read tokens: %w", err)
	}
	if mode := info.Mode().Perm(); runtime.GOOS != "windows" && mode&0o077 != 0 {
		return nil, fmt.Errorf("%s is open to other users (mode %04o): run chmod 600 %s", f.path, mode, f.path)
	}
	b, err := io.ReadAll(in)
	var c content
	if err == nil {
		err = json.Unmarshal(b, &c)
	}
	if err != nil {
		return nil, fmt.Errorf("read tokens: %s cannot be understood, restore it or remove it and make new tokens: %w", f.path, err)
	}
	f.seen, f.tokens = info, c.Tokens
	return f.tokens, nil
}
