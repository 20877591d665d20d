package cli

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/reeverun/reeve/api"
	"github.com/reeverun/reeve/client"
	"github.com/reeverun/reeve/process"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// notifySecretVariable holds what signs notifications, so that it need not stand
// on a command line, where everybody can read it.
const notifySecretVariable = "REEVE_NOTIFY_SECRET"

// notifyFlags say who is told when the run is over.
type notifyFlags struct {
	url, secretFile string
	body            *api.Notify // what they say; nil: nobody is told
}

func (o *notifyFlags) register(f *pflag.FlagSet) {
	f.StringVar(&o.url, "notify", "", "`URL` to tell when it is over, by a signed HTTP request that is sent until it arrives")
	f.StringVar(&o.secretFile, "notify-secret-file", "", "`file` with the secret that signs it (or "+notifySecretVariable+"; default: it is not signed)")
}

// read finds what is wrong with the flags before a daemon is asked, or started.
func (o *notifyFlags) read(a *App, cmd *cobra.Command) error {
	if !cmd.Flags().Changed("notify") {
		if cmd.Flags().Changed("notify-secret-file") {
			return usagef("--notify-secret-file: give --notify URL, too")
		}
		return nil
	}
	secret := a.flagOrEnv("", notifySecretVariable)
	if cmd.Flags().Changed("notify-secret-file") {
		b, err := os.ReadFile(o.secretFile)
		if err != nil {
			return fmt.Errorf("read the secret: %w", err)
		}
		if secret = strings.TrimSpace(string(b)); secret == "" {
			return usagef("--notify-secret-file: %s is empty", o.secretFile)
		}
	}
	if err := (&process.Notify{URL: process.Secret(o.url), Secret: process.Secret(secret)}).Check(); err != nil {
		return usagef("--notify: %v", err)
	}
	o.body = &api.Notify{URL: o.url}
	if secret != "" {
		o.body.Secret = &secret
	}
	return nil
}

// lastNotification is that of the newest run that has one.
func lastNotification(ctx context.Context, c *client.Client, r *process.Record) (*process.NotificationRecord, error) {
	if r.Notify == nil {
		return nil, nil
	}
	page, err := c.Notifications(ctx, r.ID, 1, "")
	if err != nil || len(page.Notifications) == 0 {
		return nil, err
	}
	return &page.Notifications[0], nil
}

// notifyText says who is told, and how far that is.
func notifyText(r *process.Record, n *process.NotificationRecord, now time.Time) string {
	if r.Notify == nil {
		return ""
	}
	text := plain(r.Notify.URL)
	if n == nil || n.Run != r.Run {
		return text
	}
	attempts := "1 attempt"
	if n.Attempts != 1 {
		attempts = fmt.Sprintf("%d attempts", n.Attempts)
	}
	text += fmt.Sprintf("  %s, %s", n.State, attempts)
	if n.LastError != nil {
		text += ": " + plain(*n.LastError)
	}
	if n.NextAttemptAt != nil && n.Attempts > 0 {
		text += ", next in " + shortDuration(max(0, n.NextAttemptAt.Sub(now)))
	}
	return text
}
