// Package seal keeps secrets unreadable at rest: AES-256-GCM under a key of 32
// random bytes that lives in a file of its own, readable by its owner only.
//
// What is sealed can be opened again only with the same key and only
// unchanged; a lost key cannot be replaced. A [Box] is safe for concurrent
// use.
package seal

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
)

// KeySize is the length of a key, in bytes.
const KeySize = 32

// version opens every sealed value, so that another scheme can follow; it is
// authenticated with the rest.
const version = 1

// ErrUnsealable says that a value was sealed with another key or was changed.
var ErrUnsealable = errors.New("the sealed value does not belong to this key or was changed")

// Box seals and opens values with one key.
type Box struct {
	aead   cipher.AEAD
	digest []byte // key of Digest
}

// Open returns the box of a key file, and creates the file if there is none.
// Of any number of concurrent first calls all get the same key.
func Open(path string) (*Box, error) {
	key, err := loadOrCreate(path)
	if err != nil {
		return nil, fmt.Errorf("open key: %w", err)
	}
	return newBox(key)
}

// Ephemeral returns a box whose key exists in memory only: what it sealed is
// lost with it.
func Ephemeral() (*Box, error) {
	return newBox(newKey())
}

func newKey() []byte {
	key := make([]byte, KeySize)
	rand.Read(key) // never fails: the runtime aborts without randomness
	return key
}

func newBox(key []byte) (*Box, error) {
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, fmt.Errorf("make cipher: %w", err)
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		return nil, fmt.Errorf("make cipher: %w", err)
	}
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte("digest"))
	return &Box{aead: aead, digest: mac.Sum(nil)}, nil
}

// Digest identifies a value that may hold secrets: without the key nobody can
// try which value it is of.
func (b *Box) Digest(plain []byte) string {
	mac := hmac.New(sha256.New, b.digest)
	mac.Write(plain)
	return hex.EncodeToString(mac.Sum(nil))
}

// Seal encrypts and authenticates a value. Sealing it twice gives two
// different results.
func (b *Box) Seal(plain []byte) ([]byte, error) {
	head := []byte{version}
	out := make([]byte, 1, 1+len(plain)+b.aead.Overhead())
	out[0] = version
	return b.aead.Seal(out, nil, plain, head), nil
}

// Open returns the value that Seal was given, or ErrUnsealable.
func (b *Box) Open(sealed []byte) ([]byte, error) {
	if len(sealed) == 0 {
		return nil, ErrUnsealable
	}
	if sealed[0] != version {
		return nil, fmt.Errorf("sealed by scheme %d, this program knows %d: %w", sealed[0], version, ErrUnsealable)
	}
	plain, err := b.aead.Open(nil, nil, sealed[1:], sealed[:1])
	if err != nil {
		return nil, ErrUnsealable
	}
	return plain, nil
}
