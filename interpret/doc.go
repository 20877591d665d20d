// Package interpret turns a run's output into lines, and lines into what they
// mean: phases, progress, findings, warnings, known errors, prompts, a summary.
//
// It has three layers, each usable without the next:
//
//	bytes ──Splitter──▶ lines ──Session──▶ Interpreter ──Context──▶ payloads
//	                                       Rules (YAML), go-test, yours
//
// [Splitter] finds where lines end, whatever the blocks they arrive in, and
// so that a stored range of them can be split again to the same lines.
//
// [Interpreter] is what an author writes: a hook per line, a hook at the end.
// It speaks through its [Context]. [Session] drives one interpreter for one
// run and holds what it may not break:
//
//   - Hooks are called one at a time, with lines in the order of their stream.
//   - A panic in a hook becomes one interpreter_error; the interpreter is not
//     called again in this run, and the run goes on.
//   - Phases are a stack, closed innermost first at the end, and every
//     phase_entered has its phase_exited.
//   - Progress is clamped; changes below a thousandth of the whole are held
//     back until the end. What one run may record is bounded (see [Limits]).
//   - The same lines in the same order give the same payloads.
//
// Neither Session nor Splitter is safe for concurrent use: one goroutine owns
// them, as it owns the run's output. Registry is safe for concurrent use.
//
// [Rules] are interpreters written as data; [Registry] names them all.
package interpret
