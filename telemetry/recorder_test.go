package telemetry_test

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"testing"
	"time"

	"github.com/reeverun/reeve/telemetry"
)

// TestThePowersOfTheWriter uses all a handler may ask of a real connection.
func TestThePowersOfTheWriter(t *testing.T) {
	tel := start(t, telemetry.Config{})
	s := serve(t, tel.Middleware(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		c := http.NewResponseController(w)
		for what, err := range map[string]error{
			"write deadline": c.SetWriteDeadline(time.Now().Add(time.Hour)),
			"read deadline":  c.SetReadDeadline(time.Now().Add(time.Hour)),
			"full duplex":    c.EnableFullDuplex(),
			"flush":          c.Flush(),
		} {
			if err != nil {
				t.Errorf("%s: %v", what, err)
			}
		}
		if _, ok := w.(http.Flusher); !ok {
			t.Error("it is no Flusher")
		}
		_, _ = io.WriteString(w, "done")
	})))
	if got := call(t, "GET", s.URL); got != "done" {
		t.Errorf("%q", got)
	}
}

// plainWriter can nothing beyond the minimum; copier can copy.
type plainWriter struct{ http.ResponseWriter }

type copier struct {
	plainWriter
	copied int64
}

func (c *copier) ReadFrom(r io.Reader) (n int64, err error) {
	n, err = io.Copy(c.plainWriter.ResponseWriter, r)
	c.copied += n
	return n, err
}

func TestCopyReachesTheWriterBelow(t *testing.T) {
	tel := start(t, telemetry.Config{})
	h := tel.Middleware(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		f, err := os.Open("recorder_test.go")
		if err != nil {
			t.Error(err)
			return
		}
		defer f.Close()
		if _, err := w.(io.ReaderFrom).ReadFrom(f); err != nil {
			t.Error(err)
		}
	}))
	want, _ := os.ReadFile("recorder_test.go")
	able := &copier{plainWriter: plainWriter{httptest.NewRecorder()}}
	h.ServeHTTP(able, httptest.NewRequest("GET", "/", nil))
	if able.copied != int64(len(want)) {
		t.Errorf("%d of %d bytes went the short way", able.copied, len(want))
	}
	body := httptest.NewRecorder()
	h.ServeHTTP(plainWriter{body}, httptest.NewRequest("GET", "/", nil))
	if body.Body.String() != string(want) {
		t.Error("without the short way bytes are lost")
	}
}

func TestAWriterThatCannotFlushSaysSo(t *testing.T) {
	tel := start(t, telemetry.Config{})
	tel.Middleware(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if err := http.NewResponseController(w).Flush(); err == nil {
			t.Error("a flush that cannot be succeeded")
		}
		if _, _, err := http.NewResponseController(w).Hijack(); err == nil {
			t.Error("a hijack that cannot be succeeded")
		}
	})).ServeHTTP(struct{ http.ResponseWriter }{httptest.NewRecorder()}, httptest.NewRequest("GET", "/", nil))
}

func TestAnUpgradeIs101(t *testing.T) {
	tel := start(t, telemetry.Config{})
	s := serve(t, tel.Middleware(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		conn, rw, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer conn.Close()
		fmt.Fprint(rw, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\nhello\n")
		rw.Flush()
	})))
	resp := do(t, "GET", s.URL)
	if line, _ := bufio.NewReader(resp.Body).ReadString('\n'); line != "hello\n" {
		t.Errorf("%q", line)
	}
	eventually(t, "it is counted", func() bool {
		return value(scrape(t, tel), "reeve_http_requests_total", "route", "unmatched", "method", "GET", "status", "101") == 1
	})
}
