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
	"os"
	"strings"

	"go.yaml.in/yaml/v3"
)

// maxDocument bounds a document.
const maxDocument = 32 << 20

// load reads the document and says where it is from, if that is a URL.
func (a *Adapter) load(ctx context.Context) ([]byte, *url.URL, error) {
	if a.cfg.Data != nil {
		return a.cfg.Data, nil, nil
	}
	if a.cfg.Document == "" {
		return nil, nil, errors.New("it has no document: say where its OpenAPI document is")
	}
	if !strings.HasPrefix(a.cfg.Document, "http://") && !strings.HasPrefix(a.cfg.Document, "https://") {
		raw, err := readFile(a.cfg.Document)
		return raw, nil, err
	}
	from, err := url.Parse(a.cfg.Document)
	if err != nil {
		return nil, nil, errors.New("the document's URL is not valid")
	}
	raw, err := a.fetch(ctx, from)
	return raw, from, err
}

func readFile(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("read the document: %w", err)
	}
	defer f.Close()
	return readAll(f, maxDocument)
}

// fetch gets the document; with credentials only from the API's own host.
func (a *Adapter) fetch(ctx context.Context, from *url.URL) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, from.String(), nil)
	if err != nil {
		return nil, errors.New("the document's URL is not valid")
	}
	req.Header.Set("Accept", "application/json, application/yaml, */*;q=0.5")
	if api, err := url.Parse(a.cfg.URL); err == nil && sameHost(api, from) {
		a.authorize(req)
	}
	res, err := a.client.Do(req)
	if err != nil {
		return nil, fmt.Errorf("get the document: %w", withoutURL(err))
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("get the document: the server answered %s", res.Status)
	}
	return readAll(res.Body, maxDocument)
}

func readAll(r io.Reader, most int64) ([]byte, error) {
	raw, err := io.ReadAll(io.LimitReader(r, most+1))
	if err == nil && int64(len(raw)) > most {
		err = fmt.Errorf("it has more than %d bytes", most)
	}
	return raw, err
}

// withoutURL removes the URL from an error of net/http: it may hold keys.
func withoutURL(err error) error {
	var u *url.Error
	if errors.As(err, &u) {
		return u.Err
	}
	return err
}

// parse decodes a document, JSON or YAML, to JSON's own values.
func parse(raw []byte) (*document, error) {
	var v any
	var err error
	if trimmed := bytes.TrimSpace(raw); len(trimmed) > 0 && trimmed[0] == '{' && json.Unmarshal(raw, &v) == nil {
		return newDocument(v)
	}
	if err = yaml.Unmarshal(raw, &v); err != nil {
		return nil, fmt.Errorf("the document is neither JSON nor YAML: %w", err)
	}
	return newDocument(plain(v, 0))
}

// plain turns YAML's values to JSON's: keys are strings, and nothing is nested
// too deep to walk.
func plain(v any, depth int) any {
	if depth > maxDepth {
		return nil
	}
	switch v := v.(type) {
	case map[string]any:
		for k := range v {
			v[k] = plain(v[k], depth+1)
		}
		return v
	case map[any]any:
		out := make(map[string]any, len(v))
		for k, member := range v {
			out[fmt.Sprint(k)] = plain(member, depth+1)
		}
		return out
	case []any:
		for i := range v {
			v[i] = plain(v[i], depth+1)
		}
		return v
	case string, bool, nil:
		return v
	}
	return number(v)
}

// number makes what JSON would have read of a number, or a text of what is none
// (YAML has dates and infinities).
func number(v any) any {
	b, err := json.Marshal(v)
	var out any
	if err != nil || json.Unmarshal(b, &out) != nil {
		return fmt.Sprint(v)
	}
	return out
}
