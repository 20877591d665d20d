package compile

import (
	"bufio"
	"encoding/json"
	"io"
	"os"
	"runtime/debug"
)

// variable makes a re-executed program a worker.
const variable = "REEVE_COMPILER"

// Worker runs this program as a compiler's worker and does not return, if it
// was started as one. Call it first thing in main, and in TestMain.
func Worker() {
	if os.Getenv(variable) == "" {
		return
	}
	_ = os.Unsetenv(variable)
	debug.SetMaxStack(workerStack)
	limitWorker()
	if err := serve(requests(os.Stdin), os.Stdout); err != nil {
		os.Exit(1)
	}
	os.Exit(0)
}

const (
	workerMemory = 1 << 30
	workerStack  = 256 << 20
)

// request and answer travel as one JSON value each.
type request struct {
	Source  string  `json:"source"`
	Dialect Dialect `json:"dialect"`
}

type answer struct {
	Program *Program `json:"program,omitempty"`
	Error   string   `json:"error,omitempty"`

	unsure bool // it may be the machine that is to blame: the next try may go otherwise
}

// requests reads them beside the work, so that a worker whose parent is gone
// ends in the middle of it.
func requests(r io.Reader) <-chan request {
	c := make(chan request)
	go func() {
		in := json.NewDecoder(bufio.NewReader(r))
		for {
			var q request
			if in.Decode(&q) != nil {
				os.Exit(0)
			}
			c <- q
		}
	}()
	return c
}

// serve answers requests until nobody reads the answers.
func serve(c <-chan request, w io.Writer) error {
	out := json.NewEncoder(w)
	out.SetEscapeHTML(false)
	for q := range c {
		var a answer
		p, err := program(q.Source, q.Dialect)
		if err != nil {
			a.Error = err.Error()
		}
		a.Program = p
		if err := out.Encode(&a); err != nil {
			return err
		}
	}
	return nil
}
