package api

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/reeverun/reeve/process"
)

// Create is the body of POST /processes. With the environment "command"
// exactly one of Code and Command is given, with any other Code is.
type Create struct {
	Code        *string  `json:"code,omitempty" doc:"What to run: source code, an agent's intent, or a script for the system's shell. Required, unless there is a command."`
	Ref         *string  `json:"ref,omitempty" doc:"A name that no other existing process carries. White space around it is removed."`
	Autorun     *bool    `json:"autorun,omitempty" default:"true" doc:"Run it at once. Otherwise it is created idle."`
	Block       bool     `json:"block,omitempty" doc:"Answer when it has finished."`
	Environment string   `json:"environment,omitempty" doc:"What executes it. The server has a default."`
	Command     *Command `json:"command,omitempty" doc:"A program to run, for the environment command."`
	Label       string   `json:"label,omitempty" maxLength:"1024" doc:"A title for people."`
	Tags        []string `json:"tags,omitempty" maxItems:"100" nullable:"false" doc:"For filtering."`
	Parent      int64    `json:"parent,omitempty" minimum:"1" doc:"The process to put it below."`
	Interpreter string   `json:"interpreter,omitempty" doc:"What reads its output: generic, none, a built-in one or a rule file's name."`
	Priority    int      `json:"priority,omitempty" doc:"Higher ones overtake others in the queue."`
	RawOutput   string   `json:"rawOutput,omitempty" enum:"persist,persist-gzip,memory,disabled" doc:"What is kept of its output bytes."`
	Notify      *Notify  `json:"notify,omitempty" doc:"Who is told when a run is over."`
	Options     *Options `json:"options,omitempty" doc:"Bounds of a run. Options that the environment does not know are refused."`
}

// Notify is who is told, by an HTTP request, when a run is over.
type Notify struct {
	URL    string  `json:"url" minLength:"1" maxLength:"2048" example:"https://example.com/done" doc:"Where to send it, by http or https. Stored encrypted; shown without what may be secret in it."`
	Secret *string `json:"secret,omitempty" minLength:"1" maxLength:"1024" doc:"Signs what is sent, as Standard Webhooks has it: by its bytes or, if it begins with whsec_, by those that its base64 stands for. Stored encrypted and never shown. Without one nothing is signed."`
}

// Command is a program to run. No string in it is parsed by a shell.
type Command struct {
	Program      string            `json:"program" minLength:"1" doc:"A path, or a name to be found in PATH."`
	Args         []string          `json:"args,omitempty" nullable:"false"`
	Env          map[string]string `json:"env,omitempty" doc:"Variables to set. Values are stored encrypted and never shown."`
	EnvClear     bool              `json:"envClear,omitempty" doc:"Start from an empty environment instead of the daemon's own."`
	Dir          string            `json:"cwd,omitempty" doc:"The working directory."`
	Stdin        *string           `json:"stdin,omitempty" doc:"Text to read, then the end of file. Stored encrypted and never shown."`
	StdinBase64  []byte            `json:"stdinBase64,omitempty" doc:"The same for bytes."`
	StdinOpen    bool              `json:"stdinOpen,omitempty" doc:"Leave stdin open for what is sent to /processes/{id}/input while it runs."`
	PTY          bool              `json:"pty,omitempty" doc:"Give it a terminal for its three streams; what it shows is in stdout. stdin, if given, is typed there, then the end of file."`
	Window       *Window           `json:"window,omitempty" doc:"With pty: the size of a terminal for people, which echoes and translates newlines. Left out: 24 by 80, and it does neither."`
	MergeStreams bool              `json:"mergeStreams,omitempty" doc:"Send stderr to stdout's log, which keeps their exact order."`
	SuccessCodes []int             `json:"successCodes,omitempty" nullable:"false" doc:"Exit codes that are success."`
	Leftovers    string            `json:"leftovers,omitempty" enum:"kill,wait" doc:"What becomes of descendants that outlive the program."`
	HideWindow   *bool             `json:"hideWindow,omitempty" doc:"Windows: open no console window."`
}

// Window is the size of a terminal.
type Window = process.Window

// Input is the answer to POST /processes/{id}/input.
type Input struct {
	Bytes int64 `json:"bytes" doc:"How many the program's input has taken: all, or those before it ended or the request did."`
}

