package openapi

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
)

// value decodes one parameter.
func (p parameter) value(params map[string]json.RawMessage) (any, error) {
	raw, given := params[p.key]
	if !given {
		return nil, fmt.Errorf("params: lacks %q", p.key)
	}
	if p.json {
		var b bytes.Buffer
		if err := json.Compact(&b, raw); err != nil {
			return nil, fmt.Errorf("params.%s: it is not JSON", p.key)
		}
		return b.String(), nil
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		return nil, fmt.Errorf("params.%s: it is not JSON", p.key)
	}
	return v, nil
}

// scalar writes a value as text; what is no scalar as JSON.
func scalar(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	case json.Number:
		return v.String()
	}
	b, _ := json.Marshal(v)
	return string(b)
}

// join writes a value with commas, as the style "simple" does.
func (p parameter) join(v any, escape func(string) string) string {
	var parts []string
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			parts = append(parts, escape(scalar(item)))
		}
	case object:
		between := ","
		if p.explode {
			between = "="
		}
		for _, key := range keys(v) {
			parts = append(parts, escape(key)+between+escape(scalar(v[key])))
		}
	default:
		return escape(scalar(v))
	}
	return strings.Join(parts, ",")
}

// path writes a parameter of the path: simple, label or matrix.
func (p parameter) path(v any) string {
	joined := p.join(v, url.PathEscape)
	switch p.style {
	case "label":
		if p.explode {
			joined = strings.ReplaceAll(joined, ",", ".") // commas of values are escaped
		}
		return "." + joined
	case "matrix":
		return p.matrix(v, joined)
	}
	return joined
}

func (p parameter) matrix(v any, joined string) string {
	name := url.PathEscape(p.name)
	if !p.explode {
		return ";" + name + "=" + joined
	}
	var b strings.Builder
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			b.WriteString(";" + name + "=" + url.PathEscape(scalar(item)))
		}
	case object:
		for _, key := range keys(v) {
			b.WriteString(";" + url.PathEscape(key) + "=" + url.PathEscape(scalar(v[key])))
		}
	default:
		return ";" + name + "=" + joined
	}
	return b.String()
}

// query writes the pairs of a query parameter: form, spaceDelimited,
// pipeDelimited or deepObject.
func (p parameter) query(v any) []string {
	name := url.QueryEscape(p.name)
	switch v := v.(type) {
	case []any:
		return p.queryList(name, v)
	case object:
		return p.queryObject(name, v)
	}
	return []string{name + "=" + url.QueryEscape(scalar(v))}
}

func (p parameter) queryList(name string, list []any) []string {
	var parts []string
	for _, item := range list {
		parts = append(parts, url.QueryEscape(scalar(item)))
	}
	if p.explode {
		for i := range parts {
			parts[i] = name + "=" + parts[i]
		}
		return parts
	}
	between := map[string]string{"spaceDelimited": "%20", "pipeDelimited": "%7C"}[p.style]
	if between == "" {
		between = ","
	}
	return []string{name + "=" + strings.Join(parts, between)}
}

func (p parameter) queryObject(name string, o object) []string {
	var pairs, flat []string
	for _, key := range keys(o) {
		k, v := url.QueryEscape(key), url.QueryEscape(scalar(o[key]))
		flat = append(flat, k, v)
		if p.style == "deepObject" {
			k = name + "%5B" + k + "%5D"
		}
		pairs = append(pairs, k+"="+v)
	}
	if p.explode || p.style == "deepObject" {
		return pairs
	}
	return []string{name + "=" + strings.Join(flat, ",")}
}
