package remote_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"reflect"
	"syscall"
	"testing"

	"github.com/reeverun/reeve/keeper"
	"github.com/reeverun/reeve/keeper/remote"
	"github.com/reeverun/reeve/process"
)

// What a caller may match arrives as itself, with the same words.
func TestErrorsTravel(t *testing.T) {
	for _, err := range []error{
		keeper.ErrLost, keeper.ErrNoFreeze, keeper.ErrNoInput, context.Canceled, remote.ErrVersion, errors.ErrUnsupported,
		syscall.ENOSPC,
		&keeper.SpawnError{Op: keeper.OpExec, Path: "/x", Err: syscall.ENOENT, Hint: "hint"},
		&keeper.SpawnError{Op: keeper.OpFind, Path: "x", Err: exec.ErrNotFound},
		process.Invalid("signal", "no such signal"),
		&process.Error{Code: process.CodeTooMany, Message: "m", Hint: "h", Err: syscall.EPERM},
		fmt.Errorf("%w any more: %w", keeper.ErrNoInput, syscall.EPIPE),
		&os.PathError{Op: "open", Path: "/x", Err: syscall.EACCES},
		errors.New("only words"),
	} {
		got := remote.Errors(err)
		if got.Error() != err.Error() {
			t.Errorf("%q became %q", err, got)
		}
		for _, is := range []error{keeper.ErrLost, keeper.ErrNoInput, keeper.ErrNoFreeze, fs.ErrNotExist, fs.ErrPermission,
			syscall.ENOSPC, exec.ErrNotFound, process.ErrInvalid, process.ErrTooMany, context.Canceled, remote.ErrVersion} {
			if errors.Is(err, is) != errors.Is(got, is) {
				t.Errorf("%v: is it %v? %v before, %v after", err, is, errors.Is(err, is), errors.Is(got, is))
			}
		}
		var a, b *keeper.SpawnError
		if errors.As(err, &a) != errors.As(got, &b) || a != nil && (a.Op != b.Op || a.Path != b.Path || a.Hint != b.Hint) {
			t.Errorf("%+v became %+v", a, b)
		}
	}
}

// Every field of a Spec travels, those that will be added included.
func TestSpecsTravel(t *testing.T) {
	s := keeper.Spec{}
	fill(t, reflect.ValueOf(&s).Elem())
	s.Args = []string{"a", "", "\xff"}
	got, err := remote.DecodeSpec(remote.SpawnBody(s))
	if err != nil || !reflect.DeepEqual(got, s) {
		t.Errorf("%+v became %+v, %v", s, got, err)
	}
}

// What is not used does not show, so that an older keeper does not stumble on
// it; what is used and unknown to it, it refuses.
func TestSpecsForOlderKeepers(t *testing.T) {
	b, err := json.Marshal(keeper.Spec{})
	if err != nil || string(b) != "{}" {
		t.Errorf("%s, %v: the new field lacks omitzero", b, err)
	}
	body := bytes.Replace(remote.SpawnBody(keeper.Spec{Path: "/bin/true", StdinPipe: true}), []byte("StdinPipe"), []byte("Confined!"), 1)
	var e *keeper.SpawnError
	if _, err := remote.DecodeSpec(body); !errors.As(err, &e) || e.Op != keeper.OpHold {
		t.Errorf("%v", err)
	}
}

// fill gives each field that is no file some value.
func fill(t *testing.T, v reflect.Value) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Field(i).Type() != reflect.TypeFor[*os.File]() {
				fill(t, v.Field(i))
			}
		}
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(t, v.Elem())
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		fill(t, v.Index(1))
	case reflect.Map:
	case reflect.String:
		v.SetString("text")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64, reflect.Int32:
		v.SetInt(7)
	case reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uint:
		v.SetUint(7)
	case reflect.Float64:
		v.SetFloat(7)
	default:
		t.Fatalf("a %v in a Spec: can it be written as JSON?", v.Type())
	}
}

func FuzzSpec(f *testing.F) {
	f.Add(remote.SpawnBody(keeper.Spec{Name: "n", Path: "/bin/true", Args: []string{"a"}, Env: []string{"A=1"}, PTY: &keeper.Window{Rows: 1}}))
	f.Fuzz(func(t *testing.T, b []byte) {
		s, err := remote.DecodeSpec(b)
		if err != nil {
			return
		}
		again, err := remote.DecodeSpec(remote.SpawnBody(s))
		if err != nil || !reflect.DeepEqual(again, s) {
			t.Errorf("%+v became %+v, %v", s, again, err)
		}
	})
}

// The last complete line of a job's file counts, whatever else is in it.
func TestTornRecords(t *testing.T) {
	one, two := `{"name":"j","trace":{"pid":1}}`, `{"name":"j","trace":{"pid":2},"empty":true}`
	for text, pid := range map[string]int{
		"":                        0,
		"{":                       0,
		one:                       0,
		one + "\n":                1,
		one + "\n\n" + two + "\n": 2,
		one + "\n" + two:          1,
		one + "\n" + two[:20]:     1,
		one + "\n" + two[:20] + "\n" + two + "\n":   2,
		"\x00\x00\x00\n" + one + "\n":               1,
		`{"name":"other","trace":{"pid":9}}` + "\n": 0,
	} {
		if i := remote.LastLine("j", []byte(text)); i.Name != "j" || i.Trace.PID != pid {
			t.Errorf("%q: %+v", text, i)
		}
	}
}
