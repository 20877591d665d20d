package subreaper

import (
	"bytes"
	"reflect"
	"testing"
	"time"
)

func TestMessage(t *testing.T) {
	m := Message{Kind: Exited, Value: -9, CPU: time.Second, MaxRSS: 1 << 40}
	got, err := Decode(m.Encode())
	if err != nil || got != m {
		t.Errorf("%+v, %v", got, err)
	}
	if _, err := Decode(m.Encode()[1:]); err == nil {
		t.Error("a short packet is read")
	}
}

func TestOrder(t *testing.T) {
	for _, o := range []Order{
		{Path: "/bin/sh", Argv: []string{"sh", "", "a\nb"}, Env: []string{"A=1", ""}, Dir: "/", Session: true, TTY: true},
		{Path: "/bin/sh", Argv: []string{"sh"}, Env: []string{}},
	} {
		got, err := DecodeOrder(o.Encode())
		if err != nil || !reflect.DeepEqual(got, o) {
			t.Errorf("%+v, %v", got, err)
		}
	}
}

func FuzzOrder(f *testing.F) {
	f.Add(Order{Path: "/bin/sh", Argv: []string{"sh"}, Env: []string{"A=1"}}.Encode())
	f.Fuzz(func(t *testing.T, b []byte) {
		o, err := DecodeOrder(b)
		if err != nil {
			return
		}
		again, err := DecodeOrder(o.Encode())
		if err != nil || !reflect.DeepEqual(again, o) {
			t.Errorf("%+v became %+v, %v", o, again, err)
		}
		if !bytes.HasSuffix(o.Encode(), []byte{0}) {
			t.Error("no end")
		}
	})
}
