package cli

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/reeverun/reeve/api"
	"github.com/reeverun/reeve/client"
	"github.com/reeverun/reeve/process"
	"github.com/spf13/cobra"
)

func (a *App) upCommand() *cobra.Command {
	var detach bool
	cmd := &cobra.Command{
		Use:   "up FILE",
		Short: "Start a supervision tree and stay with it",
		Long: "Start the processes that a YAML file describes, run them again when they end, as it\n" +
			"says, and show what they write, each line after the name of its process. - reads\n" +
			"the file from standard input.\n\n" +
			"Ctrl-C ends the tree, the last process first; a second one kills it at once. The\n" +
			"exit code is the supervisor's: 0 when all its processes have done their work, 1\n" +
			"when they failed too often, 130 if it was ended. Relative directories are meant\n" +
			"from where the file lies; the processes have the daemon's environment and what\n" +
			"the file sets. Where no daemon runs, one is started in the background.\n\n" +
			"The tree outlives the daemon and this command: see 'reeve tree'. A file with a\n" +
			"ref is not started twice.",
		Example: "  reeve up app.yaml\n" +
			"  reeve up app.yaml --detach && reeve tree\n\n" +
			"  # app.yaml\n" +
			"  strategy: rest_for_one\n" +
			"  children:\n" +
			"    - name: db\n" +
			"      command: {program: redis-server}\n" +
			"    - name: web\n" +
			"      command: {program: ./serve, args: [--port, \"8080\"]}\n" +
			"      env: {LOG_LEVEL: debug}\n" +
			"      shutdown: 10s",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usagef("what to start? Give one YAML file, or - for standard input")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return a.up(cmd.Context(), args[0], detach) },
	}
	cmd.Flags().BoolVarP(&detach, "detach", "d", false, "print the supervisor's id and return")
	return cmd
}

func (a *App) up(ctx context.Context, file string, detach bool) error {
	tree, err := a.readTree(file)
	if err != nil {
		return err
	}
	c, err := a.connect(ctx, connectOptions{start: true})
	if err != nil {
		return err
	}
	defer c.Close()
	j := &job{app: a, client: c, detach: detach, asks: true}
	j.show = func(ctx context.Context) error { return j.watchTree(ctx, nameWidth(&tree)) }
	key := newKey()
	return j.attend(ctx, func(ctx context.Context) (process.Record, error) {
		return a.createTree(ctx, c, &tree, key)
	})
}

// nameWidth is how wide the names of a tree's processes are.
func nameWidth(t *api.Supervisor) (n int) {
	for i := range t.Children {
		c := &t.Children[i]
		name := c.Name
		if c.Label != "" {
			name = c.Label
		}
		n = max(n, columns(plain(name)))
		if c.Supervisor != nil {
			n = max(n, nameWidth(c.Supervisor))
		}
	}
	return min(n, maxName)
}

// maxName is how wide the column of names gets.
const maxName = 24

// watcher shows what the processes of a tree write and what becomes of them.
type watcher struct {
	j     *job
	width int
	names map[process.ID]string // of the tree's processes
	out   palette
	err   palette
}

// watchTree shows the tree until its supervisor has ended.
func (j *job) watchTree(ctx context.Context, width int) error {
	w := &watcher{j: j, width: width, names: map[process.ID]string{}, out: j.app.palette(j.app.Stdout), err: j.app.palette(j.app.Stderr)}
	for ev, err := range j.client.AllEvents(ctx, client.EventFilter{}, j.cursor) {
		if err != nil {
			return err
		}
		if err := w.event(&ev); err != nil {
			return err
		}
		if ev.Kind == process.KindFinalized && ev.Process == j.id && ev.Run == j.run {
			return nil
		}
	}
	return nil
}

func (w *watcher) event(ev *process.Event) error {
	if d, ok := ev.Data.(process.ProcessCreated); ok {
		w.join(ev.Process, &d)
	}
	if d, ok := ev.Data.(process.ChildSpawned); ok && d.Restart > 0 && w.names[d.Child] != "" {
		return w.note(d.Child, fmt.Sprintf("run %d", d.Run))
	}
	if w.names[ev.Process] == "" {
		return nil
	}
	switch d := ev.Data.(type) {
	case process.OutputAppended:
		if !d.Partial {
			return w.line(ev.Process, d.Stream, d.Line)
		}
	case process.OutputElided:
		return w.note(ev.Process, "some of the output was not kept")
	case process.ApprovalRequested:
		return w.note(ev.Process, fmt.Sprintf("waiting for approval %s: %s/%s (reeve approvals approve %[1]s)", d.Approval, d.Service, d.Tool))
	case process.Finalized:
		return w.note(ev.Process, outcomeText(&d.Outcome))
	}
	return nil
}

// join takes a process that is made below the supervisor into the tree.
func (w *watcher) join(id process.ID, d *process.ProcessCreated) {
	if d.Parent == nil || *d.Parent != w.j.id && w.names[*d.Parent] == "" {
		return
	}
	name := w.names[*d.Parent] // one that a child started by itself, and did not name
	if d.Label != nil {
		name = *d.Label
	}
	w.names[id] = fit(plain(name), maxName)
}

// line shows a line of output.
func (w *watcher) line(id process.ID, s process.Stream, text string) error {
	p := w.out
	if s == process.Stderr {
		p = w.err
	}
	_, err := io.WriteString(w.j.screen.stream(s), w.prefix(id, p)+text+"\n")
	return err
}

// note says what became of a process, on standard error.
func (w *watcher) note(id process.ID, text string) error {
	_, err := io.WriteString(w.j.screen.stream(process.Stderr), w.prefix(id, w.err)+w.err.dim("["+plain(text)+"]")+"\n")
	return err
}

// prefix is the column of names.
func (w *watcher) prefix(id process.ID, p palette) string {
	name := w.names[id]
	paint := []func(string) string{p.cyan, p.green, p.yellow, p.blue}[int(id)%4]
	return paint(name+strings.Repeat(" ", max(0, w.width-columns(name)))) + p.dim(" | ")
}
