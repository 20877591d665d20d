package interpret_test

import (
	"fmt"
	"strings"

	"github.com/reeverun/reeve/interpret"
	"github.com/reeverun/reeve/process"
)

// alerts turns lines with ALERT into findings.
type alerts struct{ seen int }

func (a *alerts) OnLine(c *interpret.Context, l interpret.Line) {
	if strings.Contains(l.Text, "ALERT") {
		a.seen++
		c.Finding(process.Finding{Severity: process.Warning, Code: "demo.alert", Message: l.Text})
	}
}

func (a *alerts) OnExit(c *interpret.Context, e process.Exit) {
	c.Summary(fmt.Sprintf("%d alerts", a.seen))
	if !c.Succeeded(e) && !c.Classified() {
		c.KnownError("demo.broken", c.LastLine(process.Stderr))
	}
}

// A runtime splits what a program writes and lets a session make events of it.
func Example() {
	registry := interpret.NewRegistry()
	if err := registry.Register("alerts", func() interpret.Interpreter { return &alerts{} }); err != nil {
		fmt.Println(err)
	}
	i, err := registry.New("alerts")
	if err != nil {
		fmt.Println(err)
	}
	s := interpret.NewSession(i, interpret.Options{})

	block := []byte("starting\nALERT: disk full\n")
	spans := interpret.Lines(block, nil)
	s.Block(process.Stdout, block, spans, func(line int, p process.Payload) {
		fmt.Printf("%q: %s\n", block[spans[line].Start:spans[line].End], process.New(p).Kind)
	})
	block = []byte("giving up\n")
	s.Block(process.Stderr, block, interpret.Lines(block, nil), nil)
	for _, p := range s.Exit(process.Exit{Code: 7}) {
		fmt.Printf("%s %+v\n", process.New(p).Kind, p)
	}
	// Output:
	// "ALERT: disk full": finding_emitted
	// summary_set {Summary:1 alerts}
	// known_error_detected {Code:demo.broken Message:giving up}
}
