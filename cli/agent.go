package cli

import (
	"strings"

	"github.com/reeverun/reeve/api"
	"github.com/reeverun/reeve/process"
	"github.com/spf13/cobra"
)

// agentOptions are the flags of agent.
type agentOptions struct {
	jobFlags
	model, provider, system string
	maxSteps                int
	tools                   []string
}

func (a *App) agentCommand() *cobra.Command {
	var o agentOptions
	cmd := &cobra.Command{
		Use:   "agent INTENT | -",
		Short: "Have a model work on something and stay with it",
		Long: "Give an intent to an agent: a language model that works on it step by step, calls\n" +
			"tools and starts processes below its own. What it says appears live; on a terminal\n" +
			"so do its steps and calls. With - the intent is what standard input holds.\n" +
			"Interrupts and the exit code are as for 'reeve run': an agent that is interrupted\n" +
			"finishes its step first.\n\n" +
			"The daemon finds the model by OPENAI_API_KEY and OPENAI_BASE_URL, or by\n" +
			"ANTHROPIC_API_KEY and ANTHROPIC_BASE_URL, in its own environment. Later,\n" +
			"'reeve transcript ID' prints the conversation and 'reeve rerun ID --resume' goes on\n" +
			"with one that failed.",
		Example: "  reeve agent 'why does make test fail here?'\n" +
			"  reeve agent --model gpt-5 --max-steps 20 'summarise the open issues'\n" +
			"  reeve agent --provider anthropic --tool 'pets/get_*' --timeout 10m 'count the pets'\n" +
			"  reeve agent --detach --ref review - < intent.txt",
		Args: func(_ *cobra.Command, args []string) error {
			switch {
			case len(args) == 0 || strings.TrimSpace(args[0]) == "":
				return usagef("what shall it do? Give an intent, or - for standard input")
			case len(args) > 1:
				return usagef("the intent is one argument: put it in quotes")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return a.agent(cmd, &o, args[0]) },
	}
	o.register(cmd)
	f := cmd.Flags()
	f.StringVar(&o.model, "model", "", "`name` of the model (default: the daemon's)")
	f.StringVar(&o.provider, "provider", "", "whose `protocol` the endpoint speaks: openai or anthropic (default: the daemon's)")
	f.IntVar(&o.maxSteps, "max-steps", 0, "how often the model may be asked (default: the daemon's)")
	f.StringVar(&o.system, "system", "", "system `prompt`, instead of the default one")
	f.StringArrayVar(&o.tools, "tool", nil, "`pattern` SERVICE/TOOL of tools it may call, * for any (may be repeated; default: all that the policy allows)")
	completeWords(cmd, "provider", "openai", "anthropic")
	return cmd
}

func (a *App) agent(cmd *cobra.Command, o *agentOptions, intent string) error {
	if err := o.check(a, cmd); err != nil {
		return err
	}
	if o.maxSteps < 0 || cmd.Flags().Changed("max-steps") && o.maxSteps == 0 {
		return usagef("--max-steps %d: want at least 1", o.maxSteps)
	}
	if intent == "-" {
		b, err := readInput(a.Stdin)
		if err != nil {
			return err
		}
		intent = string(b)
	}
	ctx := cmd.Context()
	c, err := a.connect(ctx, connectOptions{start: true})
	if err != nil {
		return err
	}
	defer c.Close()
	body, err := o.create(ctx, cmd, c)
	if err != nil {
		return err
	}
	if body.Options == nil {
		body.Options = &api.Options{}
	}
	options := body.Options
	options.Model, options.Provider, options.MaxSteps, options.System = o.model, o.provider, o.maxSteps, o.system
	if len(o.tools) > 0 {
		options.Tools = o.tools
	}
	body.Code, body.Environment = &intent, process.EnvAgent
	return a.start(ctx, c, &o.jobFlags, body, nil)
}
