package storetest

import (
	"fmt"
	"reflect"
	"time"

	"github.com/reeverun/reeve/process"
)

// Full returns a process in which every field is set, found by reflection, so
// that a field added to the domain and forgotten by a store fails its round
// trip. Two calls with different seeds differ in every field that can differ.
func Full(id process.ID, seed int) *process.Process {
	p := &process.Process{}
	f := &filler{n: seed * 1000}
	f.fill(reflect.ValueOf(p).Elem())
	p.ID = id
	p.State = process.States()[1+seed%3] // not idle
	p.ExitState = process.ExitStates()[seed%4]
	p.Lifecycle = process.Lifecycle(1 + seed%3)
	p.Parent = 0
	return p
}

// filler sets values to something that is not zero and not used before.
type filler struct{ n int }

func (f *filler) next() int {
	f.n++
	return f.n
}

func (f *filler) fill(v reflect.Value) {
	switch v.Interface().(type) {
	case time.Time:
		v.Set(reflect.ValueOf(start.Add(time.Duration(f.next()) * 1000003 * time.Nanosecond)))
		return
	case process.Progress: // which fields are kept depends on the kind
		v.Set(reflect.ValueOf(process.Progress{Kind: process.ProgressDeterminate, Unit: process.UnitBytes,
			Done: int64(f.next()), Total: int64(f.next())}))
		return
	case process.FailureReason: // the same
		v.Set(reflect.ValueOf(process.FailureReason{Kind: process.FailKnownError,
			Code: fmt.Sprint("code", f.next()), Message: fmt.Sprint("message", f.next())}))
		return
	case map[string]any:
		v.Set(reflect.ValueOf(map[string]any{
			"n": float64(f.next()), "s": fmt.Sprint("v", f.next()), "t": true, "nil": nil,
			"list": []any{float64(f.next()), map[string]any{"deep": []any{"x"}}},
		}))
		return
	}
	f.fillKind(v)
}

func (f *filler) fillKind(v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(fmt.Sprintf("%s-%d <&> ü", v.Type().Name(), f.next()))
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(int64(f.next()))
	case reflect.Uint8, reflect.Uint16:
		v.SetUint(uint64(f.next() % 256))
	case reflect.Float64:
		v.SetFloat(float64(f.next()) + 0.5)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		f.fill(v.Elem())
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		f.fill(v.Index(0))
		f.fill(v.Index(1))
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		for range 2 {
			key, val := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
			f.fill(key)
			f.fill(val)
			v.SetMapIndex(key, val)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			f.fill(v.Field(i))
		}
	default:
		panic(fmt.Sprintf("storetest: no value for a %s", v.Type()))
	}
}

// scramble changes everything that v refers to, in place: whoever still shares
// it with v will notice.
func scramble(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			scramble(v.Elem())
		}
	case reflect.Slice:
		for i := range v.Len() {
			scramble(v.Index(i))
		}
	case reflect.Map:
		for it := v.MapRange(); it.Next(); {
			scramble(it.Value())
		}
		for _, k := range v.MapKeys() {
			v.SetMapIndex(k, reflect.Value{})
		}
	case reflect.Struct:
		if _, ok := v.Interface().(time.Time); ok {
			return
		}
		for i := range v.NumField() {
			scramble(v.Field(i))
		}
	case reflect.String, reflect.Bool, reflect.Int, reflect.Int64, reflect.Uint8, reflect.Float64:
		if v.CanSet() {
			v.SetZero()
		}
	}
}
