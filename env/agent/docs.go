package agent

import (
	_ "embed"
	"strings"
)

//go:embed docs.md
var docs string

// Docs tells what an agent is told and can do.
func (e *Env) Docs() string { return strings.ReplaceAll(docs, "{{prompt}}", prompt) }
