package client

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strconv"

	"github.com/reeverun/reeve/process"
)

// Log names the bytes of one stream of a run.
type Log struct {
	Process process.ID
	Run     int // 0: the newest
	Stream  process.Stream
	From    int64 // the first byte
	To      int64 // where to stop; 0: at the end
}

func (l Log) path() string { return runPath(l.Process, l.Run) + "/" + string(l.Stream) }

// errEnded says that the daemon ended a stream before its time: it is stopping.
var errEnded = errors.New("the daemon ended the stream")

// Code returns the code of a process, in any state.
func (c *Client) Code(ctx context.Context, id process.ID) (string, error) {
	return c.text(ctx, processPath(id)+"/code")
}

// Output returns the structured output of a finished run; run 0 is the newest.
func (c *Client) Output(ctx context.Context, id process.ID, run int) (map[string]any, error) {
	return call[map[string]any](ctx, c, request{method: http.MethodGet, path: runPath(id, run) + "/output"})
}

// CopyOutput writes the exact bytes of a finished run, or their part, and returns
// how many. It does not try again.
func (c *Client) CopyOutput(ctx context.Context, w io.Writer, log Log) (int64, error) {
	r := request{method: http.MethodGet, path: log.path()}
	if log.From > 0 || log.To > 0 {
		r.header = map[string]string{"Range": byteRange(log)}
	}
	resp, err := c.do(ctx, r)
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	return copyBytes(w, resp.Body)
}

func byteRange(log Log) string {
	s := "bytes=" + strconv.FormatInt(log.From, 10) + "-"
	if log.To > 0 {
		s += strconv.FormatInt(log.To-1, 10)
	}
	return s
}

// FollowOutput writes the bytes of a run as they come, until it has ended or To
// is reached, and returns how many. Run 0 is the newest one at the time of the call.
func (c *Client) FollowOutput(ctx context.Context, w io.Writer, log Log) (int64, error) {
	if log.Run == 0 { // so that a later run is not taken for the rest of this one
		rec, err := c.Process(ctx, log.Process)
		if err != nil {
			return 0, err
		}
		log.Run = rec.Run
	}
	start, again := log.From, c.retry()
	for {
		n, err := c.followOnce(ctx, w, log)
		log.From += n
		if n > 0 {
			again.succeeded()
		}
		if log.To > 0 && log.From >= log.To {
			return log.From - start, nil
		}
		if err == nil {
			err = c.followOver(ctx, &log)
		}
		if errors.Is(err, errOver) {
			return log.From - start, nil
		}
		var failed writeError
		if errors.As(err, &failed) {
			return log.From - start, failed.err
		}
		if !again.wait(ctx, err) {
			return log.From - start, err
		}
	}
}

// followOnce follows until the connection ends; a nil error means that the
// daemon ended it.
func (c *Client) followOnce(ctx context.Context, w io.Writer, log Log) (int64, error) {
	query := url.Values{"follow": {"1"}}
	if log.From > 0 {
		query.Set("offset", strconv.FormatInt(log.From, 10))
	}
	resp, err := c.do(ctx, request{method: http.MethodGet, path: log.path(), query: query})
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	if log.To > 0 {
		return copyBytes(w, io.LimitReader(resp.Body, log.To-log.From))
	}
	return copyBytes(w, resp.Body)
}

// errOver says that a stream has truly ended.
var errOver = errors.New("over")

// followOver tells a run that has ended, errOver, from a daemon that is stopping.
func (c *Client) followOver(ctx context.Context, log *Log) error {
	if log.Run == 0 {
		rec, err := c.Process(ctx, log.Process)
		if err != nil {
			return err
		}
		if rec.State == process.Idle {
			return errOver
		}
		return errEnded
	}
	run, err := c.RunRecord(ctx, log.Process, log.Run)
	if err != nil {
		return err
	}
	if run.CompletedAt != nil {
		return errOver
	}
	return errEnded
}

// writeError tells a full disk or a closed pipe from a broken connection.
type writeError struct{ err error }

func (e writeError) Error() string { return e.err.Error() }
func (e writeError) Unwrap() error { return e.err }

// copyBytes is io.Copy that tells which side failed.
func copyBytes(w io.Writer, r io.Reader) (int64, error) {
	var total int64
	buf := make([]byte, 64<<10)
	for {
		n, err := r.Read(buf)
		if n > 0 {
			written, werr := w.Write(buf[:n])
			total += int64(written)
			if werr != nil {
				return total, writeError{werr}
			}
		}
		if err == io.EOF {
			return total, nil
		}
		if err != nil {
			return total, err
		}
	}
}
