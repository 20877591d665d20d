//go:build linux

package e2e

import (
	"bytes"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// Output comes back byte by byte as it was written.
func TestOutputIsExact(t *testing.T) {
	t.Parallel()
	d := shared(t)
	rec := d.sh(t, `printf 'a\000b\377\376\r\n\tno newline at the end'; printf '\200\n' >&2`, block).wantEnd(t, "success")
	want := map[string]string{"stdout": "a\x00b\xff\xfe\r\n\tno newline at the end", "stderr": "\x80\n"}
	for name, bytes := range want {
		for _, route := range []string{"/" + name, "/runs/1/" + name} {
			a := d.get(t, path(rec.id(), route)).want(t, 200).typed(t, "text/plain")
			if string(a.body) != bytes {
				t.Errorf("%s is %q, want %q", route, a.body, bytes)
			}
			head := d.do(t, request{method: "HEAD", path: path(rec.id(), route)}).want(t, 200)
			if head.header.Get("Content-Length") != strconv.Itoa(len(bytes)) || len(head.body) != 0 {
				t.Errorf("HEAD %s: Content-Length %q, body %q", route, head.header.Get("Content-Length"), head.body)
			}
		}
		if rec.num(name+"Bytes") != int64(len(bytes)) {
			t.Errorf("%sBytes is %d", name, rec.num(name+"Bytes"))
		}
	}
	if got := rec.str("stderr"); got != "\uFFFD\n" {
		t.Errorf("the record's stderr is %q", got)
	}
}

// Structured output is merged, and an empty object if there was none.
func TestStructuredOutput(t *testing.T) {
	t.Parallel()
	d := shared(t)
	rec := d.fake(t, lines(`output {"a":1,"b":{"x":1}}`, `output {"b":{"y":2},"c":null}`), block)
	a := d.get(t, path(rec.id(), "/output")).want(t, 200).typed(t, "application/json")
	wantJSON(t, a.json(t), `{"a":1,"b":{"y":2},"c":null}`)
	wantJSON(t, rec["output"], `{"a":1,"b":{"y":2},"c":null}`)
	for _, state := range []string{"never", "success", "failed"} {
		if got := strings.TrimSpace(string(d.get(t, path(d.inState(t, state), "/output")).want(t, 200).body)); got != "{}" {
			t.Errorf("%s: output is %s", state, got)
		}
	}
}

// Range gives the named bytes.
func TestRange(t *testing.T) {
	t.Parallel()
	d := shared(t)
	rec := d.sh(t, `printf 0123456789`, block).wantEnd(t, "success")
	for _, route := range []string{"/stdout", "/runs/1/stdout"} {
		for header, want := range map[string]string{
			"bytes=2-5": "2345 bytes 2-5/10", "bytes=0-0": "0 bytes 0-0/10", "bytes=4-": "456789 bytes 4-9/10", "bytes=-3": "789 bytes 7-9/10",
			"bytes=8-100": "89 bytes 8-9/10", "bytes=-100": "0123456789 bytes 0-9/10", "bytes=0-": "0123456789 bytes 0-9/10",
		} {
			a := d.do(t, request{method: "GET", path: path(rec.id(), route), header: m{"Range": header}}).want(t, 206).typed(t, "text/plain")
			if got := string(a.body) + " " + a.header.Get("Content-Range"); got != want {
				t.Errorf("Range %s: %s, want %s", header, got, want)
			}
		}
		for _, header := range []string{"bytes=10-", "bytes=100-200"} {
			a := d.do(t, request{method: "GET", path: path(rec.id(), route), header: m{"Range": header}}).want(t, 416)
			if got := a.header.Get("Content-Range"); got != "bytes */10" && a.status == 416 {
				t.Errorf("Range %s: Content-Range %q", header, got)
			}
		}
		for _, header := range []string{"lines=1-2", "bytes=x-y", "bytes=5-2", "bytes", "bytes=-", "bytes=99999999999999999999-"} { // may be ignored or refused
			if a := d.do(t, request{method: "GET", path: path(rec.id(), route), header: m{"Range": header}}); a.status != 416 && (a.status != 200 || string(a.body) != "0123456789") {
				t.Errorf("Range %s: %v", header, a)
			}
		}
		if a := d.get(t, path(rec.id(), route)); a.header.Get("Accept-Ranges") != "bytes" {
			t.Errorf("Accept-Ranges %q", a.header.Get("Accept-Ranges"))
		}
	}
	empty := d.sh(t, "true", block).id()
	d.do(t, request{method: "GET", path: path(empty, "/stdout"), header: m{"Range": "bytes=0-"}}).want(t, 416)
	several := d.do(t, request{method: "GET", path: path(rec.id(), "/stdout"), header: m{"Range": "bytes=0-1,8-9"}})
	wantParts(t, several, "01", "89")
}

// wantParts checks the answer to several ranges: all of them, or everything.
func wantParts(t *testing.T, a answer, parts ...string) {
	t.Helper()
	if a.status == 200 {
		return
	}
	media, params, err := mime.ParseMediaType(a.header.Get("Content-Type"))
	if a.status != 206 || media != "multipart/byteranges" || err != nil {
		t.Errorf("several ranges: %v %v", a, a.header)
		return
	}
	r := multipart.NewReader(bytes.NewReader(a.body), params["boundary"])
	for _, want := range parts {
		part, err := r.NextPart()
		if err != nil {
			t.Fatal(err)
		}
		if got, _ := io.ReadAll(part); string(got) != want {
			t.Errorf("a part is %q, want %q", got, want)
		}
	}
}

// A capped log keeps head and tail, says what is missing, and keeps offsets.
func TestCappedLog(t *testing.T) {
	t.Parallel()
	d := start(t, "--log-cap", "262144")
	rec := d.sh(t, "seq 1 300000", block, m{"interpreter": "none"}).wantEnd(t, "success")
	var whole bytes.Buffer
	for i := 1; i <= 300000; i++ {
		fmt.Fprintln(&whole, i)
	}
	total := int64(whole.Len())
	if rec.num("stdoutBytes") != total {
		t.Errorf("stdoutBytes %d, want %d", rec.num("stdoutBytes"), total)
	}
	body := string(d.get(t, path(rec.id(), "/stdout")).want(t, 200).body)
	found := regexp.MustCompile(`\[reeve: (\d+) bytes dropped\]`).FindStringSubmatchIndex(body)
	if found == nil {
		t.Fatalf("no marker in %d bytes", len(body))
	}
	dropped, _ := strconv.ParseInt(body[found[2]:found[3]], 10, 64)
	head := body[:found[0]]
	if !strings.HasPrefix(whole.String(), strings.TrimRight(head, "\n")) || len(head) == 0 {
		t.Error("the head is not what was written")
	}
	kept := total - dropped
	if kept <= 0 || kept > 262144+8192 {
		t.Errorf("%d of %d bytes kept, the cap is 262144", kept, total)
	}
	if !strings.HasSuffix(whole.String(), strings.TrimLeft(body[found[1]:], "\n")) || len(body)-found[1] < 1000 {
		t.Error("the tail is not what was written")
	}
	ranged := func(header string) answer {
		return d.do(t, request{method: "GET", path: path(rec.id(), "/stdout"), header: m{"Range": header}})
	}
	if a := ranged("bytes=0-99").want(t, 206); string(a.body) != whole.String()[:100] || a.header.Get("Content-Range") != fmt.Sprintf("bytes 0-99/%d", total) {
		t.Errorf("the first bytes: %q %q", a.body, a.header.Get("Content-Range"))
	}
	if a := ranged("bytes=-100").want(t, 206); string(a.body) != whole.String()[total-100:] {
		t.Errorf("the last bytes: %q", a.body)
	}
	ranged(fmt.Sprintf("bytes=%d-%d", total/2, total/2+10)).want(t, 416)
	for _, ev := range d.events(t, rec.id()) {
		if ev.str("kind") == "output_elided" && ev.num("bytes") > 0 {
			return
		}
	}
	t.Error("the dropped lines are not told as output_elided")
}

// What is not kept says so.
func TestRawOutputPolicies(t *testing.T) {
	t.Parallel()
	d := shared(t)
	for policy, status := range map[string]int{"persist": 200, "persist-gzip": 200, "memory": 200, "disabled": 410} {
		t.Run(policy, func(t *testing.T) {
			rec := d.sh(t, "echo kept?", block, m{"rawOutput": policy}).wantEnd(t, "success")
			if rec.num("stdoutBytes") != 6 {
				t.Errorf("stdoutBytes %d", rec.num("stdoutBytes"))
			}
			for _, route := range []string{"/stdout", "/runs/1/stdout"} {
				a := d.get(t, path(rec.id(), route))
				if status == 410 {
					a.want(t, 410, "not_kept")
				} else if a.want(t, 200); string(a.body) != "kept?\n" {
					t.Errorf("%s: %q", route, a.body)
				}
			}
			if status == 200 {
				a := d.do(t, request{method: "GET", path: path(rec.id(), "/stdout"), header: m{"Range": "bytes=1-3"}}).want(t, 206)
				if string(a.body) != "ept" {
					t.Errorf("a range of it: %q", a.body)
				}
			}
		})
	}
}
