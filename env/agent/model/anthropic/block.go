package anthropic

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	sdk "github.com/anthropics/anthropic-sdk-go"

	"github.com/reeverun/reeve/env/agent/model"
)

// maxBlocks bounds the blocks of one answer, calls included.
const maxBlocks = 1024

var errTooManyBlocks = errors.New("it says or asks for too many things at once")

// block is a part of an answer whose pieces are still coming.
type block struct {
	Type, ID, Name                  string
	Text                            string
	Input                           json.RawMessage
	raw                             string // as it began
	text, thinking, signature, args strings.Builder
}

// start begins a block: they come in order, without gaps.
func (r *reading) start(index int64, raw string) error {
	switch {
	case index != int64(len(r.blocks)):
		return fmt.Errorf("it began its part %d when it had %d", index, len(r.blocks))
	case len(r.blocks) == maxBlocks:
		return errTooManyBlocks
	}
	b := &block{raw: raw}
	if err := json.Unmarshal([]byte(raw), b); err != nil {
		return err
	}
	b.text.WriteString(b.Text)
	r.blocks = append(r.blocks, b)
	return nil
}

// add adds a piece to a block.
func (r *reading) add(index int64, d *sdk.MessageStreamEventUnionDelta) error {
	if index < 0 || index >= int64(len(r.blocks)) {
		return fmt.Errorf("it went on with its part %d when it had %d", index, len(r.blocks))
	}
	b := r.blocks[index]
	switch d.Type {
	case "text_delta":
		b.text.WriteString(d.Text)
		if d.Text != "" && r.said != nil {
			r.said(d.Text)
		}
	case "input_json_delta":
		b.args.WriteString(d.PartialJSON)
	case "thinking_delta":
		b.thinking.WriteString(d.Thinking)
	case "signature_delta":
		b.signature.WriteString(d.Signature)
	}
	return nil
}

// arguments are those of a call, as they were written.
func (b *block) arguments() json.RawMessage {
	if b.args.Len() > 0 {
		return model.Arguments(b.args.String())
	}
	return model.Arguments(string(b.Input)) // some servers send them whole
}

// whole is the block with all its pieces; one that came whole is as it came.
func (b *block) whole() json.RawMessage {
	fields := map[string]json.RawMessage{}
	if json.Unmarshal([]byte(b.raw), &fields) != nil {
		return json.RawMessage(b.raw)
	}
	changed := false
	for name, piece := range map[string]*strings.Builder{"thinking": &b.thinking, "signature": &b.signature} {
		if piece.Len() > 0 {
			var begun string
			_ = json.Unmarshal(fields[name], &begun)
			fields[name], _ = json.Marshal(begun + piece.String())
			changed = true
		}
	}
	if b.args.Len() > 0 {
		fields["input"], changed = model.Object(json.RawMessage(b.args.String())), true
	}
	if !changed {
		return json.RawMessage(b.raw)
	}
	whole, _ := json.Marshal(fields) // of valid JSON: it cannot fail
	return whole
}
