package remote

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"os"

	"golang.org/x/sys/unix"

	"github.com/reeverun/reeve/keeper"
	"github.com/reeverun/reeve/keeper/internal/wire"
	"github.com/reeverun/reeve/process"
)

// From the client. All but kill, release and cancel are answered, by answer or
// failed, with the same number.
const (
	hello      wire.Kind = iota + 1 // the version, then greeting: the first frame, and only the first
	spawn                           // see encodeSpec
	signal                          // request
	kill                            // request
	freeze                          // request
	thaw                            // request
	members                         // request; the answer is []process.Survivor
	usage                           // request; the answer is keeper.Usage
	release                         // request
	input                           // request, then bytes; the answer is how many were taken
	closeInput                      // request
	resize                          // request
	cancel                          // the number of a freeze or an input to give up
	shutdown                        // ends everything, and the keeper
	count                           // request; the answer is a number; a keeper of an earlier build does not know it
)

// From the keeper.
const (
	welcome   wire.Kind = iota + 64 // greeting, then a job for each there is, then ready
	ready                           //
	job                             // Info: the job is new to the client, or something about it is
	answer                          // to a request
	failed                          // failure, to a request; or to hello, before the end
	forgotten                       // the name of a job that was released, and is no more
	takenOver                       // before the end
)

// greeting is what both sides say of themselves.
type greeting struct {
	Build   string      `json:"build"`
	PID     int         `json:"pid"`
	Start   uint64      `json:"start"` // with PID, which keeper it is
	Tier    keeper.Tier `json:"tier,omitempty"`
	Reasons []string    `json:"reasons,omitempty"`
}

// request is the body of most frames.
type request struct {
	Name   string         `json:"name"`
	Signal process.Signal `json:"signal,omitempty"`
	Window keeper.Window  `json:"window,omitzero"`
}

func encode(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // of a type of this package, which can be written
	}
	return b
}

// encodeHello keeps the version where every version finds it.
func encodeHello(version uint32, g greeting) []byte {
	return append(binary.LittleEndian.AppendUint32(nil, version), encode(g)...)
}

func decodeHello(b []byte) (version uint32, g greeting, err error) {
	if len(b) < 4 {
		return 0, g, wire.ErrMalformed
	}
	if version = binary.LittleEndian.Uint32(b); version != Version {
		return version, g, nil
	}
	return version, g, json.Unmarshal(b[4:], &g)
}

// encodeSpec writes strings as they are, since JSON would change those that
// are no UTF-8, and everything else as JSON, which takes what will be added.
func encodeSpec(s keeper.Spec) (body []byte, files []*os.File) {
	given := byte(0)
	for i, f := range []*os.File{s.Stdin, s.Stdout, s.Stderr} {
		if f != nil {
			given |= 1 << i
			files = append(files, f)
		}
	}
	body = append(body, given)
	body = wire.AppendStrings(body, s.Name, s.Path, s.Dir)
	body = wire.AppendStrings(body, s.Args...)
	body = wire.AppendStrings(body, s.Env...)
	s.Name, s.Path, s.Dir, s.Args, s.Env = "", "", "", nil, nil
	return append(body, encode(s)...), files
}

// decodeSpec reads a Spec. Its files are the caller's to close, also those of
// a malformed one. A Spec that asks for more than this program knows is a
// SpawnError: a program must not run with less confinement than it was meant to.
func decodeSpec(f wire.Frame) (s keeper.Spec, err error) {
	next := f.Files
	defer func() {
		for _, fd := range next {
			unix.Close(fd)
		}
	}()
	if len(f.Body) == 0 {
		return s, wire.ErrMalformed
	}
	given, rest := f.Body[0], f.Body[1:]
	for i, to := range []**os.File{&s.Stdin, &s.Stdout, &s.Stderr} {
		if given&(1<<i) == 0 {
			continue
		}
		if len(next) == 0 {
			return s, wire.ErrMalformed
		}
		*to = os.NewFile(uintptr(next[0]), "stream")
		next = next[1:]
	}
	files := s
	names, rest, err := wire.TakeStrings(rest)
	if err != nil || len(names) != 3 {
		return files, wire.ErrMalformed
	}
	if s.Args, rest, err = wire.TakeStrings(rest); err != nil {
		return files, err
	}
	if s.Env, rest, err = wire.TakeStrings(rest); err != nil {
		return files, err
	}
	s.Name, s.Path, s.Dir = names[0], names[1], names[2]
	d := json.NewDecoder(bytes.NewReader(rest))
	d.DisallowUnknownFields()
	if err := d.Decode(&s); err != nil {
		return s, &keeper.SpawnError{Op: keeper.OpHold, Path: s.Path, Err: err,
			Hint: "the keeper is older than this daemon and does not know what is asked for: let its jobs end, and it will be replaced"}
	}
	return s, nil
}

func closeFiles(s keeper.Spec) {
	for _, f := range []*os.File{s.Stdin, s.Stdout, s.Stderr} {
		if f != nil {
			f.Close()
		}
	}
}
