package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/reeverun/reeve/env"
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

const spawnParams = `{"type":"object","properties":{` +
	`"environment":{"type":"string","enum":ENVIRONMENTS},` +
	`"code":{"type":"string","description":"A program for typescript, a shell script for command, an intent for agent."},` +
	`"command":{"type":"object","description":"For command, in place of code: a program without a shell.","properties":{"program":{"type":"string"},"args":{"type":"array","items":{"type":"string"}},"cwd":{"type":"string"},"env":{"type":"object","additionalProperties":{"type":"string"}},"stdin":{"type":"string"}},"required":["program"]},` +
	`"label":{"type":"string"},` +
	`"options":{"type":"object","description":"timeout in ms; for agents also model, maxSteps, tools."}},"required":["environment"]}`

// childID is an id as models write it: a number, or one in quotes.
type childID process.ID

// UnmarshalJSON reads both.
func (c *childID) UnmarshalJSON(b []byte) error {
	n, err := strconv.ParseInt(strings.Trim(string(b), `"`), 10, 64)
	if err != nil || n < 1 {
		return toolError(process.ToolInvalid, "%s is not the id of a process", b)
	}
	*c = childID(n)
	return nil
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

// spawn starts a child. Whether it may is the policy's to say, as for any tool:
// see package tool.
func spawn(ctx context.Context, r *run, args json.RawMessage) (string, error) {
	spec, err := r.cfg.Spec(args)
	if err != nil {
		return "", err
	}
	if _, err := r.host.Call(ctx, builtin, "spawn."+spec.Environment, args); err != nil {
		return "", err
	}
	id, err := r.host.Spawn(ctx, spec)
	if err != nil {
		return "", err
	}
	return encode(map[string]any{"id": id})
}

// maxTail bounds what is shown of a child's output at its end.
const maxTail = 12 << 10

func wait(ctx context.Context, r *run, args json.RawMessage) (string, error) {
	in := struct {
		ID        childID
		TimeoutMS int64
	}{}
	if err := decode(args, &in); err != nil {
		return "", err
	}
	most := r.cfg.ToolTimeout
	if asked := time.Duration(in.TimeoutMS) * time.Millisecond; asked > 0 {
		most = min(most, asked)
	}
	waiting, cancel := context.WithTimeoutCause(ctx, most, errToolTooSlow)
	defer cancel()
	e, err := r.host.Await(waiting, process.ID(in.ID))
	if err != nil && context.Cause(waiting) == errToolTooSlow {
		return encode(map[string]any{"id": in.ID, "state": process.Running, "note": "it has not ended yet; wait again, or read its output"})
	}
	if err != nil {
		return "", err
	}
	return ended(&e)
}

// ended is a child's record, as far as it matters here.
func ended(e *env.Ended) (string, error) {
	p := e.Process
	return encode(struct {
		ID        process.ID        `json:"id"`
		ExitState process.ExitState `json:"exitState"`
		Error     string            `json:"error,omitempty"`
		Exit      *process.Exit     `json:"exit"`
		Output    map[string]any    `json:"output,omitempty"`
		Stdout    string            `json:"stdout"`
		Stderr    string            `json:"stderr"`
	}{p.ID, p.ExitState, p.Error, p.Exit, p.Output, tail(e.Stdout), tail(e.Stderr)})
}

// tail is the end of an output.
func tail(b []byte) string {
	if len(b) <= maxTail {
		return string(b)
	}
	return fmt.Sprintf("[reeve: %d bytes before this are left out: see reeve_read_output]\n%s", len(b)-maxTail, b[len(b)-maxTail:])
}

func signal(ctx context.Context, r *run, args json.RawMessage) (string, error) {
	var in struct {
		ID     childID
		Signal string
	}
	if err := decode(args, &in); err != nil {
		return "", err
	}
	s, err := process.ParseSignal(in.Signal)
	if err != nil {
		return "", err
	}
	return "sent", r.host.Signal(ctx, process.ID(in.ID), s)
}

func readOutput(ctx context.Context, r *run, args json.RawMessage) (string, error) {
	in := struct {
		ID     childID
		Stream process.Stream
		Offset int64
		Limit  int
	}{Stream: process.Stdout, Limit: 16 << 10}
	if err := decode(args, &in); err != nil {
		return "", err
	}
	if in.Stream != process.Stdout && in.Stream != process.Stderr {
		return "", toolError(process.ToolInvalid, "%q is not a stream: want stdout or stderr", in.Stream)
	}
	data, next, over, err := r.host.Read(ctx, process.ID(in.ID), in.Stream, max(0, in.Offset), min(max(1, in.Limit), 48<<10))
	if err != nil {
		return "", err
	}
	return encode(map[string]any{"text": string(data), "next": next, "over": over})
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
