package openapi

import (
	"encoding/json"
	"mime"
	"slices"
	"strings"
)

const (
	mediaJSON = "application/json"
	mediaForm = "application/x-www-form-urlencoded"
)

// isJSON reports whether a media type is JSON.
func isJSON(mediaType string) bool {
	t, _, err := mime.ParseMediaType(mediaType)
	return err == nil && (t == mediaJSON || strings.HasSuffix(t, "+json"))
}

// body adds the request body.
func (b *builder) body(request object) {
	content, _ := request["content"].(object)
	if len(content) == 0 {
		return
	}
	mediaType := preferred(keys(content))
	declared := member(content[mediaType], "schema")
	if mediaType == "*/*" || mediaType == "application/*" {
		mediaType = mediaJSON
	}
	required := request["required"] == true
	b.op.body = &body{mediaType: mediaType}
	structured := isJSON(mediaType) || mediaType == mediaForm
	if structured && b.merge(declared, required) {
		return
	}
	key := "body"
	for b.properties[key] != nil {
		key = "request_" + key
	}
	b.op.body.key = key
	var schema any = object{"type": "string", "description": "The body, of type " + mediaType + "."}
	if structured {
		schema = b.schemas.of(declared, 0)
	}
	b.properties[key] = described(schema, text(request["description"]))
	if required {
		b.required = append(b.required, key)
	}
}

// preferred chooses among media types: JSON, then a form, then the first.
func preferred(mediaTypes []string) string {
	for _, wanted := range []func(string) bool{
		func(m string) bool { return m == mediaJSON },
		isJSON,
		func(m string) bool { return m == "*/*" || m == "application/*" },
		func(m string) bool { return m == mediaForm },
	} {
		if i := slices.IndexFunc(mediaTypes, wanted); i >= 0 {
			return mediaTypes[i]
		}
	}
	return mediaTypes[0]
}

// merge makes the properties of a plain object parameters of the tool, unless
// one is a parameter already.
func (b *builder) merge(declared any, required bool) bool {
	s := b.doc.resolve(declared)
	properties, _ := s["properties"].(object)
	if len(properties) == 0 || s["nullable"] == true || !plainObject(s) {
		return false
	}
	for name := range properties {
		if b.properties[name] != nil {
			return false
		}
	}
	converted, _ := b.schemas.of(s, 0).(object)
	members, _ := converted["properties"].(object)
	if len(members) != len(properties) {
		return false // too large to be described
	}
	for name, schema := range members {
		b.properties[name] = schema
	}
	if names, _ := converted["required"].([]any); required {
		for _, name := range names {
			if _, known := members[text(name)]; known {
				b.required = append(b.required, text(name))
			}
		}
	}
	if open := converted["additionalProperties"]; open != nil && open != false {
		b.open = open
	}
	return true
}

// plainObject reports whether a schema says nothing but what its properties are.
func plainObject(s object) bool {
	if kind, ok := s["type"]; ok && kind != "object" {
		return false
	}
	for _, key := range []string{"oneOf", "anyOf", "allOf", "not", "if", "patternProperties", "dependentSchemas", "propertyNames"} {
		if s[key] != nil {
			return false
		}
	}
	return true
}

// result is the schema of what an operation answers, nil if it does not say.
func (d *document) result(o object) json.RawMessage {
	responses, _ := o["responses"].(object)
	codes := slices.DeleteFunc(keys(responses), func(code string) bool { return !strings.HasPrefix(code, "2") })
	if len(codes) == 0 {
		return nil
	}
	content, _ := d.resolve(responses[codes[0]])["content"].(object)
	for _, mediaType := range keys(content) {
		if !isJSON(mediaType) {
			continue
		}
		if d.spent {
			return nil
		}
		c := newSchemas(d, false)
		converted := c.of(member(content[mediaType], "schema"), 0)
		s, ok := converted.(object)
		if !ok {
			return nil
		}
		if len(c.defs) > 0 {
			s["$defs"] = c.defs
		}
		raw, _ := json.Marshal(s)
		return raw
	}
	return nil
}
