package remote

import (
	"net"

	"github.com/reeverun/reeve/keeper"
	"github.com/reeverun/reeve/keeper/internal/wire"
)

// What a client that is not ours could send.
const (
	Hello   = hello
	Spawn   = spawn
	Members = members
	Input   = input
	Freeze  = freeze
	Failed  = failed
	Ready   = ready
)

// Dial opens the socket of a keeper and says nothing.
func Dial(dir string) (*net.UnixConn, error) { return dialSocket(dir) }

// HelloBody is a hello of any version.
func HelloBody(version uint32) []byte { return encodeHello(version, greeting{Build: "test"}) }

// SpawnBody is an order to start a program.
func SpawnBody(s keeper.Spec) []byte {
	b, _ := encodeSpec(s)
	return b
}

// RequestBody is most other bodies.
func RequestBody(name string) []byte { return encode(request{Name: name}) }

// DecodeSpec reads an order.
func DecodeSpec(b []byte) (keeper.Spec, error) { return decodeSpec(wire.Frame{Body: b}) }

// Errors makes an error travel.
func Errors(err error) error { return decodeError(encodeError(err)) }

// LastLine reads a job's file.
func LastLine(name string, b []byte) Info { return lastLine(name, b) }

// Disconnect breaks the client's connection, as a keeper does that had to wait
// for it for too long.
func (c *Client) Disconnect() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.link.conn.Close()
}
