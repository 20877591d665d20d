package interpret

import "github.com/reeverun/reeve/process"

// plan is what to look for in a stream so that no line is missed that a rule
// may match. It is shared by the runs of its rules.
type plan struct {
	every   bool // every line is of interest
	finders []finder
	anchors *anchors // nil: none
}

// planFor makes the plan for the rules that read a stream. A rule is looked
// for at the start of lines where its expression is anchored there and says
// what a line may begin with; else by the literals every match contains.
func planFor(rules []*rule, stream process.Stream, json bool) plan {
	p := plan{finders: []finder{newSearch(literal{text: string(escape)})}}
	if json {
		p.finders = append(p.finders, newSearch(literal{text: jsonOutput}))
	}
	seen := map[finder]bool{}
	for _, r := range rules {
		if !r.reads(stream) {
			continue
		}
		if set, ok := r.firstBytes(); ok && set.selective() {
			if p.anchors == nil {
				p.anchors = new(anchors)
			}
			p.anchors.add(r, set)
			continue
		}
		all := r.finders()
		p.every = p.every || len(all) == 0
		for _, f := range all {
			if !seen[f] {
				seen[f] = true
				p.finders = append(p.finders, f)
			}
		}
	}
	return p
}

func (r *rule) firstBytes() (byteSet, bool) {
	if r.re == nil {
		return byteSet{}, false
	}
	return firstBytes(r.re.String())
}

func (r *rule) finders() (out []finder) {
	if r.detect != nil {
		return []finder{r.detect}
	}
	for _, l := range r.lits {
		out = append(out, l)
	}
	return out
}

// scan returns what carries the plan out for one run.
func (p plan) scan() scan {
	s := scan{every: p.every, finders: p.finders}
	if p.anchors != nil {
		s.finders = append(s.finders[:len(s.finders):len(s.finders)], &anchorScan{anchors: p.anchors})
	}
	return s
}
