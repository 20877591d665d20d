package agent

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/reeverun/reeve/process"
)

// own is a tool of the agent itself.
type own struct {
	Name, Description, Params string
	do                        func(ctx context.Context, r *run, args json.RawMessage) (string, error)
}

// ownTools are those of the agent itself: structured output, children where it
// may start any, and the way to tools that are not shown.
func ownTools(envs []string, searched bool) []own {
	tools := []own{{"reeve_output", "Merges values into the structured output of this process, key by key.",
		`{"type":"object","properties":{"output":{"type":"object","description":"The keys and values to set."}},"required":["output"]}`, output}}
	if len(envs) > 0 {
		names, _ := json.Marshal(envs)
		tools = append(tools,
			own{"reeve_spawn", "Starts a child process below this one and returns its id at once. It runs beside you: wait for it with reeve_wait.",
				strings.ReplaceAll(spawnParams, "ENVIRONMENTS", string(names)), spawn},
			own{"reeve_wait", "Waits until a child has ended and returns how, with its output and the ends of its stdout and stderr. If it is still running after the timeout, that is what is returned: wait again.",
				`{"type":"object","properties":{"id":{"type":"integer"},"timeoutMs":{"type":"integer","description":"How long to wait; 5 minutes at most."}},"required":["id"]}`, wait},
			own{"reeve_signal", "Sends a signal to a child.",
				`{"type":"object","properties":{"id":{"type":"integer"},"signal":{"type":"string","enum":["SIGTERM","SIGKILL","SIGINT","SIGPAUSE","SIGRESUME"]}},"required":["id","signal"]}`, signal},
			own{"reeve_read_output", "Reads what a child has written, also while it runs, from an offset on. Returns the text, where to go on (next), and whether that was all (over).",
				`{"type":"object","properties":{"id":{"type":"integer"},"stream":{"type":"string","enum":["stdout","stderr"]},"offset":{"type":"integer","description":"0 if absent."},"limit":{"type":"integer","description":"In bytes; 16384 if absent, 49152 at most."}},"required":["id"]}`, readOutput})
	}
	if searched {
		tools = append(tools,
			own{"reeve_search_tools", "There are more tools than are shown. Looks for some by words; call one with reeve_call_tool.",
				`{"type":"object","properties":{"query":{"type":"string"},"limit":{"type":"integer","minimum":1,"maximum":100}}}`, searchTools},
			own{"reeve_call_tool", "Calls a tool that reeve_search_tools has found.",
				`{"type":"object","properties":{"service":{"type":"string"},"tool":{"type":"string"},"params":{"type":"object"}},"required":["service","tool"]}`, callTool})
	}
	return tools
}

// decode reads the arguments of an own tool.
func decode(args json.RawMessage, into any) error {
	if err := json.Unmarshal(args, into); err != nil {
		return toolError(process.ToolInvalid, "invalid arguments: %v", err)
	}
	return nil
}

func encode(v any) (string, error) {
	b, err := json.Marshal(v)
	return string(b), err
}

func output(_ context.Context, r *run, args json.RawMessage) (string, error) {
	var in struct{ Output map[string]any }
	if err := decode(args, &in); err != nil {
		return "", err
	}
	r.host.Output(in.Output)
	return "done", nil
}

func searchTools(ctx context.Context, r *run, args json.RawMessage) (string, error) {
	return r.callTool(ctx, Tool{Service: builtin, Name: "search"}, args)
}

// callTool asks for a person's patience where that is needed: what the policy
// says of the tool is not known here.
func callTool(ctx context.Context, r *run, args json.RawMessage) (string, error) {
	var in struct {
		Service, Tool string
		Params        json.RawMessage
	}
	if err := decode(args, &in); err != nil {
		return "", err
	}
	return r.callTool(ctx, Tool{Service: in.Service, Name: in.Tool, Asks: true}, in.Params)
}
