package handover

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"syscall"
	"time"

	"github.com/reeverun/reeve/api"
	"github.com/reeverun/reeve/process"
)

// answerWithin is how long a daemon that works may take to answer.
const answerWithin = 10 * time.Second

// Ask asks the daemon of a socket for its place, and returns what it says first.
// It is ErrNobody where none listens. Close the Peer.
func Ask(ctx context.Context, socket string, r Request) (_ *Peer, hello Message, err error) {
	if !supported {
		return nil, hello, &process.Error{Code: process.CodeInvalid, Field: "--replace",
			Message: "this system cannot hand sockets from one program to another", Hint: "stop the daemon that runs, and start this one without --replace"}
	}
	ctx, cancel := context.WithTimeoutCause(ctx, answerWithin, errors.New("the daemon that runs does not answer"))
	defer cancel()
	conn, err := new(net.Dialer).DialContext(ctx, "unix", socket)
	if err != nil {
		if errors.Is(err, os.ErrNotExist) || errors.Is(err, syscall.ECONNREFUSED) {
			return nil, hello, ErrNobody
		}
		return nil, hello, err
	}
	unix := conn.(*net.UnixConn)
	unhook := context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Unix(1, 0)) })
	rest, err := upgrade(unix, r)
	unhook()
	if err != nil {
		_ = conn.Close()
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		return nil, hello, err
	}
	p := newPeer(unix, rest)
	if hello, err = p.Await(ctx, Hello); err != nil {
		p.Close()
		return nil, hello, err
	}
	return p, hello, nil
}

// upgrade makes an HTTP connection a conversation. What it returns was read and
// belongs to that.
func upgrade(conn *net.UnixConn, r Request) ([]byte, error) {
	body, err := json.Marshal(r)
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequest(http.MethodPost, "http://localhost"+Path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	if err := req.Write(conn); err != nil {
		return nil, err
	}
	// No descriptors come before the new daemon has spoken again.
	in := bufio.NewReaderSize(conn, maxMessage)
	resp, err := http.ReadResponse(in, req)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode != http.StatusSwitchingProtocols {
		return nil, refusal(resp)
	}
	rest := make([]byte, in.Buffered())
	_, err = io.ReadFull(in, rest)
	return rest, err
}

// refusal reads why a daemon does not hand over.
func refusal(resp *http.Response) error {
	defer resp.Body.Close()
	if resp.StatusCode == http.StatusNotFound {
		return &process.Error{Code: process.CodeInvalid, Field: "--replace",
			Message: "the daemon that runs is of a version that cannot hand over",
			Hint:    "stop it (see its pid in 'reeve version'), and start this one without --replace"}
	}
	var e api.Error
	if err := json.NewDecoder(io.LimitReader(resp.Body, maxMessage)).Decode(&e); err != nil || e.Message == "" {
		return fmt.Errorf("the daemon that runs answered %s", resp.Status)
	}
	return &process.Error{Code: e.Code, Message: e.Message}
}