// Options bound a run.
type Options struct {
	Timeout   Millis `json:"timeout,omitzero" minimum:"1" doc:"Milliseconds a run may take, from its start; null: no limit."`
	TimeoutMS Millis `json:"timeoutMs,omitzero" minimum:"1" doc:"Another name of timeout."`
	Grace     Millis `json:"grace,omitzero" minimum:"0" doc:"Milliseconds between SIGTERM and SIGKILL."`
	Drain     Millis `json:"drain,omitzero" minimum:"0" doc:"Milliseconds that descendants have after the program's exit."`
	Sandbox   string `json:"sandbox,omitempty" enum:"trusted,confined,sandbox" doc:"How far a command is confined: trusted (the default) not at all; confined writes in few places and gains no rights; sandbox sees the system's programs and its work folder only, nobody, and no network. A program is always in a sandbox of its own."`

	Require []string `json:"require,omitempty" nullable:"false" maxItems:"100" example:"[\"tree-kill\"]" doc:"What it must not run without, by the names of enforced.confined, or tree-kill: no-new-privs, no-capabilities, landlock, seccomp, own-root, own-proc, unprivileged-user, no-network, user-namespace, mount-namespace, pid-namespace, net-namespace, ipc-namespace, uts-namespace, cgroup-namespace, openFiles, cpu, memory, pids. A run that cannot have one fails before it starts (spawn_failed)."`

	Budget    *Budget `json:"budget,omitempty" doc:"What it and all processes below it may use together."`
	Heartbeat Millis  `json:"heartbeat,omitzero" minimum:"0" doc:"Milliseconds without a sign of life after which an event says that it has stalled; 0 or null: never."`

	Limits *Limits  `json:"limits,omitempty" doc:"What a run may consume. For programs and commands."`
	JIT    *bool    `json:"jit,omitempty" default:"true" doc:"typescript: compile to machine code; false interprets only."`
	Tools  []string `json:"tools,omitzero" maxItems:"100" nullable:"false" example:"[\"pets/*\"]" doc:"Patterns SERVICE/TOOL of the tools it may call; they only narrow what the server's policy allows. Left out: all that allows; an empty list: none."`

	Model    string `json:"model,omitempty" maxLength:"256" example:"gpt-5" doc:"agent: the model to ask. The server may have a default."`
	Provider string `json:"provider,omitempty" enum:"openai,anthropic" doc:"agent: whose protocol the endpoint speaks. The server has a default."`
	MaxSteps int    `json:"maxSteps,omitempty" minimum:"0" doc:"agent: how often the model may be asked; 0: the server's default."`
	System   string `json:"system,omitempty" doc:"agent: replaces the default system prompt."`
}

// Limits bound what a run consumes. 0 is as good as left out: the server's
// default.
type Limits struct {
	MemoryBytes int64 `json:"memoryBytes,omitempty" minimum:"0" doc:"Of a program's heap; of a command with all its descendants, where a cgroup counts it, else of each of its processes."`
	PIDs        int64 `json:"pids,omitempty" minimum:"0" doc:"command: processes and threads at a time. Left out: 4096, where a cgroup counts them."`
	CPUMS       int64 `json:"cpuMs,omitempty" minimum:"0" doc:"Milliseconds of CPU time, of a command with all its descendants."`
	OutputBytes int64 `json:"outputBytes,omitempty" minimum:"0" doc:"Of stdout and stderr together. A command that has written more is killed; some more may be in its log by then."`
	OpenFiles   int64 `json:"openFiles,omitempty" minimum:"0" doc:"command: descriptors of each process."`
}

// Budget bounds what a process and all below it use together. 0 is as good as
// left out: no bound, but for those above it.
type Budget struct {
	Tokens     int64  `json:"tokens,omitempty" minimum:"0" doc:"Of language models."`
	WallMS     int64  `json:"wallMs,omitempty" minimum:"0" doc:"Milliseconds on the process's own clock: not while it is queued or paused."`
	CPUMS      int64  `json:"cpuMs,omitempty" minimum:"0" doc:"Milliseconds of CPU time."`
	Children   int64  `json:"children,omitempty" minimum:"0" doc:"Processes started below it, ever. One more is refused."`
	Depth      int64  `json:"depth,omitempty" minimum:"0" doc:"Generations below it. One more is refused."`
	OnExceeded string `json:"onExceeded,omitempty" enum:"stop,ask" default:"stop" doc:"When tokens or time are used up: stop ends all of it with exit code 2; ask pauses it until a person grants the same again, or refuses."`
}

// Millis is a number of milliseconds that tells null from absent.
type Millis struct {
	Set  bool // it was given
	Null bool // as null
	N    int64
}

// MS is a given number of milliseconds.
func MS(n int64) Millis { return Millis{Set: true, N: n} }

// NullMS is a given null.
func NullMS() Millis { return Millis{Set: true, Null: true} }

// maxMillis keeps a number of milliseconds within a time.Duration.
const maxMillis = int64(1<<63-1) / int64(time.Millisecond)

// Duration of a given number; 0 is as short as can be.
func (m Millis) Duration() time.Duration {
	switch {
	case !m.Set || m.Null:
		return 0
	case m.N == 0:
		return 1
	}
	return time.Duration(min(m.N, maxMillis)) * time.Millisecond
}

// UnmarshalJSON is called for a given value only. A string is a duration, as in
// files that people write.
func (m *Millis) UnmarshalJSON(b []byte) error {
	*m = Millis{Set: true, Null: string(b) == "null"}
	switch {
	case m.Null:
		return nil
	case b[0] != '"':
		return json.Unmarshal(b, &m.N)
	}
	var text string
	if err := json.Unmarshal(b, &text); err != nil {
		return err
	}
	d, err := time.ParseDuration(text)
	if err != nil {
		return fmt.Errorf("%q is not a duration: want one like 500ms, 30s or 5m", text)
	}
	m.N = d.Milliseconds()
	return nil
}

// MarshalJSON writes a given value.
func (m Millis) MarshalJSON() ([]byte, error) {
	if m.Null || !m.Set {
		return []byte("null"), nil
	}
	return json.Marshal(m.N)
}
