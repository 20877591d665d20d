package confine

import (
	"errors"
	"strconv"
	"strings"
)

// Plan is what a worker shall do to itself. The zero Plan does nothing.
type Plan struct {
	Kind    string // Confined or Sandbox; else only the limits count
	Work    string // the writable folder, absolute; empty: none
	User    int    // become this user, if not 0
	Group   int    // and this group
	Spaces  string // the namespaces the worker was born in: names joined by blanks
	TmpSize int64  // of the private /tmp
	IDMap   int    // a descriptor of a user namespace to map the work folder's owner by; 0: none

	OpenFiles int64
	CPUTime   int64 // in seconds
	Data      int64 // bytes of data a process may have: memory, where no cgroup counts it

	Require []string // refuse rather than go on without
	Off     []string // what a test wants to see missing
}

// Empty reports whether there is nothing to do.
func (p *Plan) Empty() bool {
	return p.Kind == "" && p.OpenFiles == 0 && p.CPUTime == 0 && p.Data == 0
}

func (p *Plan) born(space string) bool {
	return strings.Contains(" "+p.Spaces+" ", " "+space+" ")
}

func (p *Plan) off(name string) bool {
	for _, o := range p.Off {
		if o == name {
			return true
		}
	}
	return false
}

var errMalformed = errors.New("malformed plan")

const fields = 12

// Strings writes the plan as strings without NUL.
func (p *Plan) Strings() []string {
	num := func(n int64) string { return strconv.FormatInt(n, 10) }
	return []string{p.Kind, p.Work, p.Spaces, num(int64(p.User)), num(p.TmpSize), num(int64(p.IDMap)),
		num(p.OpenFiles), num(p.CPUTime), num(p.Data), num(int64(p.Group)), strings.Join(p.Require, " "), strings.Join(p.Off, " ")}
}

// Parse reads a plan from the front of a list of strings and returns the rest.
func Parse(s []string) (Plan, []string, error) {
	if len(s) < fields {
		return Plan{}, nil, errMalformed
	}
	var n [7]int64
	for i := range n {
		v, err := strconv.ParseInt(s[3+i], 10, 64)
		if err != nil {
			return Plan{}, nil, errMalformed
		}
		n[i] = v
	}
	p := Plan{Kind: s[0], Work: s[1], Spaces: s[2], User: int(n[0]), TmpSize: n[1], IDMap: int(n[2]),
		OpenFiles: n[3], CPUTime: n[4], Data: n[5], Group: int(n[6])}
	p.Require, p.Off = split(s[10]), split(s[11])
	return p, s[fields:], nil
}

func split(s string) []string {
	if s == "" {
		return nil
	}
	return strings.Split(s, " ")
}

// Report is what a worker did.
type Report struct {
	Held    []string // names
	Missing []Lack
	Step    string // what failed, if the program could not be started
}

// Lack is something that could not be had, and why.
type Lack struct{ Name, Reason string }

func (r *Report) held(name string) { r.Held = append(r.Held, name) }

func (r *Report) lacks(name, reason string) {
	r.Missing = append(r.Missing, Lack{Name: name, Reason: reason})
}

// Lacking returns those of some names that are not held.
func (r *Report) Lacking(names []string) []Lack {
	var out []Lack
	for _, name := range names {
		if !r.holds(name) {
			out = append(out, Lack{name, r.why(name)})
		}
	}
	return out
}

func (r *Report) holds(name string) bool {
	for _, h := range r.Held {
		if h == name {
			return true
		}
	}
	return false
}

func (r *Report) why(name string) string {
	for _, l := range r.Missing {
		if l.Name == name {
			return l.Reason
		}
	}
	return "it was not asked for"
}

// reportMark tells a report from what else the file may hold: an order, whose
// environment is nobody's business.
const reportMark = "report"

// Encode writes a report.
func (r *Report) Encode() []byte {
	all := []string{reportMark, r.Step, strings.Join(r.Held, " ")}
	for _, l := range r.Missing {
		all = append(all, l.Name, l.Reason)
	}
	return []byte(strings.Join(all, "\x00"))
}

// DecodeReport reads one.
func DecodeReport(b []byte) (Report, error) {
	all := strings.Split(string(b), "\x00")
	if len(all) < 3 || len(all)%2 != 1 || all[0] != reportMark {
		return Report{}, errMalformed
	}
	r := Report{Step: all[1], Held: split(all[2])}
	for i := 3; i < len(all); i += 2 {
		r.lacks(all[i], all[i+1])
	}
	return r, nil
}
