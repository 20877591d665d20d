package cli

import (
	"time"

	"github.com/reeverun/reeve/process"
	"github.com/reeverun/reeve/wording"
)

// What package wording says, under the short names that this package uses on
// every other line.

func columns(s string) int                       { return wording.Columns(s) }
func fit(s string, limit int) string             { return wording.Fit(s, limit) }
func plain(s string) string                      { return wording.Plain(s) }
func shortDuration(d time.Duration) string       { return wording.Duration(d) }
func agoText(d time.Duration) string             { return wording.Ago(d) }
func byteCount(n int64) string                   { return wording.Bytes(n) }
func plural(n int, one, many string) string      { return wording.Plural(n, one, many) }
func stateWord(r *process.Record) string         { return wording.State(r) }
func commandLine(r *process.Record) string       { return wording.CommandLine(r) }
func title(r *process.Record) string             { return wording.Title(r) }
func eventDetail(ev *process.Event) string       { return wording.Detail(ev) }
func progressText(p process.Progress) string     { return wording.Progress(p) }
func phaseText(p process.Phase) string           { return wording.Phase(p) }
func outcomeText(o *process.Outcome) string      { return wording.Outcome(o) }
func tokensText(in, cached, out int64) string    { return wording.Tokens(in, cached, out) }
func dollars(usd float64) string                 { return wording.Dollars(usd) }
func finishedStep(d process.StepFinished) string { return wording.Step(d) }
func returnedText(d process.ToolReturned) string { return wording.Returned(d) }
