package handover

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"

	"github.com/reeverun/reeve/api"
	"github.com/reeverun/reeve/process"
)

// Accept makes a request for the daemon's place a conversation. If it cannot
// be, the request was answered. Close the Peer.
func Accept(w http.ResponseWriter, r *http.Request) (*Peer, Request, error) {
	var asked Request
	if !supported {
		return nil, asked, Refuse(w, http.StatusNotFound, process.CodeNotFound, "this system cannot hand sockets over")
	}
	err := json.NewDecoder(io.LimitReader(r.Body, maxMessage)).Decode(&asked)
	if err != nil || asked.Protocol != Protocol {
		return nil, asked, Refuse(w, http.StatusBadRequest, process.CodeInvalid,
			fmt.Sprintf("the daemon that runs hands over by protocol %d, and was asked for protocol %d: stop it, and start the new one without --replace", Protocol, asked.Protocol))
	}
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return nil, asked, err
	}
	unix, ok := conn.(*net.UnixConn)
	if !ok {
		_ = conn.Close()
		return nil, asked, errors.New("a place can be asked for over the unix socket only")
	}
	if uid, err := userOf(unix); err != nil || uid != 0 && uid != os.Getuid() {
		_ = conn.Close()
		return nil, asked, fmt.Errorf("user %d asked for this daemon's place: refused: %w", uid, errors.Join(err, os.ErrPermission))
	}
	p := newPeer(unix, nil)
	if _, err := io.WriteString(unix, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: reeve-handover\r\n\r\n"); err != nil {
		p.Close()
		return nil, asked, err
	}
	return p, asked, nil
}

// Refuse answers a request that cannot be granted, and returns what it said.
func Refuse(w http.ResponseWriter, status int, code process.Code, why string) error {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("Connection", "close")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(api.Error{Message: why, Code: code})
	return errors.New(why)
}
