package openapi

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
)

// request makes the request of a call. Its errors are sentences about the
// parameters.
func (op *operation) request(ctx context.Context, base *url.URL, raw json.RawMessage) (*http.Request, error) {
	params := map[string]json.RawMessage{}
	if err := json.Unmarshal(raw, &params); err != nil {
		return nil, errors.New("params: expected an object")
	}
	u := *base
	path, err := op.expand(params)
	if err != nil {
		return nil, err
	}
	// Both forms, so that what was escaped stays so.
	u.RawPath = strings.TrimSuffix(base.EscapedPath(), "/") + path
	if u.Path, err = url.PathUnescape(u.RawPath); err != nil {
		return nil, errors.New("params: the path cannot be written")
	}
	if u.RawQuery, err = op.query(params); err != nil {
		return nil, err
	}
	content, err := op.content(params)
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, op.method, u.String(), content)
	if err != nil {
		return nil, errors.New("params: the request cannot be written")
	}
	req.Header.Set("Accept", "application/json, text/plain;q=0.9, */*;q=0.5")
	if content != nil {
		req.Header.Set("Content-Type", op.body.mediaType)
	}
	return req, op.headers(req.Header, params)
}

// expand fills the path.
func (op *operation) expand(params map[string]json.RawMessage) (string, error) {
	var failed error
	at := 0
	var b strings.Builder
	for _, m := range pathParam.FindAllStringSubmatchIndex(op.path, -1) {
		b.WriteString((&url.URL{Path: op.path[at:m[0]]}).EscapedPath())
		at = m[1]
		value, err := op.segment(op.path[m[2]:m[3]], params)
		if err != nil && failed == nil {
			failed = err
		}
		b.WriteString(value)
	}
	b.WriteString((&url.URL{Path: op.path[at:]}).EscapedPath())
	return b.String(), failed
}

// segment writes one parameter of the path. A value that would lead to another
// path is refused, not sent: servers undo escapes at different times.
func (op *operation) segment(name string, params map[string]json.RawMessage) (string, error) {
	for _, p := range op.params {
		if p.in != "path" || p.name != name {
			continue
		}
		v, err := p.value(params)
		if err != nil {
			return "", err
		}
		written := p.path(v)
		if written == "" || leadsAway(written) {
			return "", fmt.Errorf("params.%s: cannot stand in a path", p.key)
		}
		return written, nil
	}
	return "", fmt.Errorf("params: the path needs %q, which is not described", name)
}

// leadsAway reports whether a part of a path would be another path, or cut it
// short, for who undoes its escapes, be it more than once.
func leadsAway(written string) bool {
	const times = 4
	for range times {
		for _, part := range strings.FieldsFunc(written, func(r rune) bool { return r == '/' || r == '\\' }) {
			if part == "." || part == ".." {
				return true
			}
		}
		if strings.ContainsFunc(written, func(r rune) bool { return r < ' ' || r == 0x7f }) {
			return true
		}
		plain, err := url.PathUnescape(written)
		if err != nil || plain == written {
			return false
		}
		written = plain
	}
	return true
}

func (op *operation) query(params map[string]json.RawMessage) (string, error) {
	var pairs []string
	for _, p := range op.params {
		if _, given := params[p.key]; p.in != "query" || !given {
			continue
		}
		v, err := p.value(params)
		if err != nil {
			return "", err
		}
		pairs = append(pairs, p.query(v)...)
	}
	return strings.Join(pairs, "&"), nil
}

// headers writes the header parameters. What would end a line is refused.
func (op *operation) headers(h http.Header, params map[string]json.RawMessage) error {
	for _, p := range op.params {
		if _, given := params[p.key]; p.in != "header" || !given {
			continue
		}
		v, err := p.value(params)
		if err != nil {
			return err
		}
		written := p.join(v, func(s string) string { return s })
		if strings.ContainsFunc(written, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }) {
			return fmt.Errorf("params.%s: must not contain control characters", p.key)
		}
		h.Set(p.name, written)
	}
	return nil
}

// content is the body, nil if the call has none.
func (op *operation) content(params map[string]json.RawMessage) (io.Reader, error) {
	if op.body == nil {
		return nil, nil
	}
	raw, given := params[op.body.key]
	if op.body.key == "" {
		raw, given = op.rest(params)
	}
	if !given {
		return nil, nil
	}
	switch {
	case isJSON(op.body.mediaType):
		return bytes.NewReader(raw), nil
	case op.body.mediaType == mediaForm:
		return form(raw)
	}
	var s string
	if err := json.Unmarshal(raw, &s); err != nil {
		return nil, fmt.Errorf("params.%s: expected a string", op.body.key)
	}
	return strings.NewReader(s), nil
}

// rest is the object of all that is no parameter.
func (op *operation) rest(params map[string]json.RawMessage) (json.RawMessage, bool) {
	rest := map[string]json.RawMessage{}
	for key, v := range params {
		rest[key] = v
	}
	for _, p := range op.params {
		delete(rest, p.key)
	}
	raw, err := json.Marshal(rest)
	return raw, err == nil && len(rest) > 0
}

// form writes a JSON object as a form; lists repeat their name.
func form(raw json.RawMessage) (io.Reader, error) {
	var members map[string]any
	if err := json.Unmarshal(raw, &members); err != nil {
		return nil, errors.New("params: a form needs an object")
	}
	values := url.Values{}
	for name, v := range members {
		list, ok := v.([]any)
		if !ok {
			list = []any{v}
		}
		for _, item := range list {
			values.Add(name, scalar(item))
		}
	}
	return strings.NewReader(values.Encode()), nil
}
