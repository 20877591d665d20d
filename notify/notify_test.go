package notify

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/reeverun/reeve/process"
	"github.com/reeverun/reeve/store"
)

// verified is what a receiver does, written from the specification of Standard
// Webhooks and not from the code.
func verified(r request, key []byte) error {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(r.header.Get("webhook-id") + "." + r.header.Get("webhook-timestamp") + "." + r.body))
	want := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
	for one := range strings.FieldsSeq(r.header.Get("webhook-signature")) {
		if hmac.Equal([]byte(one), []byte(want)) {
			return nil
		}
	}
	return fmt.Errorf("the signature is %q, want %q", r.header.Get("webhook-signature"), want)
}

func TestDelivered(t *testing.T) {
	play(t, func(w *world) {
		in := w.receiver("good", status(204))
		w.open()
		n := w.end("http://good/done?token=hush", "plain secret")
		if got := w.settled(n); got.State != process.NotificationDelivered || got.Attempts != 1 || got.LastStatus != 204 || got.LastError != "" || !got.DueAt.IsZero() {
			t.Errorf("it is %+v", got)
		}
		all := in.requests()
		if len(all) != 1 {
			t.Fatalf("%d requests", len(all))
		}
		r := all[0]
		if err := verified(r, []byte("plain secret")); err != nil {
			t.Error(err)
		}
		for name, want := range map[string]string{"Content-Type": "application/json", "User-Agent": "reeve/test", "Webhook-Id": n.ID,
			"Webhook-Timestamp": fmt.Sprint(r.at.Unix())} {
			if got := r.header.Get(name); got != want {
				t.Errorf("%s is %q, want %q", name, got, want)
			}
		}
		if r.url != "/done?token=hush" {
			t.Errorf("it went to %s", r.url)
		}
		var body struct {
			ID, Type, At string
			Process      map[string]any
		}
		if err := json.Unmarshal([]byte(r.body), &body); err != nil {
			t.Fatal(err)
		}
		if body.ID != n.ID || body.Type != "process.finalized" || body.At == "" || body.Process["id"] != float64(n.Process) || body.Process["exitState"] != "success" {
			t.Errorf("the body is %s", r.body)
		}
		for _, long := range []string{"code", "output", "stdout", "stderr"} {
			if _, there := body.Process[long]; there {
				t.Errorf("the body holds %s", long)
			}
		}
		if strings.Contains(r.body+w.log.String(), "hush") || strings.Contains(r.body+w.log.String(), "plain secret") {
			t.Error("a secret is told")
		}
	})
}

// A secret in base64 is the bytes it stands for; without one nothing is signed.
func TestKeys(t *testing.T) {
	play(t, func(w *world) {
		in := w.receiver("good", status(200))
		w.open()
		w.settled(w.end("http://good/", "whsec_"+base64.StdEncoding.EncodeToString([]byte("\x00\xff key"))))
		w.settled(w.end("http://good/", ""))
		all := in.requests()
		if err := verified(all[0], []byte("\x00\xff key")); err != nil {
			t.Error(err)
		}
		if got, there := all[1].header["Webhook-Signature"]; there {
			t.Errorf("without a secret it is signed %q", got)
		}
	})
}

// Whatever goes wrong, it is sent again, with the same id and body and a
// signature of its own, after a longer while each time.
func TestSentAgain(t *testing.T) {
	play(t, func(w *world) {
		in := w.receiver("bad", answers(status(500), drop, hang, status(302), status(404), status(200)))
		w.open()
		n := w.end("http://bad/", "s")
		got := w.settled(n)
		if got.State != process.NotificationDelivered || got.Attempts != 6 {
			t.Errorf("it is %+v", got)
		}
		all := in.requests()
		if len(all) != 6 {
			t.Fatalf("%d requests", len(all))
		}
		for i, r := range all {
			if err := verified(r, []byte("s")); err != nil {
				t.Errorf("attempt %d: %v", i+1, err)
			}
			if r.header.Get("webhook-id") != n.ID || r.body != all[0].body {
				t.Errorf("attempt %d differs: %s %s", i+1, r.header.Get("webhook-id"), r.body)
			}
			if i == 0 {
				continue
			}
			waited, want := r.at.Sub(all[i-1].at), waits[i-1]
			if i == 3 { // the one before was given up after a while
				waited -= AttemptTimeout
			}
			if waited < want*8/10 || waited > want*12/10 {
				t.Errorf("attempt %d came after %v, want about %v", i+1, waited, want)
			}
		}
	})
}

