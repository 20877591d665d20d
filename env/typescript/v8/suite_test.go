//go:build cgo && linux && (amd64 || arm64)

package v8_test

import (
	"testing"

	"github.com/reeverun/reeve/env/typescript/engine"
	"github.com/reeverun/reeve/env/typescript/enginetest"
	"github.com/reeverun/reeve/env/typescript/prelude"
	"github.com/reeverun/reeve/env/typescript/v8"
)

// What every engine does, with the real prelude.
func TestEngine(t *testing.T) {
	enginetest.Run(t, func() engine.Engine { return v8.New(v8.Config{Prelude: prelude.Source()}) })
}
