// Package tool holds the tools that programs may call: services, each made of
// tools and performed by an [Adapter], behind one [Registry] that finds them,
// validates parameters, applies the operator's [Policy] and bounds what a call
// may cost.
//
// # Contract
//
//   - A call is first passed to [Registry.Check], which says what the policy
//     wants, and then, if that is allowed or a person has approved it, to
//     [Registry.Call].
//   - Every reason why a call has no result is a *process.ToolError, whose
//     message is written for the program that called; what it costs a caller's
//     own context is that context's error.
//   - A service that cannot be reached is unavailable, not fatal: it is retried
//     in the background with growing pauses, and at once when somebody calls it.
//   - Credentials live in adapters. They are in no description, error, log or
//     result: adapters redact them with [Secrets].
//   - The service "reeve" is built in: its tool "search" looks for tools; its
//     tools "spawn.ENVIRONMENT" are asked for, never called, before a program
//     starts a child process.
//
// Adapters live in packages of their own (function, openapi, mcp) and do not
// know each other; package file makes a registry of the operator's file.
package tool