// The reasons are for people, and tell no secret.
func TestReasons(t *testing.T) {
	play(t, func(w *world) {
		w.receiver("hangs", hang)
		w.receiver("fails", status(503))
		w.open()
		for url, want := range map[string]string{"http://hangs/x": "no answer within 10s", "http://fails/": "the receiver answered 503 Service Unavailable",
			"http://nobody/?token=hush": "connection refused"} {
			n := w.end(url, "s")
			time.Sleep(AttemptTimeout + 100*time.Millisecond)
			synctest.Wait()
			got := w.now(n)
			if got.LastError != want || got.State != process.NotificationPending || got.Attempts == 0 || !got.DueAt.After(got.LastAt) {
				t.Errorf("%s: %+v, want the reason %q", url, got, want)
			}
		}
		if strings.Contains(w.log.String(), "hush") {
			t.Errorf("the log holds a token:\n%s", w.log.String())
		}
	})
}

func TestGivenUp(t *testing.T) {
	play(t, func(w *world) {
		in := w.receiver("bad", answers(append(times(Attempts, status(500)), status(200))...))
		w.open()
		n := w.end("http://bad/?token=hush", "s")
		got := w.settled(n)
		if got.State != process.NotificationFailed || got.Attempts != Attempts || got.LastStatus != 500 || !got.DueAt.IsZero() {
			t.Errorf("it is %+v", got)
		}
		if took := got.LastAt.Sub(got.CreatedAt); took < 16*time.Hour || took > 32*time.Hour {
			t.Errorf("it was given up after %v, want about a day", took)
		}
		if log := w.log.String(); !strings.Contains(log, "level=WARN") || !strings.Contains(log, "given up") || strings.Contains(log, "hush") {
			t.Errorf("the log says:\n%s", log)
		}
		// Who mends the receiver asks for it again.
		again, err := w.d.Retry(t.Context(), n.Process, n.Run)
		if err != nil || again.State != process.NotificationPending {
			t.Fatalf("%+v, %v", again, err)
		}
		if got = w.settled(n); got.State != process.NotificationDelivered || got.Attempts != 1 {
			t.Errorf("asked for again it is %+v", got)
		}
		all := in.requests()
		if len(all) != Attempts+1 || all[Attempts].header.Get("webhook-id") != n.ID {
			t.Errorf("%d requests", len(all))
		}
		if s, err := w.d.Stats(t.Context()); err != nil || s != (Stats{Delivered: 1, Retried: int64(Attempts - 1), Failed: 1}) {
			t.Errorf("stats %+v, %v", s, err)
		}
		if _, err := w.d.Retry(t.Context(), n.Process, 9); !errors.Is(err, process.ErrNotFound) {
			t.Errorf("of an unknown run: %v", err)
		}
	})
}

func times(n int, h http.HandlerFunc) (all []http.HandlerFunc) {
	for range n {
		all = append(all, h)
	}
	return all
}

// A receiver that is gone for good is not asked twice.
func TestGone(t *testing.T) {
	play(t, func(w *world) {
		in := w.receiver("gone", status(410))
		w.open()
		if got := w.settled(w.end("http://gone/", "s")); got.State != process.NotificationFailed || got.Attempts != 1 {
			t.Errorf("it is %+v", got)
		}
		if n := len(in.requests()); n != 1 {
			t.Errorf("%d requests", n)
		}
	})
}

