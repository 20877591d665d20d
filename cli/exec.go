package cli

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
)

// execOptions are the flags of exec.
type execOptions struct {
	jobFlags
	code        string
	environment string
}

func (a *App) execCommand() *cobra.Command {
	var o execOptions
	cmd := &cobra.Command{
		Use:   "exec FILE | -e CODE | -",
		Short: "Run code and stay with it",
		Long: "Run code in an environment, the daemon's default one unless --environment names\n" +
			"another; 'reeve env' lists them. The code is a file's, an argument's or, with -,\n" +
			"what standard input holds. Output, interrupts and the exit code are as for\n" +
			"'reeve run'.",
		Example: "  reeve exec job.ts\n" +
			"  reeve exec -e 'console.log(1 + 1)'\n" +
			"  cat job.ts | reeve exec -\n" +
			"  reeve exec --environment command -e 'ls | wc -l'",
		RunE: func(cmd *cobra.Command, args []string) error { return a.exec(cmd, &o, args) },
	}
	o.register(cmd)
	cmd.Flags().StringVarP(&o.code, "eval", "e", "", "`code` to run")
	cmd.Flags().StringVar(&o.environment, "environment", "", "`environment` to run it in")
	return cmd
}

func (a *App) exec(cmd *cobra.Command, o *execOptions, args []string) error {
	if err := o.check(cmd); err != nil {
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
	body.Code, body.Environment = &code, o.environment
	return a.start(ctx, c, &o.jobFlags, body)
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
