package daemon

import (
	"net"
	"os"
	"strings"
)

// notifier tells a service manager (systemd, Type=notify) what becomes of the
// daemon. Without one it does nothing.
type notifier struct{ socket string }

// newNotifier takes the manager's address out of the environment: it is not for
// the jobs, which inherit that.
func newNotifier() notifier {
	n := notifier{os.Getenv("NOTIFY_SOCKET")}
	_ = os.Unsetenv("NOTIFY_SOCKET")
	if strings.HasPrefix(n.socket, "@") { // an abstract one
		n.socket = "\x00" + n.socket[1:]
	}
	return n
}

// tell sends a state such as READY=1. A manager that does not listen is none of
// the daemon's business.
func (n notifier) tell(state string) {
	if n.socket == "" {
		return
	}
	c, err := net.DialUnix("unixgram", nil, &net.UnixAddr{Name: n.socket, Net: "unixgram"})
	if err != nil {
		return
	}
	defer c.Close()
	_, _ = c.Write([]byte(state))
}
