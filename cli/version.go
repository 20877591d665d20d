package cli

import (
	"context"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/reeverun/reeve/api"
	"github.com/spf13/cobra"
)

func (a *App) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Show the version of this program and of the daemon",
		Long:    "Show the version of this program and, where one answers, of the daemon.",
		Example: "  reeve version\n  reeve version --json",
		Args:    usageArgs(cobra.NoArgs),
		RunE:    func(cmd *cobra.Command, _ []string) error { return a.version(cmd.Context()) },
	}
}

// versions are this program's and, where one answers, the daemon's.
type versions struct {
	Client api.Version  `json:"client"`
	Daemon *api.Version `json:"daemon"`
}

func (a *App) version(ctx context.Context) error {
	v := versions{Client: a.Version, Daemon: a.daemonVersion(ctx)}
	if v.Client.Engines == nil {
		v.Client.Engines = []string{}
	}
	if a.global.json {
		return a.printJSON(&v)
	}
	text := "reeve " + versionText(v.Client) + "\n" + engineText(v.Client)
	if v.Daemon != nil {
		text += fmt.Sprintf("daemon %s, pid %d, data in %s\n", versionText(*v.Daemon), v.Daemon.PID, v.Daemon.DataDir)
		if !slices.Equal(v.Daemon.Engines, v.Client.Engines) {
			text += engineText(*v.Daemon)
		}
		if hint := ageText(*v.Daemon, v.Client); hint != "" {
			text += hint + "\n"
		}
	} else {
		text += "no daemon answers\n"
	}
	_, err := io.WriteString(a.Stdout, text)
	return err
}

// daemonVersion is nil where no daemon answers.
func (a *App) daemonVersion(ctx context.Context) *api.Version {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	c, err := a.connect(ctx, connectOptions{})
	if err != nil {
		return nil
	}
	defer c.Close()
	v, err := c.Version(ctx)
	if err != nil {
		return nil
	}
	return &v
}

// engineText lists what runs programs.
func engineText(v api.Version) (text string) {
	for _, e := range v.Engines {
		text += "  " + plain(e) + "\n"
	}
	return text
}

func versionText(v api.Version) string {
	s := v.Version
	if v.Commit != "" {
		s += " (" + v.Commit + ")"
	}
	return s + " " + v.Go
}
