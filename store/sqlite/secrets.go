package sqlite

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/reeverun/reeve/process"
)

// The secrets of a spec are sealed as one value: the number of variables, then
// each name and value, then stdin, then what the code leaves out, then who is
// notified and how that is signed; every text by its length and bytes. The end
// is left out where it would be empty.

// seal returns the sealed secrets of a spec, nil if it has none.
func (s *Store) seal(spec *process.Spec) ([]byte, error) {
	c := spec.Command
	if c == nil {
		c = &process.Command{}
	}
	if len(c.Env) == 0 && c.StdinData == "" && spec.Hidden == "" && spec.Notify == nil {
		return nil, nil
	}
	plain := binary.AppendUvarint(nil, uint64(len(c.Env)))
	for name, value := range c.Env {
		plain = appendText(plain, name)
		plain = appendText(plain, value.Reveal())
	}
	plain = appendText(plain, c.StdinData.Reveal())
	if spec.Hidden != "" || spec.Notify != nil {
		plain = appendText(plain, spec.Hidden.Reveal())
	}
	if n := spec.Notify; n != nil {
		plain = appendText(plain, n.URL.Reveal())
		plain = appendText(plain, n.Secret.Reveal())
	}
	return s.sealer.Seal(plain)
}

// unseal puts the secrets back into a spec.
func (s *Store) unseal(spec *process.Spec, sealed []byte) error {
	if len(sealed) == 0 {
		return nil
	}
	plain, err := s.sealer.Open(sealed)
	if err != nil {
		return fmt.Errorf("open secrets: %w", err)
	}
	r := textReader{rest: plain}
	n := r.number()
	env := map[string]process.Secret{}
	for ; n > 0 && r.err == nil; n-- {
		name := r.text()
		env[name] = process.Secret(r.text())
	}
	stdin := process.Secret(r.text())
	if len(r.rest) > 0 {
		spec.Hidden = process.Secret(r.text())
	}
	if len(r.rest) > 0 {
		spec.Notify = &process.Notify{URL: process.Secret(r.text())}
		spec.Notify.Secret = process.Secret(r.text())
	}
	if c := spec.Command; c != nil {
		c.Env, c.StdinData = env, stdin
	}
	return r.err
}

func appendText(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

// textReader reads what appendText wrote. After an error it reads zeros.
type textReader struct {
	rest []byte
	err  error
}

func (r *textReader) number() uint64 {
	n, size := binary.Uvarint(r.rest)
	if size <= 0 {
		r.err, r.rest = errors.New("open secrets: cut short"), nil
		return 0
	}
	r.rest = r.rest[size:]
	return n
}

func (r *textReader) text() string {
	n := r.number()
	if n > uint64(len(r.rest)) {
		r.err, r.rest = errors.New("open secrets: cut short"), nil
		return ""
	}
	s := string(r.rest[:n])
	r.rest = r.rest[n:]
	return s
}
