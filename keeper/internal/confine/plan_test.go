package confine

import (
	"reflect"
	"testing"
)

func TestPlan(t *testing.T) {
	p := Plan{Kind: Sandbox, Work: "/a b", User: 1, Group: 2, Spaces: "x y", TmpSize: 3, IDMap: 4, OpenFiles: 5, CPUTime: 6, Data: 7,
		Require: []string{"a", "b"}, Off: []string{"c"}}
	got, rest, err := Parse(append(p.Strings(), "rest"))
	if err != nil || !reflect.DeepEqual(got, p) || len(rest) != 1 {
		t.Errorf("%+v, %q, %v", got, rest, err)
	}
	if _, _, err := Parse(p.Strings()[1:]); err == nil {
		t.Error("a short plan is read")
	}
}

func TestReport(t *testing.T) {
	r := Report{Step: "exec", Held: []string{"a", "b"}, Missing: []Lack{{"c", "it is not there"}, {"d", ""}}}
	got, err := DecodeReport(r.Encode())
	if err != nil || !reflect.DeepEqual(got, r) {
		t.Errorf("%+v, %v", got, err)
	}
	if l := r.Lacking([]string{"a", "c", "e"}); len(l) != 2 || l[0].Reason != "it is not there" {
		t.Errorf("%+v", l)
	}
}

// An order, with its environment, is never taken for a report.
func FuzzReport(f *testing.F) {
	f.Add((&Report{Held: []string{"a"}}).Encode())
	f.Add([]byte("false\x00true\x00/bin/sh\x00SECRET=1\x00"))
	f.Fuzz(func(t *testing.T, b []byte) {
		r, err := DecodeReport(b)
		if err != nil {
			return
		}
		again, err := DecodeReport(r.Encode())
		if err != nil || !reflect.DeepEqual(again, r) {
			t.Errorf("%+v became %+v, %v", r, again, err)
		}
	})
}
