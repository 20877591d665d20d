package supervisor

import _ "embed"

//go:embed docs.md
var docs string

// Docs tells how to describe a supervisor.
func (e *Env) Docs() string { return docs }
