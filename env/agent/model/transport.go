package model

import (
	"cmp"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"
)

// ErrSilent is why a call is given up on whose endpoint says nothing.
var ErrSilent = errors.New("nothing came for too long")

// errAddress is of an address at which no model can be.
var errAddress = errors.New("the address is not usable")

// DefaultIdle is how long an endpoint may say nothing.
const DefaultIdle = time.Minute

// maxResponse bounds what is read of one answer: an endpoint is trusted to
// think, not to keep this process's memory.
const maxResponse = 64 << 20

// Client makes a client for one endpoint. It follows no redirect, which would
// carry a key to somebody else, and gives up a call on which nothing came for
// idle; 0: DefaultIdle.
func Client(idle time.Duration) *http.Client {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.MaxIdleConnsPerHost = 64 // agents of one daemon talk to one host
	return &http.Client{
		Transport:     &watch{t, cmp.Or(idle, DefaultIdle)},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// Host is the part of an endpoint's address that can be shown.
func Host(base, otherwise string) (string, error) {
	if base == "" {
		return otherwise, nil
	}
	u, err := url.Parse(base)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return "an address that is none", fmt.Errorf("%w: write it as https://HOST/PATH", errAddress)
	}
	return u.Host, nil
}

// Secrets are what of an endpoint's configuration may be in no message: its keys,
// and the credentials in its address, in all the ways in which they are written.
func Secrets(base string, keys ...string) []string {
	u, err := url.Parse(base)
	if err != nil || u.User == nil {
		return keys
	}
	word, _ := u.User.Password()
	both := u.User.Username() + ":" + word
	keys = append(keys, u.User.String(), both, base64.StdEncoding.EncodeToString([]byte(both)), word)
	if word == "" { // the name is all there is
		keys = append(keys, u.User.Username())
	}
	return keys
}

// watch gives up on silent connections.
type watch struct {
	next http.RoundTripper
	idle time.Duration
}

// CloseIdleConnections is found by http.Client.
func (w *watch) CloseIdleConnections() {
	if c, ok := w.next.(interface{ CloseIdleConnections() }); ok {
		c.CloseIdleConnections()
	}
}

func (w *watch) RoundTrip(req *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancelCause(req.Context())
	silence := time.AfterFunc(w.idle, func() { cancel(ErrSilent) })
	res, err := w.next.RoundTrip(req.WithContext(ctx))
	if err != nil {
		silence.Stop()
		err = orSilent(ctx, err)
		cancel(nil)
		return nil, err
	}
	res.Body = &watched{ReadCloser: res.Body, ctx: ctx, cancel: cancel, silence: silence, idle: w.idle, left: maxResponse}
	return res, nil
}

func orSilent(ctx context.Context, err error) error {
	if context.Cause(ctx) == ErrSilent {
		return ErrSilent
	}
	return err
}

// watched is a body that is waited for while it says something.
type watched struct {
	io.ReadCloser
	ctx     context.Context // of the request it answers
	cancel  context.CancelCauseFunc
	silence *time.Timer
	idle    time.Duration
	left    int64
}

func (b *watched) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if n > 0 {
		b.silence.Reset(b.idle)
	}
	if b.left -= int64(n); b.left < 0 {
		return 0, fmt.Errorf("the answer is larger than %d MiB", maxResponse>>20)
	}
	if err != nil && err != io.EOF {
		err = orSilent(b.ctx, err)
	}
	return n, err
}

func (b *watched) Close() error {
	b.silence.Stop()
	err := b.ReadCloser.Close()
	b.cancel(nil)
	return err
}
