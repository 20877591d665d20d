package cli

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/reeverun/reeve/api"
	"github.com/reeverun/reeve/process"
	"github.com/spf13/cobra"
)

// runOptions are the flags of run.
type runOptions struct {
	jobFlags
	boundFlags
	terminalFlags
	cwd string
	env []string
}

func (a *App) runCommand() *cobra.Command {
	var o runOptions
	cmd := &cobra.Command{
		Use:   "run [flags] -- PROGRAM [ARGS…]",
		Short: "Run a command and stay with it",
		Long: "Run a command with this directory, this environment and the piped standard input.\n" +
			"Its output appears live and byte for byte, stdout and stderr apart. Ctrl-C is\n" +
			"passed on to it, a second one kills it. The exit code is the command's own: 128+n\n" +
			"if a signal ended it, 124 after a timeout, 130 if it was canceled.\n\n" +
			"Standard input is read to its end before the command starts if it is a pipe or a\n" +
			"file. Where it is a pipe that nobody closes, add '< /dev/null', or pass it on as it\n" +
			"comes with --interactive.\n\n" +
			"With --pty the command gets a terminal, and this one is connected with it: every key\n" +
			"goes there, Ctrl-] leaves it running, and 'reeve attach' returns to it.\n\n" +
			"The job is the daemon's: it goes on if this command is killed or the terminal closes.\n" +
			"No shell is involved: for pipes and wildcards run sh -c '…'. Where no daemon runs,\n" +
			"one is started in the background.\n\n" +
			"With --sandbox confined or sandbox the directory is what the command may write, and\n" +
			"of this environment it gets what is no secret (LANG, LC_*, TZ, TERM; confined: PATH,\n" +
			"HOME, USER, too) and what --env names.",
		Example: "  reeve run -- make build\n" +
			"  reeve run --tag ci --timeout 10m -- go test ./...\n" +
			"  reeve run --budget cpu=10m,wall=1h,children=5 -- make all\n" +
			"  reeve run --detach --ref nightly -- ./backup.sh\n" +
			"  reeve run --pty -- vim notes.txt\n" +
			"  git diff | reeve run -- wc -l\n" +
			"  reeve run --sandbox sandbox --limit memory=1G,pids=64,cpu=1m -- make test\n" +
			"  reeve run -- sh -c 'make 2>&1 | tail -5'",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 || args[0] == "" {
				return usagef("what to run? Give a program after --, as in 'reeve run -- make build'")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return a.run(cmd, &o, args) },
	}
	cmd.Flags().SetInterspersed(false) // what follows the program is the program's
	o.jobFlags.register(cmd)
	o.boundFlags.register(cmd)
	cmd.Flags().StringVar(&o.cwd, "cwd", "", "working `directory` (default: this one)")
	o.terminalFlags.register(cmd)
	cmd.Flags().StringArrayVar(&o.env, "env", nil, "variable to set, `K=V` (may be repeated)")
	return cmd
}

func (a *App) run(cmd *cobra.Command, o *runOptions, args []string) error {
	if err := o.jobFlags.check(a, cmd); err != nil {
		return err
	}
	if err := o.boundFlags.check(cmd); err != nil {
		return err
	}
	t, err := a.attachment(o)
	if err != nil {
		return err
	}
	ctx := cmd.Context()
	command, err := a.command(o, args)
	if err != nil {
		return err
	}
	c, err := a.connect(ctx, connectOptions{start: true})
	if err != nil {
		return err
	}
	defer c.Close()
	body, err := o.create(ctx, cmd, c)
	if err != nil {
		return err
	}
	if err := o.bound(&body); err != nil {
		return err
	}
	body.Environment, body.Command = process.EnvCommand, command
	return a.start(ctx, c, &o.jobFlags, body, t)
}

