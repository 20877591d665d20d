package cli

import (
	"context"
	"errors"
	"strings"

	"github.com/reeverun/reeve/process"
	"github.com/reeverun/reeve/settings"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

func (a *App) serveCommand() *cobra.Command {
	given, o := map[string][]string{}, serveOptions{}
	c := &cobra.Command{
		Use:   "serve",
		Short: "Run the daemon",
		Long: "Run the daemon: it keeps processes, runs them, and answers clients on a TCP address\n" +
			"and on a unix socket in its data directory.\n\n" +
			"Ctrl-C or SIGTERM stops it: it takes no more work, leaves commands and supervisors to\n" +
			"the next daemon (with --stop-jobs it ends them, too), ends what else runs (SIGTERM,\n" +
			"after the grace SIGKILL), and exits; a second one kills what is being ended. Queued\n" +
			"processes stay queued for the next daemon.\n\n" +
			"With --replace it takes the place of the daemon that runs on the data directory: of an\n" +
			"older version, or with other settings. Nobody is refused meanwhile. The old one waits\n" +
			"for its programs and agents up to --drain-for, ends what is left of them, hands its\n" +
			"sockets over and exits; if the new one cannot serve, the old one goes on.\n\n" +
			"Each setting below is also a variable (--max-body is REEVE_MAX_BODY) and a key of the\n" +
			"config file (max-body: 32MiB). The flag wins over the variable, the variable over the file.",
		Example: "  reeve serve\n" +
			"  reeve serve --detach --listen none\n" +
			"  reeve serve --detach --replace\n" +
			"  reeve serve --data /var/lib/reeve --concurrency command=8 --retention-logs 30d",
		Args:              usageArgs(cobra.NoArgs),
		ValidArgsFunction: noFiles,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.serve(cmd.Context(), given, o)
		},
	}
	c.Flags().SortFlags = false
	c.Flags().BoolVar(&o.detach, "detach", false, "run in the background: wait until it serves, say where, and return")
	c.Flags().BoolVar(&o.replace, "replace", false, "take the place of the daemon that runs; where there is none, just start")
	c.Flags().BoolVar(&o.recover, "recover", false, "if the database is damaged: keep it aside as reeve.db.corrupt-TIME, save what can be read, and start")
	for _, s := range settings.Table() {
		addSetting(c.Flags(), s, given)
	}
	return c
}

// addSetting makes a flag of a setting.
func addSetting(flags *pflag.FlagSet, s settings.Setting, given map[string][]string) {
	usage := s.Usage
	if s.Repeatable() {
		usage += "; may be given again"
	}
	f := flags.VarPF(&settingFlag{s, given}, s.Name, "", usage)
	f.DefValue = s.Default
	if s.Boolean() {
		f.NoOptDefVal = "true"
	}
}

// settingFlag collects what is given for a setting; package settings judges it.
type settingFlag struct {
	setting settings.Setting
	given   map[string][]string
}

func (f *settingFlag) String() string { return strings.Join(f.given[f.setting.Name], ",") }

func (f *settingFlag) Type() string { return f.setting.Value }

func (f *settingFlag) Set(v string) error {
	if !f.setting.Repeatable() {
		delete(f.given, f.setting.Name)
	}
	f.given[f.setting.Name] = append(f.given[f.setting.Name], v)
	return nil
}

// serveOptions are about one start, and no settings.
type serveOptions struct{ detach, replace, recover bool }

// serve runs the daemon, here or in the background.
func (a *App) serve(ctx context.Context, given map[string][]string, o serveOptions) error {
	herald := a.newHerald()
	s, err := a.loadSettings(given)
	if err != nil {
		herald.failed(err)
		return err
	}
	s.Recover, s.Replace = o.recover, o.replace
	if o.detach {
		return a.serveDetached(ctx, s, given)
	}
	err = a.Serve(ctx, s, herald.ready)
	herald.failed(err)
	return err
}

func (a *App) loadSettings(given map[string][]string) (settings.Settings, error) {
	dir, err := a.Dir()
	if err != nil {
		return settings.Settings{}, err
	}
	s, err := settings.Load(settings.Sources{Flags: given, Env: a.Env, Dir: dir})
	if errors.Is(err, process.ErrInvalid) {
		err = usageError{err}
	}
	return s, err
}

// serveDetached starts the daemon in the background and says where it is.
func (a *App) serveDetached(ctx context.Context, s settings.Settings, given map[string][]string) error {
	data := settings.DataDir(s.Data)
	managed := a.managed()
	news, err := a.startDaemon(ctx, data, a.settingArgs(s, given), managed)
	if err != nil {
		return err
	}
	if a.global.json {
		return a.printJSON(&news)
	}
	if managed {
		a.say("serving on %s (pid %d, data %s)", news.Address, news.PID, data)
	} else {
		a.say("serving in the background on %s (pid %d, data %s, log %s)", news.Address, news.PID, data, data.Log())
	}
	return nil
}

// settingArgs are the flags of a daemon that is to have the same settings but
// another working directory.
func (a *App) settingArgs(s settings.Settings, given map[string][]string) (args []string) {
	absolute := map[string]string{"data": s.Data, "log-dir": s.LogDir, "rules-dir": s.RulesDir, "config": s.Config, "tools": s.Tools}
	if absolute["config"] == "" {
		absolute["config"] = settings.None
	}
	if s.Recover {
		args = append(args, "--recover")
	}
	if s.Replace {
		args = append(args, "--replace")
	}
	for _, t := range settings.Table() {
		if path := absolute[t.Name]; t.Path() && path != "" {
			args = append(args, "--"+t.Name+"="+path)
			continue
		}
		for _, v := range given[t.Name] {
			args = append(args, "--"+t.Name+"="+v)
		}
	}
	return args
}
