package daemon

import (
	"errors"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/reeverun/reeve/process"
	"github.com/reeverun/reeve/settings"
	"github.com/reeverun/reeve/token"
)

func TestLoopback(t *testing.T) {
	for addr, want := range map[string]bool{
		"127.0.0.1:1": true, "127.8.9.10:1": true, "localhost:1": true, "LOCALHOST:1": true, "[::1]:1": true, "[::ffff:127.0.0.1]:1": true,
		":1": false, "0.0.0.0:1": false, "[::]:1": false, "10.0.0.1:1": false, "example.org:1": false, "localhost.example.org:1": false,
		"[fe80::1%lo]:1": false, "128.0.0.1:1": false,
	} {
		if got := loopback(addr); got != want {
			t.Errorf("%s: %v", addr, got)
		}
	}
}

func TestNonLoopbackNeedsAToken(t *testing.T) {
	f := prepare(t, "listen=0.0.0.0:0")
	err := f.fails()
	for _, want := range []string{"0.0.0.0:0", "reeve token create --scope", f.s.Data} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q does not say %q", err, want)
		}
	}
	if _, err := os.Stat(settings.DataDir(f.s.Data).Socket()); err == nil {
		t.Error("it opened a socket before it refused")
	}
	if _, _, err := token.Open(settings.DataDir(f.s.Data).Tokens()).Create("", []token.Scope{token.ScopeRun}, 0); err != nil {
		t.Fatal(err)
	}
	f.start()
}

func TestPortInUseIsSaid(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	err = prepare(t, "listen="+l.Addr().String()).fails()
	if !strings.Contains(err.Error(), l.Addr().String()+" is in use by another program") || !strings.Contains(err.Error(), "none") {
		t.Error(err)
	}
}

// Two daemons of the same settings meet at the port first; what matters is that
// there is a daemon already.
func TestSecondDaemonIsRefused(t *testing.T) {
	f := prepare(t).start()
	second := prepare(t, "data="+f.s.Data, "listen="+f.addr)
	if err := second.fails(); !errors.Is(err, process.ErrOwned) || !strings.Contains(err.Error(), f.s.Data) {
		t.Errorf("on the same port: %v", err)
	}
	other := prepare(t, "data="+f.s.Data)
	if err := other.fails(); !errors.Is(err, process.ErrOwned) || !strings.Contains(err.Error(), "pid") {
		t.Errorf("on another port: %v", err)
	}
	if status, _ := f.call("GET", "/health", ""); status != http.StatusOK {
		t.Error("the first one suffered")
	}
}

// Once a token exists, TCP needs one at once, and the socket does not.
func TestTokenIsNeededOnTCPOnceThereIsOne(t *testing.T) {
	f := prepare(t).start()
	ask := func(secret string) int {
		req, _ := http.NewRequest("GET", "http://"+f.addr+"/processes", nil)
		if secret != "" {
			req.Header.Set("Authorization", "Bearer "+secret)
		}
		resp, err := f.overTCP().Do(req)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		return resp.StatusCode
	}
	if got := ask(""); got != http.StatusOK {
		t.Errorf("without any token: %d", got)
	}
	tokens := token.Open(settings.DataDir(f.s.Data).Tokens())
	secret, made, err := tokens.Create("", []token.Scope{token.ScopeRead}, 0)
	if err != nil {
		t.Fatal(err)
	}
	if got := ask(""); got != http.StatusUnauthorized {
		t.Errorf("no token shown: %d", got)
	}
	if got := ask(secret + "x"); got != http.StatusUnauthorized {
		t.Errorf("a wrong one: %d", got)
	}
	if got := ask(secret); got != http.StatusOK {
		t.Errorf("the right one: %d", got)
	}
	if status, _ := f.call("GET", "/processes", ""); status != http.StatusOK {
		t.Errorf("the socket: %d", status)
	}
	if err := tokens.Remove(made.ID); err != nil {
		t.Fatal(err)
	}
	if got := ask(""); got != http.StatusOK {
		t.Errorf("after the last token went: %d", got)
	}
	if strings.Contains(f.log.String(), secret) {
		t.Error("the secret was logged")
	}
}
