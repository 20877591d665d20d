package kernel

import (
	"context"
	"errors"

	"github.com/reeverun/reeve/process"
)

var errNoTranscript = errors.New("the store keeps no transcripts")

// Remember implements env.Host.
func (h *host) Remember(context.Context, ...process.Message) error { return errNoTranscript }

// Transcript implements env.Host.
func (h *host) Transcript(context.Context) ([]process.Message, error) { return nil, errNoTranscript }
