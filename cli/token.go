package cli

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/reeverun/reeve/process"
	"github.com/reeverun/reeve/settings"
	"github.com/reeverun/reeve/token"
	"github.com/spf13/cobra"
)

func (a *App) tokenCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "token",
		Short: "Manage the tokens that clients over TCP need",
		Long: "Manage the tokens of a data directory. As long as there is none, whoever can reach the\n" +
			"daemon on loopback may use it; once there is one, every client over TCP needs a token.\n" +
			"The unix socket needs none: its file mode keeps other users out.\n\n" +
			"These commands work on the data directory itself, whether the daemon runs or not.",
		Example: "  reeve token create --scope run --name ci\n  reeve token list\n  reeve token rm 3f9c2a",
		Args:    usageArgs(cobra.NoArgs),
		RunE:    func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	c.AddCommand(a.tokenCreateCommand(), a.tokenListCommand(), a.tokenRemoveCommand())
	return c
}

func (a *App) tokens() (*token.File, error) {
	data, err := a.dataDir()
	if err != nil {
		return nil, err
	}
	return token.Open(data.Tokens()), nil
}

func (a *App) tokenCreateCommand() *cobra.Command {
	var name, expires string
	var scopes []string
	c := &cobra.Command{
		Use:   "create --scope SCOPE",
		Short: "Make a token and print its secret, once",
		Long: "Make a token and print its secret on standard output. The secret is not kept: this is\n" +
			"the only time it is shown.\n\n" +
			"Scopes: read (see everything), run (read, and create, signal and delete processes),\n" +
			"approve (read, and decide approvals), admin (everything but approve).",
		Example: "  reeve token create --scope run --name ci --expires 720h\n" +
			"  export REEVE_TOKEN=$(reeve token create --scope read)",
		Args:              usageArgs(cobra.NoArgs),
		ValidArgsFunction: noFiles,
		RunE: func(*cobra.Command, []string) error {
			return a.tokenCreate(name, scopes, expires)
		},
	}
	c.Flags().StringSliceVar(&scopes, "scope", nil, "what its holder may do: read, run, approve or admin; may be given again")
	c.Flags().StringVar(&name, "name", "", "a name, for the list")
	c.Flags().StringVar(&expires, "expires", "", "how long it is valid, such as 720h or 30d (default: for ever)")
	_ = c.MarkFlagRequired("scope")
	completeWords(c, "scope", "read", "run", "approve", "admin")
	return c
}

// madeToken is a new token with its secret.
type madeToken struct {
	token.Token
	Secret string `json:"secret"`
}

func (a *App) tokenCreate(name string, names []string, expires string) error {
	var ttl time.Duration
	if expires != "" {
		var err error
		if ttl, err = settings.ParseDuration(expires); err != nil || ttl == 0 {
			return usageError{process.Invalid("--expires", "%q is not a positive duration: write one such as 720h or 30d", expires)}
		}
	}
	var scopes []token.Scope
	for _, n := range names {
		scopes = append(scopes, token.Scope(strings.TrimSpace(n)))
	}
	file, err := a.tokens()
	if err != nil {
		return err
	}
	secret, t, err := file.Create(name, scopes, ttl)
	if errors.Is(err, process.ErrInvalid) {
		return usageError{err}
	}
	if err != nil {
		return err
	}
	if a.global.json {
		return a.printJSON(&madeToken{t, secret})
	}
	a.say("made token %s (%s), %s. Its secret is shown this once:", t.ID, scopeList(t), validity(t))
	_, err = fmt.Fprintln(a.Stdout, secret)
	return err
}

func (a *App) tokenListCommand() *cobra.Command {
	return &cobra.Command{
		Use:               "list",
		Aliases:           []string{"ls"},
		Short:             "List the tokens",
		Long:              "List the tokens of a data directory: their scopes, and how long they are valid. Secrets\nare not kept, so none is shown.",
		Example:           "  reeve token list\n  reeve token list --json",
		Args:              usageArgs(cobra.NoArgs),
		ValidArgsFunction: noFiles,
		RunE:              func(*cobra.Command, []string) error { return a.tokenList() },
	}
}

func (a *App) tokenList() error {
	file, err := a.tokens()
	if err != nil {
		return err
	}
	all, err := file.List()
	if err != nil {
		return err
	}
	t := &table{head: []string{"ID", "SCOPES", "CREATED", "VALID", "NAME"}}
	for i := range all {
		if a.global.json {
			if err := a.printJSON(&all[i]); err != nil {
				return err
			}
			continue
		}
		t.rows = append(t.rows, []cell{{text: all[i].ID}, {text: scopeList(all[i])},
			{text: all[i].CreatedAt.Local().Format(time.DateTime)}, {text: validity(all[i])}, {text: plain(all[i].Name)}})
	}
	if a.global.json {
		return nil
	}
	_, err = io.WriteString(a.Stdout, t.render(width(a.Stdout), a.palette(a.Stdout)))
	return err
}

func (a *App) tokenRemoveCommand() *cobra.Command {
	return &cobra.Command{
		Use:               "rm ID...",
		Short:             "Remove tokens; they are refused from then on",
		Long:              "Remove tokens. A daemon that runs refuses them from its next request on. With the last\none gone, clients on loopback need none again.",
		Example:           "  reeve token rm 3f9c2a\n  reeve token list --json",
		Args:              usageArgs(cobra.MinimumNArgs(1)),
		ValidArgsFunction: a.completeTokens,
		RunE:              func(_ *cobra.Command, ids []string) error { return a.tokenRemove(ids) },
	}
}

func (a *App) tokenRemove(ids []string) error {
	file, err := a.tokens()
	if err != nil {
		return err
	}
	for _, id := range ids {
		if err := file.Remove(id); err != nil {
			return err
		}
		if !a.global.json {
			a.say("removed token %s", id)
		}
	}
	if left, err := file.Any(); err == nil && !left && !a.global.json {
		a.say("there is no token left: clients on loopback need none now")
	}
	return nil
}

func (a *App) completeTokens(*cobra.Command, []string, string) (words []cobra.Completion, _ cobra.ShellCompDirective) {
	if file, err := a.tokens(); err == nil {
		all, _ := file.List()
		for _, t := range all {
			words = append(words, cobra.CompletionWithDesc(t.ID, scopeList(t)+" "+t.Name))
		}
	}
	return words, cobra.ShellCompDirectiveNoFileComp
}

func scopeList(t token.Token) string {
	names := make([]string, len(t.Scopes))
	for i, s := range t.Scopes {
		names[i] = string(s)
	}
	return strings.Join(names, ",")
}

func validity(t token.Token) string {
	switch {
	case t.ExpiresAt.IsZero():
		return "for ever"
	case t.Expired(time.Now()):
		return "expired " + t.ExpiresAt.Local().Format(time.DateTime)
	}
	return "until " + t.ExpiresAt.Local().Format(time.DateTime)
}
