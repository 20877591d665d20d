package cli

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/reeverun/reeve/api"
	"github.com/reeverun/reeve/client"
	"github.com/reeverun/reeve/process"
	"github.com/spf13/cobra"
)

func (a *App) treeCommand() *cobra.Command {
	var all bool
	cmd := &cobra.Command{
		Use:   "tree [ID]",
		Short: "Draw processes as a tree",
		Long: "Draw a process with all below it. Without an ID it draws every tree that has an\n" +
			"active process in it; with -a the finished ones as well.",
		Example:           "  reeve tree\n  reeve tree 12\n  reeve tree 12 --json",
		Args:              usageArgs(cobra.MaximumNArgs(1)),
		ValidArgsFunction: a.completeIDs(),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := a.connect(cmd.Context(), connectOptions{})
			if err != nil {
				return err
			}
			defer c.Close()
			trees, err := trees(cmd.Context(), c, args, all)
			if err != nil {
				return err
			}
			return a.printTrees(trees)
		},
	}
	cmd.Flags().BoolVarP(&all, "all", "a", false, "also trees without an active process")
	return cmd
}

// trees returns the tree of the argument, or those of all roots.
func trees(ctx context.Context, c *client.Client, args []string, all bool) ([]api.Tree, error) {
	if len(args) == 1 {
		id, err := find(ctx, c, args[0])
		if err != nil {
			return nil, err
		}
		t, err := c.Tree(ctx, id)
		return []api.Tree{t}, err
	}
	if all {
		records, _, err := take(ctx, c, process.Query{}, 0, []string{"code"})
		return grow(records), err
	}
	return activeTrees(ctx, c)
}

// activeTrees climbs from the active processes to their roots: a long history
// costs nothing.
func activeTrees(ctx context.Context, c *client.Client) ([]api.Tree, error) {
	records, _, err := take(ctx, c, process.Query{States: active()}, 0, nil)
	if err != nil {
		return nil, err
	}
	parents := map[process.ID]*process.ID{}
	for _, r := range records {
		parents[r.ID] = r.Parent
	}
	var roots []process.ID
	for _, r := range records {
		root, err := climb(ctx, c, r.ID, parents)
		if err != nil {
			return nil, err
		}
		roots = append(roots, root)
	}
	slices.Sort(roots)
	var trees []api.Tree
	for _, root := range slices.Compact(roots) {
		t, err := c.Tree(ctx, root)
		if errors.Is(err, process.ErrNotFound) { // deleted a moment ago
			continue
		}
		if err != nil {
			return nil, err
		}
		trees = append(trees, t)
	}
	return trees, nil
}

// climb returns the root above a process; parents remembers what was asked.
func climb(ctx context.Context, c *client.Client, id process.ID, parents map[process.ID]*process.ID) (process.ID, error) {
	for {
		parent, known := parents[id]
		if !known {
			rec, err := c.Process(ctx, id)
			if err != nil && !errors.Is(err, process.ErrNotFound) {
				return 0, err
			}
			parent = rec.Parent
			parents[id] = parent
		}
		if parent == nil {
			return id, nil
		}
		id = *parent
	}
}

// grow makes trees of a list that is newest first; roots and children are
// oldest first. A process whose parent is not in the list is a root.
func grow(records []process.Record) []api.Tree {
	known := make(map[process.ID]bool, len(records))
	for _, r := range records {
		known[r.ID] = true
	}
	children := map[process.ID][]process.Record{}
	for i := len(records) - 1; i >= 0; i-- {
		parent := process.ID(0)
		if p := records[i].Parent; p != nil && known[*p] {
			parent = *p
		}
		children[parent] = append(children[parent], records[i])
	}
	var below func(process.ID) []api.Tree
	below = func(id process.ID) []api.Tree {
		trees := []api.Tree{}
		for _, r := range children[id] {
			trees = append(trees, api.Tree{Record: r, Children: below(r.ID)})
		}
		return trees
	}
	return below(0)
}

func (a *App) printTrees(trees []api.Tree) error {
	if a.global.json {
		for i := range trees {
			if err := a.printJSON(&trees[i]); err != nil {
				return err
			}
		}
		return nil
	}
	_, err := io.WriteString(a.Stdout, drawTrees(trees, width(a.Stdout), a.palette(a.Stdout)))
	return err
}

// drawTrees draws each process on a line that fits the width; 0 is any width.
func drawTrees(trees []api.Tree, width int, p palette) string {
	var b strings.Builder
	for i := range trees {
		drawTree(&b, &trees[i], "", "", width, p)
	}
	return b.String()
}

func drawTree(b *strings.Builder, t *api.Tree, branch, indent string, width int, p palette) {
	id, state, name := t.ID.String(), stateWord(&t.Record), title(&t.Record)
	if r := value(t.Ref); r != "" {
		name = r + ": " + name
	}
	if e := elapsed(&t.Record); e != "" {
		state += " " + e
	}
	if width > 0 {
		name = fit(name, max(1, width-columns(branch)-len(id)-len(state)-3))
	}
	b.WriteString(p.dim(branch) + p.bold(id) + " " + p.stateColor(&t.Record)(state) + "  " + name + "\n")
	for i := range t.Children {
		if i < len(t.Children)-1 {
			drawTree(b, &t.Children[i], indent+"├─ ", indent+"│  ", width, p)
		} else {
			drawTree(b, &t.Children[i], indent+"└─ ", indent+"   ", width, p)
		}
	}
}
