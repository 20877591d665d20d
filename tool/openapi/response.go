package openapi

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"mime"
	"net/http"
	"strings"
	"unicode/utf8"

	"github.com/reeverun/reeve/process"
	"github.com/reeverun/reeve/tool"
)

// maxSaid bounds how much of an error page is repeated.
const maxSaid = 1 << 10

// do performs a request. No error of it holds a secret.
func (a *Adapter) do(req *http.Request) (json.RawMessage, error) {
	res, err := a.client.Do(req)
	if err != nil {
		if req.Context().Err() != nil {
			return nil, req.Context().Err()
		}
		return nil, tool.Errorf(process.ToolUnavailable, "the server cannot be reached: %s", a.secrets.Redact(withoutURL(err).Error()))
	}
	defer res.Body.Close()
	raw, err := readAll(res.Body, a.cfg.MaxResponse)
	if err != nil {
		return nil, tool.Errorf(process.ToolFailed, "the answer cannot be read: %s", a.secrets.Redact(err.Error()))
	}
	if res.StatusCode < 200 || res.StatusCode > 299 {
		return nil, a.failure(res, raw)
	}
	return result(res.Header.Get("Content-Type"), raw)
}

// failure makes an error of an answer that is no success.
func (a *Adapter) failure(res *http.Response, raw []byte) error {
	message := fmt.Sprintf("the server answered %d %s", res.StatusCode, http.StatusText(res.StatusCode))
	if res.StatusCode >= 300 && res.StatusCode < 400 {
		message += ", which is not followed to other hosts"
	}
	if json.Valid(raw) {
		raw = a.secrets.RedactJSON(raw)
	}
	// Redacted before it is cut, so that no part of a secret is left at the end.
	if said := a.secrets.Redact(said(res.Header.Get("Content-Type"), raw)); said != "" {
		message += ": " + tool.Clip(said, maxSaid)
	}
	return tool.Errorf(fmt.Sprintf("http_%d", res.StatusCode), "%s", message)
}

// said is what an error page says: the message of usual JSON shapes, or text.
func said(contentType string, raw []byte) string {
	if isJSON(contentType) {
		var v any
		if json.Unmarshal(raw, &v) == nil {
			if m := messageIn(v); m != "" {
				return m
			}
		}
	}
	if t, _, _ := mime.ParseMediaType(contentType); t == "text/html" || !utf8.Valid(raw) {
		return "" // a page for browsers says little
	}
	return strings.TrimSpace(string(raw))
}

func messageIn(v any) string {
	o, ok := v.(object)
	if !ok {
		return ""
	}
	for _, key := range []string{"message", "error_description", "detail", "error", "title", "msg"} {
		switch m := o[key].(type) {
		case string:
			if m != "" {
				return m
			}
		case object:
			if inner := text(m["message"]); inner != "" {
				return inner
			}
		}
	}
	return ""
}

// result makes the result of an answer: JSON as it is, text as a string, and
// what is no text in base64.
func result(contentType string, raw []byte) (json.RawMessage, error) {
	switch {
	case len(raw) == 0:
		return json.RawMessage("null"), nil
	case isJSON(contentType):
		if !json.Valid(raw) {
			return nil, tool.Errorf(process.ToolFailed, "the server answered something that is not JSON, although it says so")
		}
		return raw, nil
	case utf8.Valid(raw):
		return json.Marshal(string(raw))
	}
	return json.Marshal(map[string]string{"contentType": contentType, "base64": base64.StdEncoding.EncodeToString(raw)})
}