// A receiver says when to come back.
func TestRetryAfter(t *testing.T) {
	play(t, func(w *world) {
		in := w.receiver("busy", answers(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", "3600")
			w.WriteHeader(429)
		}, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", time.Now().Add(2*time.Hour).UTC().Format(http.TimeFormat))
			w.WriteHeader(503)
		}, status(200)))
		w.open()
		w.settled(w.end("http://busy/", "s"))
		all := in.requests()
		for i, want := range []time.Duration{time.Hour, 2 * time.Hour} {
			if waited := all[i+1].at.Sub(all[i].at); waited < want-time.Second || waited > want+time.Second {
				t.Errorf("it came back after %v, want %v", waited, want)
			}
		}
	})
	for v, want := range map[string]time.Duration{"": 0, "-5": 0, "x": 0, "999999999999999": longest, "Mon, 01 Jan 2001 00:00:00 GMT": 0} {
		if got := retryAfter(v, time.Now()); got != want {
			t.Errorf("Retry-After: %q is %v, want %v", v, got, want)
		}
	}
}

// A redirect could take what was signed to anybody.
func TestRedirectIsNotFollowed(t *testing.T) {
	play(t, func(w *world) {
		other := w.receiver("other", status(200))
		w.receiver("moved", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "http://other/", 307) })
		w.open()
		n := w.end("http://moved/", "s")
		time.Sleep(time.Minute)
		synctest.Wait()
		if got := w.now(n); got.State != process.NotificationPending || got.LastStatus != 307 {
			t.Errorf("it is %+v", got)
		}
		if n := len(other.requests()); n > 0 {
			t.Errorf("it went on to another host %d times", n)
		}
	})
}

// However many receivers hang, the others hear at once, and no host is asked by
// more than a few at a time.
func TestSlowReceiversDelayNobody(t *testing.T) {
	play(t, func(w *world) {
		w.open()
		var slow []*receiver
		for i := range 60 {
			slow = append(slow, w.receiver(fmt.Sprintf("slow%d", i), hang))
			for range 10 {
				w.end(fmt.Sprintf("http://slow%d/", i), "s")
			}
		}
		time.Sleep(2 * AttemptTimeout) // all of them are known to be slow now, or wait for room
		in := w.receiver("good", func(w http.ResponseWriter, _ *http.Request) { time.Sleep(10 * time.Millisecond) })
		time.Sleep(10 * AttemptTimeout)
		begun := time.Now()
		var all []process.Notification
		for range 40 {
			all = append(all, w.end("http://good/", "s"))
		}
		for _, n := range all {
			w.settled(n)
		}
		if took := time.Since(begun); took > 2*time.Second {
			t.Errorf("40 notifications took %v beside 60 receivers that hang", took)
		}
		if in.most > maxPerHost {
			t.Errorf("%d at a time to one host", in.most)
		}
		for _, r := range slow {
			if r.most > maxPerHost {
				t.Errorf("%d at a time to a slow host", r.most)
			}
		}
	})
}

// counted counts calls of a store, and fails some.
type counted struct {
	store.Store
	calls  int
	refuse func() error // of saves
}

func (c *counted) DueNotifications(ctx context.Context, host string, limit int) ([]process.Notification, error) {
	c.calls++
	return c.Store.DueNotifications(ctx, host, limit)
}

func (c *counted) SaveNotifications(ctx context.Context, n []process.Notification) error {
	c.calls++
	if c.refuse != nil {
		if err := c.refuse(); err != nil {
			return err
		}
	}
	return c.Store.SaveNotifications(ctx, n)
}

// What is delivered is not sent again because that could not be written down.
func TestStoreRefuses(t *testing.T) {
	play(t, func(w *world) {
		in := w.receiver("good", status(200))
		broken := time.Now().Add(time.Minute)
		w.store = &counted{Store: w.store, refuse: func() error {
			if time.Now().Before(broken) {
				return errors.New("disk full")
			}
			return nil
		}}
		w.open()
		n := w.end("http://good/", "s")
		if got := w.settled(n); got.State != process.NotificationDelivered || got.Attempts != 1 {
			t.Errorf("it is %+v", got)
		}
		if n := len(in.requests()); n != 1 {
			t.Errorf("it was sent %d times", n)
		}
		if log := w.log.String(); strings.Count(log, "disk full") != 1 {
			t.Errorf("the log says:\n%s", log)
		}
	})
}

