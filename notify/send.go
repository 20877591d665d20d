package notify

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"crypto/tls"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/reeverun/reeve/process"
)

// AttemptTimeout bounds one attempt, from the name lookup to the answer.
const AttemptTimeout = 10 * time.Second

// maxAnswer is how much of an answer is read, so that its connection can be used
// again; nobody looks at it.
const maxAnswer = 16 << 10

// answer is what became of an attempt.
type answer struct {
	status int           // 0: there was none
	after  time.Duration // it asked not to be asked again before that; 0: it did not
	err    error         // nil: the receiver has it
}

// newTransport goes straight to the receiver: a proxy is for what this program
// wants from the world, and who receives is mostly near.
func newTransport() *http.Transport {
	return &http.Transport{
		Proxy: nil, ForceAttemptHTTP2: true, DisableCompression: true, TLSClientConfig: &tls.Config{MinVersion: tls.VersionTLS12},
		MaxIdleConns: maxFlying, MaxIdleConnsPerHost: maxPerHost, IdleConnTimeout: 30 * time.Second, MaxResponseHeaderBytes: 64 << 10,
	}
}

// newClient follows no redirect: what was signed for one receiver is not for
// another.
func newClient(t http.RoundTripper) *http.Client {
	return &http.Client{Transport: t, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

// send makes one attempt.
func (d *Dispatcher) send(ctx context.Context, to *process.Notify, n *process.Notification) answer {
	ctx, cancel := context.WithTimeout(ctx, AttemptTimeout)
	defer cancel()
	req, err := d.request(ctx, to, n, time.Now())
	if err != nil {
		return answer{err: err}
	}
	resp, err := d.client.Do(req)
	if err != nil {
		return answer{err: plainly(err)}
	}
	defer resp.Body.Close()
	_, _ = io.CopyN(io.Discard, resp.Body, maxAnswer)
	a := answer{status: resp.StatusCode, after: retryAfter(resp.Header.Get("Retry-After"), time.Now())}
	if a.status < 200 || a.status > 299 {
		a.err = fmt.Errorf("the receiver answered %s", strings.TrimSpace(strconv.Itoa(a.status)+" "+http.StatusText(a.status)))
	}
	return a
}

func (d *Dispatcher) request(ctx context.Context, to *process.Notify, n *process.Notification, at time.Time) (*http.Request, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, to.URL.Reveal(), bytes.NewReader(n.Body))
	if err != nil {
		return nil, errors.New("its URL cannot be read") // which may be secret
	}
	key, err := to.Key()
	if err != nil {
		return nil, errors.New("its secret cannot be read")
	}
	stamp := strconv.FormatInt(at.Unix(), 10)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("User-Agent", d.cfg.Agent)
	req.Header.Set("Webhook-Id", n.ID)
	req.Header.Set("Webhook-Timestamp", stamp)
	if key != nil {
		req.Header.Set("Webhook-Signature", sign(key, n.ID, stamp, n.Body))
	}
	return req, nil
}

// sign makes a signature of Standard Webhooks, version 1.
func sign(key []byte, id, stamp string, body []byte) string {
	mac := hmac.New(sha256.New, key)
	fmt.Fprintf(mac, "%s.%s.", id, stamp)
	mac.Write(body)
	return "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
}

// maxText bounds the reason that is kept of a failure.
const maxText = 300

// plainly puts an error of the client into words, without the URL: it may hold a
// secret.
func plainly(err error) error {
	if errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("no answer within %s", AttemptTimeout)
	}
	if u := (*url.Error)(nil); errors.As(err, &u) {
		err = u.Err
	}
	text := strings.ToValidUTF8(err.Error(), "�")
	if len(text) > maxText {
		text = strings.ToValidUTF8(text[:maxText], "") + "…"
	}
	return errors.New(text)
}

// retryAfter reads the header of that name, seconds or a date; 0: it says
// nothing.
func retryAfter(v string, now time.Time) time.Duration {
	if n, err := strconv.Atoi(v); err == nil {
		return min(time.Duration(max(n, 0)), longest/time.Second) * time.Second
	}
	if at, err := http.ParseTime(v); err == nil {
		return min(max(at.Sub(now), 0), longest)
	}
	return 0
}
