package agenttest

// messages streams message events.
func (p *player) messages() {
	t := &p.turn
	p.event("message_start", object{"message": object{"id": "msg_1", "type": "message", "role": "assistant", "model": "scripted",
		"content": []object{}, "stop_reason": nil, "stop_sequence": nil,
		"usage": object{"input_tokens": t.Usage.Input - t.Usage.Cached, "cache_read_input_tokens": t.Usage.Cached,
			"cache_creation_input_tokens": 0, "output_tokens": min(1, t.Usage.Output)}}})
	p.event("ping", object{})
	index := 0
	if text := t.Text + t.Refusal; text != "" {
		p.block(index, object{"type": "text", "text": ""}, "text_delta", "text", p.pieces(text))
		index++
	}
	if t.Error != "" {
		p.event("error", object{"error": object{"type": "overloaded_error", "message": t.Error}})
		return
	}
	for i, c := range t.Calls {
		p.block(index, object{"type": "tool_use", "id": c.id(i), "name": c.Name, "input": object{}},
			"input_json_delta", "partial_json", p.pieces(c.Args))
		index++
	}
	finish := map[string]string{"length": "max_tokens", "content_filter": "refusal"}[t.Finish]
	switch {
	case finish != "":
	case t.Refusal != "":
		finish = "refusal"
	case len(t.Calls) > 0:
		finish = "tool_use"
	default:
		finish = "end_turn"
	}
	p.event("message_delta", object{"delta": object{"stop_reason": finish, "stop_sequence": nil},
		"usage": object{"output_tokens": t.Usage.Output}})
	p.event("message_stop", object{})
}

func (p *player) block(index int, start object, kind, field string, pieces []string) {
	p.event("content_block_start", object{"index": index, "content_block": start})
	for _, piece := range pieces {
		p.event("content_block_delta", object{"index": index, "delta": object{"type": kind, field: piece}})
	}
	p.event("content_block_stop", object{"index": index})
}

func (p *player) event(kind string, data object) {
	data["type"] = kind
	p.send("event: %s\ndata: %s\n\n", kind, marshal(data))
}
