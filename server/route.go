package server

import (
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/reeverun/reeve/process"
	"github.com/reeverun/reeve/token"
)

// route describes one route and serves it.
type route struct {
	method, path string
	name         string // the operation's id
	group        string
	summary      string
	doc          string
	scope        token.Scope // empty: open to all
	mci          bool        // answers as seed 002 has it
	params       []param
	body         reflect.Type // nil: none
	bodyOptional bool
	yaml         bool // the body may also be YAML
	bytes        bool // the body is bytes, read by the handler as they come
	unlimited    bool // needs no slot
	answers      []answer
	errors       []int // besides those every route can answer
	handle       func(*request) error

	bodySchema *huma.Schema
}

// param is a parameter of the query.
type param struct {
	name, doc string
	kind      string // text, number, flag, time
	enum      []string
	most      int   // 0: one value; else a list of at most so many, with commas between them
	min, max  int64 // of a number; max 0: no limit
	mayBlank  bool  // a blank value is as good as none
}

// answer is a success.
type answer struct {
	status  int
	typ     reflect.Type // nil: not JSON
	content string       // media type where it is not JSON; empty: no body
	of      reflect.Type // of what a stream sends; nil: not described
	doc     string
}

func typeOf[T any]() reflect.Type { return reflect.TypeFor[T]() }

// checkQuery refuses parameters that the route does not have, blank ones,
// repeated ones, and values of the wrong kind.
func (r *route) checkQuery(u *url.URL) error {
	if u.RawQuery == "" {
		return nil
	}
	query, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return process.Invalid("query", "the part after ? cannot be read")
	}
	for name, values := range query {
		i := slices.IndexFunc(r.params, func(p param) bool { return p.name == name })
		switch {
		case i < 0 && len(r.params) == 0:
			return process.Invalid(name, "is not a parameter: there are none here")
		case i < 0:
			return process.Invalid(name, "is not a parameter: want one of %s", strings.Join(r.paramNames(), ", "))
		case len(values) > 1:
			return process.Invalid(name, "is given %d times", len(values))
		}
		if err := r.params[i].check(strings.TrimSpace(values[0])); err != nil {
			return err
		}
	}
	return nil
}

func (r *route) paramNames() (names []string) {
	for _, p := range r.params {
		names = append(names, p.name)
	}
	return names
}

func (p *param) check(v string) error {
	if v == "" && p.mayBlank {
		return nil
	}
	if v == "" {
		return process.Invalid(p.name, "is blank: leave it out or give a value")
	}
	if p.most > 0 {
		return p.checkList(v)
	}
	return p.checkOne(v)
}

// checkList checks each value of a list.
func (p *param) checkList(v string) error {
	values := listed(v)
	if len(values) > p.most {
		return process.Invalid(p.name, "has %d values: want at most %d", len(values), p.most)
	}
	for _, one := range values {
		if one == "" {
			return process.Invalid(p.name, "has a blank between its commas")
		}
		if err := p.checkOne(one); err != nil {
			return err
		}
	}
	return nil
}

// listed are the values of a list.
func listed(v string) []string {
	if v == "" {
		return nil
	}
	values := strings.Split(v, ",")
	for i := range values {
		values[i] = strings.TrimSpace(values[i])
	}
	return values
}

func (p *param) checkOne(v string) error {
	if len(p.enum) > 0 && !slices.Contains(p.enum, v) {
		return process.Invalid(p.name, "%q is not possible: want one of %s", shorten(v), strings.Join(p.enum, ", "))
	}
	switch p.kind {
	case "number":
		return p.checkNumber(v)
	case "flag":
		if !slices.Contains([]string{"0", "1", "true", "false"}, v) {
			return process.Invalid(p.name, "%q is neither 1 nor 0", v)
		}
	case "time":
		if _, err := parseTime(v); err != nil {
			return process.Invalid(p.name, "%q is not a time: want one like 2026-06-24T12:00:00Z", v)
		}
	}
	return nil
}

func (p *param) checkNumber(v string) error {
	n, err := strconv.ParseInt(v, 10, 64)
	switch {
	case err != nil:
		return process.Invalid(p.name, "%q is not a whole number", shorten(v))
	case n < p.min:
		return process.Invalid(p.name, "%d is too small: want at least %d", n, p.min)
	case p.max > 0 && n > p.max:
		return process.Invalid(p.name, "%d is too large: want at most %d", n, p.max)
	}
	return nil
}
