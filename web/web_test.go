package web

import (
	"bytes"
	"compress/gzip"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
)

// budget is what all files may be together, as they are sent.
const budget = 400_000

func TestSizeOfAllFiles(t *testing.T) {
	s, total := site(t), 0
	for name, f := range s.files {
		size := len(f.compressed())
		t.Logf("%7d %s", size, name)
		total += size
	}
	t.Logf("%7d of %d bytes", total, budget)
	if total > budget {
		t.Errorf("the dashboard is %d bytes as gzip: want at most %d", total, budget)
	}
}

// Whatever one file asks for is there.
func TestFilesReferToFilesThatExist(t *testing.T) {
	s := site(t)
	reference := regexp.MustCompile(`"(?:\./|/assets/)([\w.-]+\.(?:js|css|svg))"`)
	found := 0
	for name, f := range s.files {
		if strings.HasSuffix(name, ".txt") {
			continue
		}
		for _, m := range reference.FindAllSubmatch(f.body, -1) {
			found++
			if s.files["assets/"+string(m[1])] == nil {
				t.Errorf("%s refers to %s, which does not exist", name, m[1])
			}
		}
	}
	if found < 3 {
		t.Errorf("%d references: the script, the style and the icon are expected at least", found)
	}
}

// Addresses in the files are names of XML, or examples for people: nothing is
// fetched from elsewhere. (That the page asks nobody else is also what its
// policy enforces, and what the tests in a browser watch.)
func TestNoAddressesOfOthers(t *testing.T) {
	address := regexp.MustCompile(`(?:https?:|wss?:)//[\w.-]+`)
	known := map[string]bool{"http://www.w3.org": true, "https://example.com": true, "http://127.0.0.1": true}
	for name, f := range site(t).files {
		if strings.HasSuffix(name, ".txt") {
			continue // licences name their authors' pages
		}
		for _, a := range address.FindAllString(string(f.body), -1) {
			if !known[a] || name == index {
				t.Errorf("%s names %s", name, a)
			}
		}
	}
}

func TestNoInlineScripts(t *testing.T) {
	page := string(site(t).files[index].body)
	if m := regexp.MustCompile(`<script[^>]*>[^<]|\son\w+=|javascript:|<style`).FindString(page); m != "" {
		t.Errorf("%s has %q, which its policy forbids", index, m)
	}
}

func TestHeaders(t *testing.T) {
	s := site(t)
	script := firstScript(t)
	page := get(t, s, "/", "GET", "")
	for name, want := range map[string]string{"Content-Type": "text/html; charset=utf-8", "Cache-Control": "no-cache",
		"Content-Security-Policy": Policy, "Referrer-Policy": "no-referrer", "X-Frame-Options": "DENY"} {
		if got := page.Header().Get(name); got != want {
			t.Errorf("/: %s is %q, want %q", name, got, want)
		}
	}
	for path, want := range map[string]string{script: "public, max-age=31536000, immutable", "/assets/favicon.svg": "no-cache"} {
		if got := get(t, s, path, "GET", "").Header().Get("Cache-Control"); got != want {
			t.Errorf("%s: Cache-Control is %q, want %q", path, got, want)
		}
	}
	if got := get(t, s, script, "GET", "").Header().Get("Content-Type"); got != "text/javascript; charset=utf-8" {
		t.Errorf("a script is %q", got)
	}
	for _, path := range []string{"/assets/", "/assets/no.js", "/assets/../index.html", "/assets/index.html"} {
		if w := get(t, s, path, "GET", ""); w.Code != http.StatusNotFound {
			t.Errorf("%s: %d", path, w.Code)
		}
	}
}

func TestGzip(t *testing.T) {
	s, path := site(t), firstScript(t)
	plain := get(t, s, path, "GET", "").Body.Bytes()
	for accept, packed := range map[string]bool{"gzip": true, "br, gzip;q=0.5": true, "deflate, GZIP": true, "gzip;q=0": false, "gzip; q=0.0": false, "br": false, "": false} {
		w := get(t, s, path, "GET", accept)
		if (w.Header().Get("Content-Encoding") == "gzip") != packed || w.Header().Get("Vary") != "Accept-Encoding" {
			t.Errorf("Accept-Encoding %q: %v", accept, w.Header())
			continue
		}
		body := w.Body.Bytes()
		if packed {
			body = unpack(t, body)
		}
		if !bytes.Equal(body, plain) {
			t.Errorf("Accept-Encoding %q: another body", accept)
		}
	}
	head, full := get(t, s, path, "HEAD", "gzip"), get(t, s, path, "GET", "gzip")
	if head.Body.Len() != 0 || head.Header().Get("Content-Length") != full.Header().Get("Content-Length") {
		t.Errorf("HEAD: %d bytes, Content-Length %s, of GET %s", head.Body.Len(), head.Header().Get("Content-Length"), full.Header().Get("Content-Length"))
	}
}

func site(t *testing.T) *Site {
	t.Helper()
	s, err := New()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// get asks as package server does.
func get(t *testing.T, s *Site, path, method, accept string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequest(method, "/", nil)
	r.Header.Set("Accept-Encoding", accept)
	w := httptest.NewRecorder()
	if path == "/" {
		s.Index(w, r)
	} else if name, ok := strings.CutPrefix(path, "/assets/"); !ok || !s.Asset(w, r, name) {
		w.Code = http.StatusNotFound
	}
	return w
}

func firstScript(t *testing.T) string {
	t.Helper()
	page, err := fs.ReadFile(Files(), index)
	if err != nil {
		t.Fatal(err)
	}
	m := regexp.MustCompile(`src="(/assets/[^"]+)"`).FindSubmatch(page)
	if m == nil {
		t.Fatalf("no script in %s", page)
	}
	return string(m[1])
}

func unpack(t *testing.T, b []byte) []byte {
	t.Helper()
	z, err := gzip.NewReader(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return body
}
