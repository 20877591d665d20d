package cli

import (
	"bytes"
	"context"
	"errors"
	"net/http"

	"github.com/reeverun/reeve/client"
)

// tailBlock is how much is read at first to find the last lines.
const tailBlock = 64 << 10

// tailStart is the offset at which the last n lines begin. It reads backwards,
// in growing blocks, so that a large log costs what its last lines cost.
func (l runLog) tailStart(ctx context.Context, c *client.Client, over bool, n int) (int64, error) {
	if n == 0 {
		return l.size, nil
	}
	end, missing := l.size, n+1 // the newline before the first of them is the one to find
	for block := int64(tailBlock); end > 0; block *= 2 {
		start := max(0, end-block)
		b, err := l.read(ctx, c, over, start, end)
		var status *client.StatusError
		if errors.As(err, &status) && status.Status == http.StatusRequestedRangeNotSatisfiable {
			return end, nil // the log has a hole here: what follows it is all there is
		}
		if err != nil {
			return 0, err
		}
		if end == l.size && !bytes.HasSuffix(b, []byte("\n")) {
			missing-- // the last line has no end
		}
		for i := len(b) - 1; i >= 0; i-- {
			if b[i] != '\n' {
				continue
			}
			if missing--; missing == 0 {
				return start + int64(i) + 1, nil
			}
		}
		end = start
	}
	return 0, nil
}

func (l runLog) read(ctx context.Context, c *client.Client, over bool, from, to int64) ([]byte, error) {
	log := l.log
	log.From, log.To = from, to
	var b bytes.Buffer
	var err error
	if over {
		_, err = c.CopyOutput(ctx, &b, log)
	} else {
		_, err = c.FollowOutput(ctx, &b, log)
	}
	return b.Bytes(), err
}
