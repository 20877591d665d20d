package server

import (
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"

	"github.com/reeverun/reeve"
	"github.com/reeverun/reeve/api"
	"github.com/reeverun/reeve/process"
	"github.com/reeverun/reeve/rawlog"
)

// tails returns the ends of both streams of a process's newest run, as far as
// they can be had: the byte counts tell what there was.
func (s *Server) tails(p *process.Process) (out, errs string) {
	stdout, stderr, _ := s.rt.Tails(p)
	return string(stdout), string(stderr)
}

func (q *request) code() error {
	rec, err := q.process()
	if err != nil {
		return err
	}
	q.plain()
	_, err = io.WriteString(q.w, rec.Code)
	return ignoreWrite(err)
}

func (q *request) output() error {
	run, over, err := q.named()
	if err != nil {
		return err
	}
	if !over {
		return process.ErrNotIdle
	}
	if run.Output == nil {
		run.Output = map[string]any{}
	}
	return q.answer(http.StatusOK, run.Output)
}

func (q *request) stdout() error { return q.stream(process.Stdout) }
func (q *request) stderr() error { return q.stream(process.Stderr) }

func (q *request) stream(s process.Stream) error {
	run, over, err := q.named()
	if err != nil {
		return err
	}
	id, _ := q.id()
	if q.flag("follow") {
		return q.follow(id, run, s)
	}
	if !over {
		return process.ErrNotIdle
	}
	out, err := q.s.rt.OpenOutput(q.r.Context(), id, run.Number)
	if err != nil {
		return err
	}
	defer out.Close()
	return q.serveOutput(out, reeve.RawStream(s))
}

// serveOutput answers with a stream, or the range of it that is asked for.
func (q *request) serveOutput(out reeve.Output, s rawlog.Stream) error {
	total := out.Size(s)
	holes := out.Holes(s)
	ranges, asked := parseRange(q.r.Header.Get("Range"), total)
	if asked && (len(ranges) == 0 || touches(ranges, holes)) {
		q.w.Header().Set("Content-Range", "bytes */"+strconv.FormatInt(total, 10))
		if len(ranges) == 0 {
			return process.Errorf(api.CodeBadRange, "the range lies outside of the %d bytes there are", total)
		}
		return process.Errorf(api.CodeBadRange, "the range touches bytes that were dropped")
	}
	q.plain()
	// There is no version of a log that a condition could be about.
	for _, name := range []string{"If-Match", "If-None-Match", "If-Modified-Since", "If-Unmodified-Since"} {
		q.r.Header.Del(name)
	}
	whole := !asked || len(ranges) > 1 || q.r.Header.Get("If-Range") != ""
	switch {
	case len(holes) > 0 && whole:
		_, err := out.Copy(q.w, s, 0, total)
		return ignoreWrite(err)
	case len(holes) > 0:
		return q.serveRange(out, s, ranges[0], total)
	case !asked:
		q.r.Header.Del("Range") // not one we understand
	}
	http.ServeContent(q.w, q.r, "", time.Time{}, io.NewSectionReader(&streamReader{out, s}, 0, total))
	return nil
}

// serveRange answers with one range, beside which there are holes.
func (q *request) serveRange(out reeve.Output, s rawlog.Stream, r rawlog.Span, total int64) error {
	h := q.w.Header()
	h.Set("Content-Range", fmt.Sprintf("bytes %d-%d/%d", r.From, r.To-1, total))
	h.Set("Content-Length", strconv.FormatInt(r.Len(), 10))
	q.w.WriteHeader(http.StatusPartialContent)
	if q.r.Method == http.MethodHead {
		return nil
	}
	_, err := out.Copy(q.w, s, r.From, r.To)
	return ignoreWrite(err)
}

// follow streams output as it is written.
func (q *request) follow(id process.ID, run process.Run, s process.Stream) error {
	if run.Captured == process.Disabled || run.LogsPruned {
		return process.Errorf(process.CodeNotKept, "the output of run %d of process %d was not kept", run.Number, id)
	}
	from, _ := strconv.ParseInt(q.query("offset"), 10, 64)
	q.plain()
	q.w.Header().Set("X-Accel-Buffering", "no")
	if q.r.Method == http.MethodHead {
		return nil
	}
	ctx, cancel, err := q.wait(q.s.streaming)
	if err != nil {
		return err
	}
	defer cancel()
	w := q.w
	w.within = stalledAfter
	if err := w.FlushError(); err != nil {
		return nil
	}
	if err := q.s.rt.FollowOutput(ctx, w, w.FlushError, id, run.Number, s, from); err != nil && ctx.Err() == nil {
		q.s.log.Warn("following output failed", "process", int64(id), "error", err)
		panic(http.ErrAbortHandler) // the client must not take this for the end
	}
	if ctx.Err() != nil {
		panic(http.ErrAbortHandler)
	}
	return nil
}

func (q *request) plain() { q.w.Header().Set("Content-Type", "text/plain; charset=utf-8") }

// streamReader reads one stream of an output.
type streamReader struct {
	out    reeve.Output
	stream rawlog.Stream
}

func (r *streamReader) ReadAt(p []byte, off int64) (int, error) {
	return r.out.ReadAt(r.stream, p, off)
}

// ignoreWrite drops the error of a client that went away.
func ignoreWrite(error) error { return nil }
