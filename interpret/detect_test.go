package interpret

import (
	"fmt"
	"testing"

	"github.com/reeverun/reeve/process"
)

func TestDetect(t *testing.T) {
	for line, want := range map[string]string{
		// percentages
		"45%":                                   "45%",
		"Progress: 45.5 %":                      "45.5%",
		"[ 12%] Building C object":              "12%",
		"Receiving objects:  45% (450/1000)":    "45%",
		"10%...20%...30%":                       "30%",
		"100%|██████████| 5/5":                  "100%",
		"  1,234,567  45%    1.20MB/s  0:00:01": "45%",
		"0%":                                    "0%",
		// other percentages
		"cpu 45%":                               "",
		"coverage: 80.0% of statements":         "",
		"Memory Usage: 12%":                     "",
		"2 packets transmitted, 0% packet loss": "",
		"150% sure":                             "",
		"50%off":                                "",
		"-5%":                                   "",
		"v1.5%":                                 "",
		"%d%s%%":                                "",
		"GET /a%20b":                            "",
		"/a%2fb?x=10%25":                        "",
		// counts
		"[3/10] Linking":               "3/10",
		"( 3/10)":                      "3/10",
		"Step 2/5 : RUN make":          "2/5",
		"Epoch 1/3":                    "1/3",
		"Progress: 7/9":                "7/9",
		"copied 30/100 files":          "30/100",
		"1/2 tests passed":             "1/2",
		"2026/01/02 03:04:05 [4/8] ok": "4/8",
		// no counts
		"2026/01/02 03:04:05 served": "",
		"01/02/2026":                 "",
		"on 1/2 of the days":         "",
		"about 3/4 inch":             "",
		"24/7 support":               "",
		"10.0.0.0/24":                "",
		"net 10.0.0.0/8 step":        "",
		"open /a/1/2/b":              "",
		"/1/2":                       "",
		"HTTP/1.1 200":               "",
		"[10/3]":                     "",
		"[0/0]":                      "",
		"[5/99999999999999999999]":   "",
		"file 1/2/3":                 "",
		"[1/2-rc]":                   "",
		"a/b":                        "",
		"/":                          "",
		"5/":                         "",
	} {
		var got string
		for _, d := range []detector{percent{}, ratio{}} {
			p, ok := d.detect(line)
			if ok && d.find([]byte(line), 0) == len(line) {
				t.Errorf("%q is detected by %T and not found", line, d)
			}
			switch {
			case !ok || got != "":
			case p.Unit == process.UnitFraction:
				got = fmt.Sprintf("%v%%", p.Value*100)
			default:
				got = fmt.Sprintf("%d/%d", p.Done, p.Total)
			}
		}
		if got != want {
			t.Errorf("%q: %q, want %q", line, got, want)
		}
	}
}

func TestGenericPrompts(t *testing.T) {
	for line, prompt := range map[string]bool{
		"Proceed? [y/N] ":                  true,
		"Proceed (yes/no)? ":               true,
		"Do you want to continue? [Y/n]":   true,
		"Password: ":                       true,
		"[sudo] password for root: ":       true,
		"Enter passphrase for key 'x': ":   true,
		"Username for 'https://example':":  true,
		"What is your name? ":              true,
		"package name: (demo) ":            false,
		"Press any key to continue . . . ": true,
		"Enter a number: ":                 true,
		"\x1b[1mReally?\x1b[0m [y/n] ":     true,
		"? Pick a colour › ":               false,
		"Loading":                          false,
		"50%":                              false,
		"Compiling...":                     false,
		"http://x/?q":                      false,
		"what?":                            false,
	} {
		s := newSession(mustBuiltin(t, "generic"))
		if got := len(s.Partial(process.Stdout, line)) == 1; got != prompt {
			t.Errorf("%q: prompt %v", line, got)
		}
		if got := feed(s, process.Stdout, line+"\n"); prompt && len(got) > 0 {
			t.Errorf("%q as a finished line: %v", line, got)
		}
	}
}

// A failure's last stderr line is its summary; the exit code stays the reason.
func TestGenericFailure(t *testing.T) {
	s := newSession(mustBuiltin(t, "generic"))
	feed(s, process.Stdout, "out\n")
	feed(s, process.Stderr, "cannot open x\n100%\n")
	expect(t, s.Exit(process.Exit{Code: 7}), process.SummarySet{Summary: "cannot open x"})
	if s.Evidence().KnownError != nil {
		t.Error("generic classifies")
	}
}

// shared saves tests from reading the rule files again and again.
var shared = NewRegistry()

func mustBuiltin(t testing.TB, name string) Interpreter {
	t.Helper()
	i, err := shared.New(name)
	if err != nil {
		t.Fatal(err)
	}
	return i
}

func FuzzDetect(f *testing.F) {
	f.Add("Step 3/10 45% x")
	f.Fuzz(func(t *testing.T, line string) {
		for _, d := range []detector{percent{}, ratio{}} {
			if _, ok := d.detect(line); ok && d.find([]byte(line), 0) == len(line) {
				t.Errorf("%q is detected by %T and not found", line, d)
			}
			block := "x\n" + line + "\ny"
			if _, ok := d.detect(line); ok && d.find([]byte(block), 2) == len(block) {
				t.Errorf("%q is detected by %T and not found inside a block", line, d)
			}
		}
	})
}
