package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/reeverun/reeve/api"
	"github.com/reeverun/reeve/settings"
	"github.com/spf13/cobra"
)

// execOptions are the flags of exec.
type execOptions struct {
	jobFlags
	code        string
	environment string

	memory, output string
	cpu            time.Duration
	noJIT          bool
	tools          []string
}

func (a *App) execCommand() *cobra.Command {
	var o execOptions
	cmd := &cobra.Command{
		Use:   "exec FILE | -e CODE | -",
		Short: "Run code and stay with it",
		Long: "Run code in an environment, the daemon's default one unless --environment names\n" +
			"another; 'reeve env' lists them. The code is a file's, an argument's or, with -,\n" +
			"what standard input holds. Output, interrupts and the exit code are as for\n" +
			"'reeve run'. A program that waits for a person's approval says so on stderr.",
		Example: "  reeve exec job.ts\n" +
			"  reeve exec -e 'console.log(1 + 1)'\n" +
			"  cat job.ts | reeve exec -\n" +
			"  reeve exec --memory 256MiB --cpu 10s --tool 'pets/*' job.ts\n" +
			"  reeve exec --budget wall=30s,children=5,depth=1,ask job.ts\n" +
			"  reeve exec --environment command -e 'ls | wc -l'",
		RunE: func(cmd *cobra.Command, args []string) error { return a.exec(cmd, &o, args) },
	}
	o.register(cmd)
	cmd.Flags().StringVarP(&o.code, "eval", "e", "", "`code` to run")
	f := cmd.Flags()
	f.StringVar(&o.environment, "environment", "", "`environment` to run it in")
	f.StringVar(&o.memory, "memory", "", "`size` its heap may have, such as 256MiB (default: the daemon's)")
	f.DurationVar(&o.cpu, "cpu", 0, "CPU time it may use (default: the daemon's)")
	f.StringVar(&o.output, "max-output", "", "`size` its output may have, such as 10MiB (default: the daemon's)")
	f.BoolVar(&o.noJIT, "no-jit", false, "interpret it, do not compile it to machine code")
	f.StringArrayVar(&o.tools, "tool", nil, "`pattern` SERVICE/TOOL of tools it may call, * for any (may be repeated; default: all that the policy allows)")
	return cmd
}

// limits are what the flags say, checked before a daemon is asked, or started.
func (o *execOptions) limits(cmd *cobra.Command) (l api.Limits, err error) {
	for name, to := range map[string]*int64{"memory": &l.MemoryBytes, "max-output": &l.OutputBytes} {
		given := cmd.Flags().Lookup(name)
		if !given.Changed {
			continue
		}
		if *to, err = settings.ParseSize(given.Value.String()); err != nil {
			return l, usagef("--%s: %v", name, err)
		}
	}
	l.CPUMS = o.cpu.Milliseconds()
	if cmd.Flags().Changed("cpu") && l.CPUMS < 1 {
		return l, usagef("--cpu %s: want at least 1ms", o.cpu)
	}
	return l, nil
}

// bound adds to a body what a program may do.
func (o *execOptions) bound(body *api.Create, l api.Limits) {
	options := body.Options
	if options == nil {
		options = &api.Options{}
	}
	if l != (api.Limits{}) {
		options.Limits, body.Options = &l, options
	}
	if jit := !o.noJIT; o.noJIT {
		options.JIT, body.Options = &jit, options
	}
	if len(o.tools) > 0 {
		options.Tools, body.Options = o.tools, options
	}
}

func (a *App) exec(cmd *cobra.Command, o *execOptions, args []string) error {
	if err := o.check(a, cmd); err != nil {
		return err
	}
	limits, err := o.limits(cmd)
	if err != nil {
		return err
	}
	code, err := a.code(o.code, cmd.Flags().Changed("eval"), args)
	if err != nil {
		return err
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
	o.bound(&body, limits)
	body.Code, body.Environment = &code, o.environment
	return a.start(ctx, c, &o.jobFlags, body, nil)
}

// code is the argument, the file's content or what standard input holds.
func (a *App) code(given string, isGiven bool, args []string) (string, error) {
	switch {
	case isGiven && len(args) > 0:
		return "", usagef("give a file or -e CODE, not both")
	case isGiven:
		return given, nil
	case len(args) != 1:
		return "", usagef("what to run? Give a file, -e CODE, or - for standard input")
	case args[0] == "-":
		b, err := readInput(a.Stdin)
		return string(b), err
	}
	path := args[0]
	if !filepath.IsAbs(path) {
		dir, err := a.Dir()
		if err != nil {
			return "", fmt.Errorf("find the working directory: %w", err)
		}
		path = filepath.Join(dir, path)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return "", fmt.Errorf("read the code: %w", err)
	}
	return string(b), nil
}
