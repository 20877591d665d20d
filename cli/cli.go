package cli

import (
	"context"
	"io"
	"os"
	"os/signal"
	"strings"
	"sync/atomic"
	"syscall"

	"github.com/reeverun/reeve/api"
	"github.com/reeverun/reeve/client"
	"github.com/reeverun/reeve/doctor"
	"github.com/reeverun/reeve/settings"
	"github.com/spf13/cobra"
)

// App is what the command line needs of the world; main fills it in, tests
// replace it.
type App struct {
	Stdin   *os.File
	Stdout  io.Writer
	Stderr  io.Writer
	Env     func(name string) (string, bool) // as os.LookupEnv
	Environ func() []string                  // as os.Environ, for the jobs of run
	Dir     func() (string, error)           // the working directory

	// Signals starts to deliver SIGINT and SIGTERM; the returned function stops it.
	Signals    func() (<-chan os.Signal, func())
	Executable func() (string, error) // of a daemon to start
	Version    api.Version
	Checks     []doctor.Extra // of what main links, for doctor

	// Serve runs the daemon until ctx is over or it was stopped; ready is called
	// once it answers requests.
	Serve func(ctx context.Context, s settings.Settings, ready func(addr string)) error

	global globalFlags
	raw    *atomic.Bool // the terminal is raw: a line does not end at its beginning; nil: it never is
}

// globalFlags are understood by every command, before or after its name.
type globalFlags struct {
	host  string
	token string
	data  string
	json  bool
}

// Main runs one command line, without the program's name, and returns its exit
// code.
func Main(a App, args []string) (exitCode int) {
	// With a handler, writing to a closed pipe is an error like any other, and
	// unlike an ignored signal it is not inherited by a daemon started here.
	pipe := make(chan os.Signal, 1)
	signal.Notify(pipe, syscall.SIGPIPE)
	defer signal.Stop(pipe)

	root := a.root()
	root.SetArgs(args)
	root.SetIn(a.Stdin)
	root.SetOut(a.Stdout)
	root.SetErr(a.Stderr)
	cmd, err := root.ExecuteContextC(context.Background())
	return a.report(cmd, err)
}

// root is the command tree.
func (a *App) root() *cobra.Command {
	a.raw = new(atomic.Bool)
	root := &cobra.Command{
		Use:   "reeve",
		Short: "Run work as processes: durable, observable, and dead when killed",
		Long: "Reeve runs work as processes. Each has a durable record and a place in a tree,\n" +
			"obeys signals, streams events, keeps its output, and dies when it is killed.",
		Example: "  reeve run -- make build         run a command, output live, exit with its code\n" +
			"  reeve run --detach -- ./serve   run it in the background, print its id\n" +
			"  reeve ps                        what is running\n" +
			"  reeve logs -f 12                follow the output of process 12\n" +
			"  reeve kill 12                   end it and everything it started",
		Version:           versionText(a.Version),
		SilenceErrors:     true,
		SilenceUsage:      true,
		PersistentPreRunE: func(*cobra.Command, []string) error { return a.checkHost() },
	}
	root.SetVersionTemplate("reeve {{.Version}}\n")
	flags := root.PersistentFlags()
	flags.StringVar(&a.global.host, "host", "", "`address` of the daemon: http://127.0.0.1:7338 or unix:///path (REEVE_HOST; default: the socket in the data directory)")
	flags.StringVar(&a.global.token, "token", "", "`secret` of a token for the daemon (REEVE_TOKEN)")
	flags.StringVar(&a.global.data, "data", "", "data `directory` (REEVE_DATA; default $XDG_DATA_HOME/reeve, else ~/.local/share/reeve)")
	flags.BoolVar(&a.global.json, "json", false, "print JSON, one object a line")
	root.SetFlagErrorFunc(flagError)
	a.addCommands(root)
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	for _, c := range root.Commands() {
		strict(c)
	}
	return root
}

// strict makes cobra's own commands fail where they would print help for
// something else.
func strict(c *cobra.Command) {
	switch c.Name() {
	case "help":
		c.RunE, c.Run = func(c *cobra.Command, args []string) error {
			about, _, err := c.Root().Find(args)
			if err != nil || about == nil || about == c.Root() && len(args) > 0 {
				return usagef("there is no command %q", strings.Join(args, " "))
			}
			about.InitDefaultHelpFlag()
			return about.Help()
		}, nil
	case "completion":
		c.Args = usageArgs(cobra.NoArgs)
		c.RunE = func(c *cobra.Command, _ []string) error { return c.Help() }
	}
}

// checkHost finds a --host that cannot be one.
func (a *App) checkHost() error {
	if a.global.host == "" {
		return nil
	}
	if _, err := client.New(client.Config{Host: a.global.host}); err != nil {
		return usageError{err}
	}
	return nil
}

// addCommands groups the commands as help shows them.
func (a *App) addCommands(root *cobra.Command) {
	groups := []struct {
		id, title string
		commands  []*cobra.Command
	}{
		{"run", "Run:", []*cobra.Command{a.runCommand(), a.execCommand(), a.agentCommand(), a.upCommand(), a.rerunCommand(), a.attachCommand()}},
		{"look", "Look:", []*cobra.Command{a.topCommand(), a.psCommand(), a.treeCommand(), a.showCommand(), a.logsCommand(), a.eventsCommand(), a.transcriptCommand(), a.traceCommand()}},
		{"tools", "Tools:", []*cobra.Command{a.toolsCommand(), a.approvalsCommand()}},
		{"control", "Control:", []*cobra.Command{a.killCommand(), a.pauseCommand(), a.resumeCommand(), a.signalCommand(), a.waitCommand(), a.rmCommand(), a.pruneCommand()}},
		{"daemon", "Daemon:", []*cobra.Command{a.serveCommand(), a.tokenCommand(), a.envCommand(), a.doctorCommand(), a.versionCommand()}},
	}
	root.SetHelpCommandGroupID("daemon")
	root.SetCompletionCommandGroupID("daemon")
	for _, g := range groups {
		root.AddGroup(&cobra.Group{ID: g.id, Title: g.title})
		for _, c := range g.commands {
			c.GroupID = g.id
			root.AddCommand(c)
		}
	}
}
