package cli

import (
	"github.com/reeverun/reeve/api"
	"github.com/reeverun/reeve/process"
	"github.com/spf13/cobra"
)

// terminalFlags say how a command is connected with this terminal.
type terminalFlags struct {
	pty, interactive bool
	keys             string
}

func (o *terminalFlags) register(cmd *cobra.Command) {
	f := cmd.Flags()
	f.BoolVarP(&o.pty, "pty", "t", false, "give it a terminal, connected with this one")
	f.BoolVarP(&o.interactive, "interactive", "i", false, "pass standard input on as it comes")
	f.StringVar(&o.keys, "detach-keys", defaultDetachKeys, "with --pty: `keys` that leave it running; none: no keys")
}

// attachment is how this terminal is connected with the command; nil: not at all.
func (a *App) attachment(o *runOptions) (*attachment, error) {
	leave, err := parseDetachKeys(o.keys)
	if err != nil || !o.pty && !o.interactive {
		return nil, err
	}
	if o.rawOutput == string(process.Disabled) && !o.detach {
		return nil, usagef("--raw-output disabled keeps nothing to show: use memory, or --detach")
	}
	// A pipe that is not to be passed on as it comes is read before the start.
	return &attachment{leave: leave, queued: true, deaf: !o.interactive && !isTerminal(a.Stdin)}, nil
}

// connectInput gives the command what it reads: all that was piped in, or a
// way to be written to.
func (a *App) connectInput(c *api.Command, o *terminalFlags) (err error) {
	if o.pty {
		w, ok := a.window()
		if !ok {
			w = api.Window{Rows: 24, Cols: 80}
		}
		c.PTY, c.Window = true, &w
	}
	if o.interactive {
		c.StdinOpen = !o.pty
		return nil
	}
	c.StdinBase64, err = a.pipedInput()
	return err
}
