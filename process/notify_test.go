package process

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

func TestNotifyCheck(t *testing.T) {
	for url, want := range map[string]string{
		"http://127.0.0.1:9/done": "", "https://example.com": "", "HTTP://h/": "", "http://[::1]:80/x?y=z#f": "", "http://h:65535": "",
		"": "is missing", "ftp://h/": "not an http", "//h/": "not an http", "h/": "not an http", "http:h": "names no host",
		"http:///x": "names no host", "http://:80/": "names no host", "http://me:hush@h/": "credentials", "http://hush@h/": "credentials",
		"http://h:0/": "port", "http://h:65536/": "port", "http://h:x/": "cannot be read", "http://h/\nhush": "cannot be read", "http://h/%zz": "cannot be read",
		"http://h/\xff": "UTF-8", "http://h/" + strings.Repeat("hush", 600): "at most 2048",
	} {
		err := (&Notify{URL: Secret(url)}).Check()
		if want == "" {
			if err != nil {
				t.Errorf("%q: %v", url, err)
			}
			continue
		}
		var e *Error
		if !errors.As(err, &e) || e.Field != "notify.url" || e.Code != CodeInvalid || !strings.Contains(e.Message, want) || strings.Contains(err.Error(), "hush") {
			t.Errorf("%q: %v, want something with %q", url, err, want)
		}
	}
	for secret, ok := range map[string]bool{"": true, "x": true, "whsec_aGk=": true, "whsec_": false, "whsec_a": false, "whsec_$$$$": false,
		strings.Repeat("x", 1025): false, "WHSEC_a": true} {
		err := (&Notify{URL: "http://h", Secret: Secret(secret)}).Check()
		if (err == nil) != ok || err != nil && !strings.HasPrefix(err.Error(), "notify.secret: ") {
			t.Errorf("the secret %q: %v", secret, err)
		}
	}
	if err := (*Notify)(nil).Check(); err != nil {
		t.Error(err)
	}
}

func TestNotifyShown(t *testing.T) {
	for url, want := range map[string]string{
		"http://127.0.0.1:9/done":                   "http://127.0.0.1:9/done",
		"https://h/a?token=hush#hush":               "https://h/a?•••",
		"https://h/services/T0/B0/hushhushhush1234": "https://h/services/T0/B0/•••",
		"https://h/%2Fa":                            "https://h/%2Fa",
		"https://h":                                 "https://h",
		"\x00":                                      Redacted,
	} {
		n := &Notify{URL: Secret(url)}
		if got := n.Shown(); got != want {
			t.Errorf("%q is shown as %q, want %q", url, got, want)
		}
		again := &Notify{URL: Secret(n.Shown())}
		if again.Shown() != want {
			t.Errorf("what is shown of %q does not stay so: %q", url, again.Shown())
		}
		for _, text := range []string{fmt.Sprint(n), fmt.Sprintf("%+v %#v", *n, n)} {
			if strings.Contains(text, "hush") || strings.Contains(text, "127.0") {
				t.Errorf("printed it is %s", text)
			}
		}
	}
	if a, b := (&Notify{URL: "HTTP://H:80/x"}).Host(), (&Notify{URL: "http://h:80/y"}).Host(); a != b {
		t.Errorf("%q and %q are one host", a, b)
	}
}
