package client

import (
	"context"
	"iter"
	"net/http"
	"net/url"
	"strconv"

	"github.com/reeverun/reeve/api"
	"github.com/reeverun/reeve/process"
)

// TranscriptPage returns a page of an agent's messages after one. A process that
// is not an agent is process.ErrNotFound.
func (c *Client) TranscriptPage(ctx context.Context, id process.ID, after int64) (api.Transcript, error) {
	return call[api.Transcript](ctx, c, request{method: http.MethodGet, path: processPath(id) + "/transcript",
		query: url.Values{"after": {strconv.FormatInt(after, 10)}}})
}

// Transcript goes through an agent's messages so far, page by page. An error is
// the last thing it yields.
func (c *Client) Transcript(ctx context.Context, id process.ID) iter.Seq2[process.Message, error] {
	return func(yield func(process.Message, error) bool) {
		for after := int64(0); ; {
			page, err := c.TranscriptPage(ctx, id, after)
			if err != nil {
				yield(process.Message{}, err)
				return
			}
			for _, m := range page.Messages {
				if !yield(m, nil) {
					return
				}
			}
			if len(page.Messages) == 0 {
				return
			}
			after = page.Next
		}
	}
}