// As long as nothing is due, nothing is asked for.
func TestIdle(t *testing.T) {
	play(t, func(w *world) {
		w.receiver("good", status(200))
		c := &counted{Store: w.store}
		w.store = c
		w.open()
		w.settled(w.end("http://good/", "s"))
		synctest.Wait()
		before := c.calls
		time.Sleep(48 * time.Hour)
		synctest.Wait()
		if c.calls != before {
			t.Errorf("%d calls of the store in two days without work", c.calls-before)
		}
	})
}

// One that closes does not wait for receivers that hang, and loses nothing.
func TestCloseAndOpen(t *testing.T) {
	play(t, func(w *world) {
		in := w.receiver("slow", answers(hang, status(200)))
		w.open()
		n := w.end("http://slow/", "s")
		synctest.Wait()
		begun := time.Now()
		w.close()
		if took := time.Since(begun); took > linger {
			t.Errorf("Close took %v", took)
		}
		w.close() // again
		if got := w.now(n); got.State != process.NotificationPending || got.Attempts != 0 {
			t.Errorf("after Close it is %+v", got)
		}
		w.open()
		if got := w.settled(n); got.State != process.NotificationDelivered {
			t.Errorf("after Open it is %+v", got)
		}
		all := in.requests()
		if len(all) != 2 || all[0].header.Get("webhook-id") != all[1].header.Get("webhook-id") {
			t.Errorf("%d requests", len(all))
		}
	})
}

// An answer that comes while it closes counts.
func TestCloseWaitsForAnswers(t *testing.T) {
	play(t, func(w *world) {
		w.receiver("good", func(http.ResponseWriter, *http.Request) { time.Sleep(linger / 2) })
		w.open()
		n := w.end("http://good/", "s")
		synctest.Wait()
		w.close()
		if got := w.now(n); got.State != process.NotificationDelivered {
			t.Errorf("it is %+v", got)
		}
	})
}

// Where nothing is kept, Close is the last chance.
func TestCloseVolatile(t *testing.T) {
	play(t, func(w *world) {
		in := w.receiver("good", func(http.ResponseWriter, *http.Request) { time.Sleep(time.Second) })
		w.open(func(c *Config) { c.Volatile = true })
		for range 12 {
			w.end("http://good/", "s")
		}
		w.end("http://nobody/", "s")
		w.close()
		if n := len(in.requests()); n != 12 {
			t.Errorf("%d of 12 were sent", n)
		}
	})
}

// The notifications of a process that was deleted meanwhile go with it.
func TestDeletedMeanwhile(t *testing.T) {
	play(t, func(w *world) {
		w.receiver("bad", answers(status(500), hang))
		w.open()
		n := w.end("http://bad/", "s")
		time.Sleep(2 * time.Second) // the second attempt is under way
		if err := w.store.Delete(t.Context(), n.Process); err != nil {
			t.Fatal(err)
		}
		time.Sleep(48 * time.Hour)
		if s, err := w.d.Stats(t.Context()); err != nil || s.Pending != 0 {
			t.Errorf("%+v, %v", s, err)
		}
	})
}

// A clock that was set back puts nothing off for as long again.
func TestClockSetBack(t *testing.T) {
	now := time.Now()
	n := process.Notification{CreatedAt: now.Add(-time.Hour), LastAt: now.Add(-time.Second), DueAt: now.Add(time.Hour)}
	if got := dueAt(&n, now); !got.Equal(n.DueAt) {
		t.Errorf("due at %v, want %v", got, n.DueAt)
	}
	if back := now.Add(-24 * time.Hour); !dueAt(&n, back).Equal(back) {
		t.Errorf("due at %v, want at once", dueAt(&n, back))
	}
}