// command is the program in the caller's surroundings.
func (a *App) command(o *runOptions, args []string) (*api.Command, error) {
	dir, err := a.workingDir(o.cwd)
	if err != nil {
		return nil, err
	}
	own, clear := o.inherit(a.Environ())
	env, err := environment(own, o.env, dir)
	if err != nil {
		return nil, err
	}
	command := &api.Command{Program: args[0], Args: args[1:], Env: env, EnvClear: clear, Dir: dir}
	if err := a.connectInput(command, &o.terminalFlags); err != nil {
		return nil, err
	}
	return command, a.readable(args, dir, env, o.env)
}

// readable refuses what JSON would change on its way to the daemon: a program
// must get what it was given, or not run at all. Variables of the surroundings
// that nobody named are left out, and named.
func (a *App) readable(args []string, dir string, env map[string]string, given []string) error {
	for _, arg := range args {
		if !utf8.ValidString(arg) {
			return usagef("the argument %q is not UTF-8, and cannot be passed on as it is", arg)
		}
	}
	if !utf8.ValidString(dir) {
		return usagef("the directory %q is not UTF-8, and cannot be passed on as it is", dir)
	}
	for _, pair := range given {
		if !utf8.ValidString(pair) {
			return usagef("--env %q is not UTF-8, and cannot be passed on as it is", pair)
		}
	}
	for name, value := range env {
		if !utf8.ValidString(name) || !utf8.ValidString(value) {
			a.say("the variable %q is not UTF-8 and is left out", name)
			delete(env, name)
		}
	}
	return nil
}

func (a *App) workingDir(given string) (string, error) {
	if filepath.IsAbs(given) {
		return given, nil
	}
	dir, err := a.Dir()
	if err != nil {
		return "", fmt.Errorf("find the working directory: %w", err)
	}
	return filepath.Join(dir, given), nil
}

// environment is the caller's with the given variables set. PWD follows the
// working directory, as it does in a shell.
func environment(own, given []string, dir string) (map[string]string, error) {
	env := make(map[string]string, len(own)+len(given)+1)
	for _, pair := range own {
		// Windows has variables that begin with =; nobody sets those.
		// What signs for this command is not the job's.
		if name, value, ok := strings.Cut(pair, "="); ok && name != "" && name != notifySecretVariable {
			env[name] = value
		}
	}
	if _, ok := env["PWD"]; ok {
		env["PWD"] = dir
	}
	for _, pair := range given {
		name, value, ok := strings.Cut(pair, "=")
		if !ok || name == "" {
			return nil, usagef("--env %q: want NAME=VALUE", pair)
		}
		env[name] = value
	}
	return env, nil
}

func (a *App) rerunCommand() *cobra.Command {
	var detach, noProgress, resume bool
	cmd := &cobra.Command{
		Use:   "rerun ID",
		Short: "Run a process again and stay with it",
		Long: "Run a finished process again, with the directory, environment and input it was\n" +
			"made with, and stay with it as 'reeve run' does. Earlier runs are kept.\n\n" +
			"An agent begins anew, too; with --resume it goes on from the last step it finished,\n" +
			"in whatever way its run ended.",
		Example:           "  reeve rerun 12\n  reeve rerun nightly --detach\n  reeve rerun review --resume",
		Args:              needOneID,
		ValidArgsFunction: a.completeIDs(process.Idle),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.rerun(cmd.Context(), args[0], api.Run{Force: true, Resume: resume}, &job{app: a, detach: detach, bar: !noProgress && !a.global.json, asks: true})
		},
	}
	cmd.Flags().BoolVarP(&detach, "detach", "d", false, "print the id and return")
	cmd.Flags().BoolVar(&noProgress, "no-progress", false, "draw no progress bar")
	cmd.Flags().BoolVar(&resume, "resume", false, "an agent: go on from its transcript")
	return cmd
}

func (a *App) rerun(ctx context.Context, arg string, body api.Run, j *job) error {
	c, err := a.connect(ctx, connectOptions{})
	if err != nil {
		return err
	}
	defer c.Close()
	id, err := find(ctx, c, arg)
	if err != nil {
		return err
	}
	j.client = c
	return j.attend(ctx, func(ctx context.Context) (process.Record, error) {
		return c.Start(ctx, id, body)
	})
}
