package mcp

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// connection is one session with a server.
type connection struct {
	session *mcp.ClientSession
	stop    func()        // ends what carries the session; may be called again
	last    func() string // what the server's program said last, for errors
	closing atomic.Bool
	done    chan struct{} // closed when the session is over
}

// closeTime is how long a server has to end by itself.
const closeTime = 2 * time.Second

func (a *Adapter) connect(ctx context.Context) (*connection, error) {
	c := &connection{done: make(chan struct{}), last: func() string { return "" }}
	transport, err := a.transport(c)
	if err != nil {
		return nil, err
	}
	session, err := a.client().Connect(ctx, transport, nil)
	if err != nil {
		c.stop()
		return nil, c.explain(err)
	}
	c.session = session
	go a.watch(c) // ends with the session, which c.close ends and waits for
	return c, nil
}

func (a *Adapter) transport(c *connection) (mcp.Transport, error) {
	switch {
	case len(a.cfg.Command) > 0 && a.cfg.URL != "":
		return nil, errors.New("it has a command and a url: give one of them")
	case len(a.cfg.Command) > 0:
		return a.startProgram(c)
	case a.cfg.URL != "":
		return a.reach(c)
	}
	return nil, errors.New("it has neither a command nor a url: give one of them")
}

func (a *Adapter) client() *mcp.Client {
	version := a.cfg.Version
	if version == "" {
		version = "0"
	}
	return mcp.NewClient(&mcp.Implementation{Name: "reeve", Version: version}, &mcp.ClientOptions{
		Capabilities:           &mcp.ClientCapabilities{}, // none: see the package comment
		MultiRoundTrip:         &mcp.MultiRoundTripOptions{Disabled: true},
		ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) { a.changed(nil) },
	})
}

// watch says when a session ends that nobody closed. It says so before close
// returns, so that no later connection is taken for this one.
func (a *Adapter) watch(c *connection) {
	defer close(c.done)
	err := c.session.Wait()
	if c.closing.Load() {
		return
	}
	if err == nil {
		err = errors.New("the server closed the connection")
	}
	a.changed(errors.New(a.secrets.Redact(c.explain(err).Error())))
}

// explain adds what the program said last.
func (c *connection) explain(err error) error {
	if said := c.last(); said != "" {
		return fmt.Errorf("%w; its last words: %s", err, said)
	}
	return err
}

// close ends the session politely and then for certain.
func (c *connection) close() {
	c.closing.Store(true)
	closed := make(chan struct{})
	go func() {
		defer close(closed)
		_ = c.session.Close()
	}()
	select {
	case <-closed:
	case <-time.After(closeTime):
	}
	c.stop()
	<-closed
	<-c.done
}
