// Package reeve runs work as processes: commands, Go functions, supervisors of them and, with
// environments registered through [Config], anything else. Each process has a
// durable record, a place in a tree, ordered events and complete output, dies
// as a whole when it is killed, and is told the truth about after a crash.
//
//	rt, err := reeve.Open(ctx, reeve.Config{Dir: dir}) // zero Config: in memory
//	p, err := rt.Spawn(ctx, reeve.Command("make", "build").Label("build").Timeout(time.Minute))
//	outcome, err := p.Wait(ctx)             // headless
//	for ev := range p.Events(ctx) { … }     // or live, from process_created on
//
// The values it speaks in (records, events, outcomes, errors) are those of
// package process; the most used have aliases here.
package reeve
