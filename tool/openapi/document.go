package openapi

import (
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"
)

// maxDepth bounds how deep a document may be nested, and how many references
// may follow each other.
const maxDepth = 200

// object is a JSON object.
type object = map[string]any

// document is a decoded OpenAPI document.
type document struct {
	root object
	old  bool // 3.0, whose schemas are not quite JSON Schema

	spent bool // what its schemas may take is used up: further ones are left out
}

func newDocument(v any) (*document, error) {
	root, ok := v.(object)
	if !ok {
		return nil, errors.New("the document is not an OpenAPI document: it is no object")
	}
	version := text(root["openapi"])
	switch {
	case root["swagger"] != nil:
		return nil, errors.New("the document is Swagger 2.0: convert it to OpenAPI 3")
	case strings.HasPrefix(version, "3.0"):
		return &document{root: root, old: true}, nil
	case strings.HasPrefix(version, "3."):
		return &document{root: root}, nil
	case version == "":
		return nil, errors.New("the document is not an OpenAPI document: it has no openapi version")
	}
	return nil, fmt.Errorf("OpenAPI %.20q is not supported: want 3.0 or 3.1", version)
}

func (d *document) title() string { return text(member(d.root["info"], "title")) }
func (d *document) description() string {
	return about(member(d.root["info"], "title"), member(d.root["info"], "description"))
}

// baseURL is where the API is: as configured, or as the document says.
func baseURL(configured string, d *document, from *url.URL) (*url.URL, error) {
	raw := configured
	if raw == "" {
		servers, _ := d.root["servers"].([]any)
		if len(servers) > 0 {
			raw = text(member(servers[0], "url"))
		}
	}
	u, err := url.Parse(raw)
	if err == nil && configured == "" && from != nil {
		u = from.ResolveReference(u)
	}
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || strings.ContainsAny(raw, "{}") {
		return nil, errors.New("it is not known where the API is: set its url, such as https://api.example.com/v1")
	}
	u.RawQuery, u.Fragment = "", ""
	return u, nil
}

// resolve follows references within the document. What leads nowhere, or in a
// circle, is nil.
func (d *document) resolve(v any) object {
	for range maxDepth {
		o, ok := v.(object)
		if !ok {
			return nil
		}
		ref, ok := o["$ref"].(string)
		if !ok {
			return o
		}
		v = d.lookup(ref)
	}
	return nil
}

// lookup finds what a reference names; nil for other documents.
func (d *document) lookup(ref string) any {
	path, ok := strings.CutPrefix(ref, "#/")
	if !ok {
		return nil
	}
	var at any = d.root
	for _, part := range strings.Split(path, "/") {
		if unescaped, err := url.PathUnescape(part); err == nil {
			part = unescaped
		}
		part = strings.ReplaceAll(strings.ReplaceAll(part, "~1", "/"), "~0", "~")
		switch v := at.(type) {
		case object:
			at = v[part]
		case []any:
			i, err := strconv.Atoi(part)
			if err != nil || i < 0 || i >= len(v) {
				return nil
			}
			at = v[i]
		default:
			return nil
		}
	}
	return at
}

func text(v any) string {
	s, _ := v.(string)
	return s
}

func member(v any, key string) any {
	o, _ := v.(object)
	return o[key]
}

// about joins a summary and a description.
func about(summary, description any) string {
	short, long := strings.TrimSpace(text(summary)), strings.TrimSpace(text(description))
	switch {
	case long == "" || short == long:
		return short
	case short == "" || strings.HasPrefix(long, short):
		return long
	}
	return short + "\n" + long
}
