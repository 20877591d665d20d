//go:build !(cgo && linux && (amd64 || arm64))

package v8

import (
	"context"
	"errors"

	"github.com/reeverun/reeve/env/typescript/engine"
)

// Available says whether V8 is linked into this program.
const Available = false

// Version is V8's; empty where it is not linked in.
const Version = ""

var errUnavailable = errors.New("this build has no V8: build with cgo on linux/amd64 or linux/arm64")

// Engine stands for the one that this build lacks.
type Engine struct{ config Config }

var _ engine.Engine = (*Engine)(nil)

// New returns an engine whose Start says that V8 is not linked in.
func New(c Config) *Engine { return &Engine{config: c.withDefaults()} }

// Info tells the name only.
func (*Engine) Info() engine.Info { return engine.Info{Name: "v8"} }

// Start returns an error.
func (*Engine) Start(context.Context) error { return errUnavailable }

// Child returns an error.
func (*Engine) Child(context.Context, engine.Options) (engine.Child, error) {
	return nil, errUnavailable
}

// Close does nothing.
func (*Engine) Close() error { return nil }
