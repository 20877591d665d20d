package rows

import (
	"context"
	"errors"
	"fmt"

	"github.com/reeverun/reeve/bench/lab"
	"github.com/reeverun/reeve/bench/measure"
	"github.com/reeverun/reeve/env/typescript/engine"
	"github.com/reeverun/reeve/env/typescript/prelude"
	"github.com/reeverun/reeve/env/typescript/v8"
)

// bareV8 makes a subject of V8's children alone: no record, no HTTP, no
// compiler. They are forked ahead, so many.
func bareV8(l *lab.Lab, ahead int, round func(context.Context, *v8.Engine) (float64, error)) opener {
	return func(ctx context.Context) (measure.Instrument, error) {
		if !v8.Available {
			return nil, measure.Skipf("this program has no V8: it takes Linux and a C++ compiler")
		}
		e := v8.New(v8.Config{Prelude: prelude.Source(), Ahead: ahead, Executable: l.Binary})
		if err := e.Start(ctx); err != nil {
			return nil, errors.Join(err, e.Close())
		}
		return measure.Closing(func(ctx context.Context) (float64, error) { return round(ctx, e) }, e.Close), nil
	}
}

// beginBare gives a program to a child. The caller closes it.
func beginBare(ctx context.Context, e *v8.Engine, code string) (engine.Child, *engine.Reader, error) {
	child, err := e.Child(ctx, engine.Options{})
	if err != nil {
		return nil, nil, err
	}
	script := &engine.Script{HeapBytes: 128 << 20, Name: "program.ts", Code: "(async function () {" + code + "\n})", Meta: `{"id":1,"run":1}`}
	if _, err := child.Write(engine.AppendScript(nil, script)); err != nil {
		return nil, nil, errors.Join(err, child.Close())
	}
	return child, engine.NewReader(child), nil
}

// upTo reads a child's frames up to one of a type.
func upTo(frames *engine.Reader, last engine.Type) error {
	for {
		t, payload, err := frames.Next()
		switch {
		case err != nil:
			return err
		case t == last:
			return nil
		case t == engine.TypeError:
			return fmt.Errorf("the program ended as %s", payload)
		}
	}
}

// runBare runs a program in a child.
func runBare(ctx context.Context, e *v8.Engine, code string) error {
	child, frames, err := beginBare(ctx, e, code)
	if err != nil {
		return err
	}
	return errors.Join(upTo(frames, engine.TypeDone), child.Close())
}
