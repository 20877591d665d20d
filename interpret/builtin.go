package interpret

import (
	"embed"
	"path"
	"strings"
	"sync"
)

//go:embed rules/*.yaml
var ruleFiles embed.FS

// builtins returns the built-in interpreters. Each rule file is read when it
// is first used: most runtimes use one or two of them.
func builtins() map[string]func() (Interpreter, error) {
	out := map[string]func() (Interpreter, error){}
	files, err := ruleFiles.ReadDir("rules")
	if err != nil {
		return out
	}
	for _, f := range files {
		name := strings.TrimSuffix(f.Name(), path.Ext(f.Name()))
		load := sync.OnceValues(func() (*Rules, error) { return builtin(name) })
		out[name] = func() (Interpreter, error) {
			r, err := load()
			if err != nil {
				return nil, err
			}
			return r.New(), nil
		}
	}
	return out
}

func builtin(name string) (*Rules, error) {
	data, err := ruleFiles.ReadFile("rules/" + name + ".yaml")
	if err != nil {
		return nil, err
	}
	return LoadRules(name, data)
}
