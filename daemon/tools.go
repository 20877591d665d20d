package daemon

import (
	"context"
	"os"

	"github.com/reeverun/reeve/process"
	"github.com/reeverun/reeve/tool"
	"github.com/reeverun/reeve/tool/file"
)

// readTools reads the tool file, if there is one. Without one there is what is
// built in.
func (d *daemon) readTools() error {
	if d.settings.Tools == "" {
		d.tools = tool.New(tool.Config{Logger: d.log})
		return nil
	}
	f, err := file.Load(d.settings.Tools, os.LookupEnv)
	if err != nil {
		return err
	}
	d.tools, err = f.Registry(d.log)
	return err
}

// startedTools are tools that are started by the first call. The daemon starts
// them itself, but not before the data directory is its own, and what an
// earlier daemon left queued may call sooner than that.
type startedTools struct{ *tool.Registry }

// Check starts them, unless they are.
func (t startedTools) Check(ctx context.Context, c process.ToolCall) (process.Permission, error) {
	t.Start(ctx)
	return t.Registry.Check(ctx, c)
}

// closeTools ends the services, once no run can call them any more.
func (d *daemon) closeTools() error {
	if d.tools == nil {
		return nil
	}
	return d.tools.Close()
}
