package process

import "strings"

// Signal is one of Reeve's own signals; each environment maps them.
type Signal int

// The signals, with the numbers every environment shares.
const (
	SIGTERM   Signal = 1
	SIGKILL   Signal = 2
	SIGINT    Signal = 3
	SIGPAUSE  Signal = 4
	SIGRESUME Signal = 5
)

var signalNames = map[Signal]string{
	SIGTERM: "SIGTERM", SIGKILL: "SIGKILL", SIGINT: "SIGINT",
	SIGPAUSE: "SIGPAUSE", SIGRESUME: "SIGRESUME",
}

// Valid reports whether s is one of the five.
func (s Signal) Valid() bool { return s >= SIGTERM && s <= SIGRESUME }

// String returns the signal's name.
func (s Signal) String() string {
	if n, ok := signalNames[s]; ok {
		return n
	}
	return "SIG?"
}

// ParseSignal reads a signal by name, with or without SIG, in any case.
func ParseSignal(name string) (Signal, error) {
	up := strings.ToUpper(strings.TrimPrefix(strings.ToUpper(name), "SIG"))
	for s, n := range signalNames {
		if n == "SIG"+up {
			return s, nil
		}
	}
	return 0, Invalid("signal", "%q is not a signal: want TERM, KILL, INT, PAUSE or RESUME", name)
}
