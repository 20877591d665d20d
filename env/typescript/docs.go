package typescript

import (
	_ "embed"
	"strings"

	"github.com/reeverun/reeve/env/typescript/prelude"
)

//go:embed docs.md
var docs string

// Docs tells how to write a program, with the declarations of everything it
// can use: what an author, or a model, needs to write a correct one.
func (e *Env) Docs() string {
	tools := "There are none on this server."
	if e.cfg.Declarations != nil {
		if d := strings.TrimSpace(e.cfg.Declarations()); d != "" {
			tools = "```ts\n" + d + "\n```"
		}
	}
	return strings.NewReplacer("{{globals}}", strings.TrimSpace(prelude.Declarations), "{{tools}}", tools).Replace(docs)
}
