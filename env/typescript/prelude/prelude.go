// Package prelude is the JavaScript that makes the globals of a TypeScript
// program: console, timers, URL and its like, and reeve. Both engines run it
// before any program.
//
// [Source] is an expression whose value is function(native), and returns hooks.
// It is evaluated once per isolate, in V8 before the fork: it makes nothing
// random and reads no clock until a program starts.
//
// native is what an engine gives, as own properties; the prelude keeps it from
// the program:
//
//	send(type, payload)    writes one frame; throws an Error if it is too large
//	random(bytes)          fills a Uint8Array
//	now()                  monotonic milliseconds, with a fraction
//	details(value)         optional; what JavaScript cannot see of an object:
//	                       ["promise", "pending"|"fulfilled"|"rejected", result],
//	                       ["proxy", target, handler] (null, null: revoked),
//	                       ["mapiterator"|"setiterator", values, pairs], where
//	                       pairs says that values are keys and values in turn;
//	                       undefined for others
//	encode(text)           optional; the bytes of a text in UTF-8
//	decode(bytes, fatal)   optional; the text of bytes in UTF-8, or undefined to
//	                       have the prelude do it; throws if fatal and malformed
//
// hooks are called by the engine:
//
//	start(main, meta)      runs the program: main is an async function, meta the
//	                       JSON of engine.Meta
//	compileError(error)    the program did not compile
//	dispatch(type, text)   a frame came
//	rejection(event, promise, value)  0: rejected and not handled, 1: handled later
//	fire()                 runs one callback that is due
//	uncaught(error)        what left one of these
//	turn()                 after each of these, when no microtask is left: how many
//	                       milliseconds to wait for a frame before fire, -1 for ever,
//	                       -2: the program is over, its last frame is sent
//
// A program may tamper with every object it can reach. The prelude works from
// copies of the builtins that it took first, so that nothing a program does
// keeps its console, its calls or its end from working.
package prelude

import (
	"embed"
	"io/fs"
	"strings"
)

//go:embed js/*.js
var files embed.FS

// Declarations is the .d.ts of all globals, for editors and for language models.
//
//go:embed globals.d.ts
var Declarations string

// Name is what engines call the prelude in stack traces; its frames are not
// shown.
const Name = "reeve:prelude"

// Source returns the prelude. Its files are parts of one function, in the order
// of their names.
func Source() string {
	names, err := fs.Glob(files, "js/*.js") // sorted
	if err != nil {
		panic(err) // a pattern that is wrong in the source
	}
	var b strings.Builder
	b.WriteString("(function (native) {\n\"use strict\";\n")
	for _, name := range names {
		text, err := files.ReadFile(name)
		if err != nil {
			panic(err) // an embedded file is always there
		}
		b.Write(text)
	}
	b.WriteString("})")
	return b.String()
}
