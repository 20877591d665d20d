package agenttest

type object = map[string]any

// chat streams chat completion chunks.
func (p *player) chat() {
	t := &p.turn
	p.delta(object{"role": "assistant", "content": ""}, nil)
	for _, piece := range p.pieces(t.Text) {
		p.delta(object{"content": piece}, nil)
	}
	for _, piece := range p.pieces(t.Refusal) {
		p.delta(object{"refusal": piece}, nil)
	}
	if t.Error != "" {
		p.send("data: %s\n\n", marshal(object{"error": object{"message": t.Error, "type": "server_error"}}))
		return
	}
	for i, c := range t.Calls {
		p.delta(object{"tool_calls": []object{{"index": i, "id": c.id(i), "type": "function",
			"function": object{"name": c.Name, "arguments": ""}}}}, nil)
		for _, piece := range p.pieces(c.Args) {
			p.delta(object{"tool_calls": []object{{"index": i, "function": object{"arguments": piece}}}}, nil)
		}
	}
	finish := t.Finish
	switch {
	case finish != "":
	case len(t.Calls) > 0:
		finish = "tool_calls"
	default:
		finish = "stop"
	}
	p.delta(object{}, finish)
	if t.Usage != (Usage{}) {
		p.send("data: %s\n\n", marshal(object{"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "scripted",
			"choices": []object{}, "usage": object{"prompt_tokens": t.Usage.Input, "completion_tokens": t.Usage.Output,
				"total_tokens": t.Usage.Input + t.Usage.Output, "prompt_tokens_details": object{"cached_tokens": t.Usage.Cached}}}))
	}
	p.send("data: [DONE]\n\n")
}

func (p *player) delta(delta object, finish any) {
	p.send("data: %s\n\n", marshal(object{"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "scripted",
		"choices": []object{{"index": 0, "delta": delta, "finish_reason": finish}}, "usage": nil}))
}
