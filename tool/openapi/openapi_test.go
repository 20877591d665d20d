package openapi_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/reeverun/reeve/process"
	"github.com/reeverun/reeve/tool"
	"github.com/reeverun/reeve/tool/openapi"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// mirror answers with what it was asked, credentials and all.
func mirror(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(map[string]any{
		"method": r.Method, "uri": r.RequestURI, "headers": r.Header, "body": string(body),
	})
}

type mirrored struct {
	Method, URI, Body string
	Headers           http.Header
}

// api serves handler on loopback.
func api(t *testing.T, handler http.HandlerFunc) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(handler)
	t.Cleanup(s.Close)
	return s
}

// open makes a registry with one service "pets".
func open(t *testing.T, cfg openapi.Config) *tool.Registry {
	t.Helper()
	r := tool.New(tool.Config{})
	if err := r.Add("pets", openapi.New(cfg)); err != nil {
		t.Fatal(err)
	}
	r.Start(t.Context())
	t.Cleanup(func() { _ = r.Close() })
	if err := r.Ready(t.Context()); err != nil {
		t.Fatal(err)
	}
	return r
}

func call(t *testing.T, r *tool.Registry, name, params string) (string, error) {
	t.Helper()
	c := process.ToolCall{Service: "pets", Tool: name, Params: json.RawMessage(params)}
	if _, err := r.Check(t.Context(), c); err != nil {
		return "", err
	}
	out, err := r.Call(t.Context(), c)
	return string(out), err
}

func seen(t *testing.T, r *tool.Registry, name, params string) mirrored {
	t.Helper()
	out, err := call(t, r, name, params)
	if err != nil {
		t.Fatalf("%s(%s): %v", name, params, err)
	}
	var m mirrored
	if err := json.Unmarshal([]byte(out), &m); err != nil {
		t.Fatalf("%s: %v", out, err)
	}
	return m
}

func wantCode(t *testing.T, err error, code, part string) {
	t.Helper()
	var said *process.ToolError
	if !errors.As(err, &said) || said.Code != code || !strings.Contains(said.Message, part) {
		t.Errorf("got %v (%T), want %s with %q", err, err, code, part)
	}
}

const petsYAML = `
openapi: 3.0.3
info: {title: Pets, description: All about pets.}
paths:
  /pets:
    parameters:
      - {name: X-Trace, in: header, schema: {type: string}}
    get:
      operationId: listPets
      summary: List pets
      parameters:
        - {name: limit, in: query, schema: {type: integer, minimum: 0, exclusiveMinimum: true}}
        - {name: tags, in: query, schema: {type: array, items: {type: string}}}
        - {name: ids, in: query, explode: false, schema: {type: array, items: {type: integer}}}
        - {name: pipes, in: query, style: pipeDelimited, explode: false, schema: {type: array, items: {type: string}}}
        - {name: filter, in: query, style: deepObject, schema: {type: object, additionalProperties: {type: string}}}
        - {name: free, in: query, schema: {type: object, additionalProperties: {type: string}}}
        - {name: q, in: query, content: {application/json: {schema: {type: object}}}}
        - {name: api_key, in: query, required: true, schema: {type: string}}
        - {name: session, in: cookie, schema: {type: string}}
        - {name: Authorization, in: header, schema: {type: string}}
      responses:
        200: {description: ok, content: {application/json: {schema: {type: array, items: {$ref: '#/components/schemas/Pet'}}}}}
    post:
      operationId: create pet!
      requestBody:
        required: true
        content: {application/json: {schema: {$ref: '#/components/schemas/Pet'}}}
      responses: {201: {description: made}}
  /pets/{petId}:
    get:
      parameters: [{$ref: '#/components/parameters/petId'}]
      responses: {200: {description: ok}}
    put:
      operationId: replace
      parameters: [{$ref: '#/components/parameters/petId'}, {name: name, in: query, schema: {type: string}}]
      requestBody: {content: {application/json: {schema: {$ref: '#/components/schemas/Pet'}}}}
      responses: {200: {description: ok}}
  /files/{path}/{matrix}/{label}:
    post:
      operationId: files
      parameters:
        - {name: matrix, in: path, required: true, style: matrix, explode: true, schema: {type: array, items: {type: string}}}
        - {name: label, in: path, required: true, style: label, schema: {type: array, items: {type: string}}}
      requestBody: {content: {text/plain: {schema: {type: string}}}}
      responses: {200: {description: ok}}
  /form:
    post:
      operationId: form
      requestBody: {content: {application/x-www-form-urlencoded: {schema: {type: object, properties: {a: {type: string}, b: {type: array, items: {type: integer}}}}}}}
      responses: {200: {description: ok}}
  /list:
    post:
      operationId: list
      requestBody: {required: true, content: {application/vnd.pets+json: {schema: {type: array, items: {type: integer}}}}}
      responses: {200: {description: ok}}
components:
  parameters:
    petId: {name: petId, in: path, required: true, schema: {type: string}}
  schemas:
    Pet:
      type: object
      required: [id, name]
      properties:
        id: {type: integer, readOnly: true}
        name: {type: string}
        mood: {type: string, nullable: true, enum: [good, bad]}
        parent: {$ref: '#/components/schemas/Pet'}
`

func petsFile(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "pets.yaml")
	if err := os.WriteFile(path, []byte(petsYAML), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestRequests(t *testing.T) {
	server := api(t, mirror)
	r := open(t, openapi.Config{Document: petsFile(t), URL: server.URL + "/v1/", Query: map[string]process.Secret{"api_key": "k3y-value"}})
	for _, c := range []struct{ tool, params, method, uri, body string }{
		{"listPets", ``, "GET", "/v1/pets?api_key=•••", ""},
		{"listPets", `{"limit":5,"tags":["a b","c&d"],"ids":[1,2],"pipes":["x","y"]}`, "GET", "/v1/pets?limit=5&tags=a+b&tags=c%26d&ids=1,2&pipes=x%7Cy&api_key=•••", ""},
		{"listPets", `{"filter":{"a":"1","b":"2"},"q":{ "z": 1 }}`, "GET", "/v1/pets?filter%5Ba%5D=1&filter%5Bb%5D=2&q=%7B%22z%22%3A1%7D&api_key=•••", ""},
		{"listPets", `{"free":{"api_key":"forged","x":"1"}}`, "GET", "/v1/pets?x=1&api_key=•••", ""},
		{"create_pet_", `{"name":"Rex","mood":null}`, "POST", "/v1/pets?api_key=•••", `{"mood":null,"name":"Rex"}`},
		{"get_pets_petId", `{"petId":"a/b?c#d ä%2f"}`, "GET", "/v1/pets/a%2Fb%3Fc%23d%20%C3%A4%252f?api_key=•••", ""},
		{"replace", `{"petId":"1","name":"in-query","body":{"name":"in-body"}}`, "PUT", "/v1/pets/1?name=in-query&api_key=•••", `{"name":"in-body"}`},
		{"files", `{"path":"x","matrix":["a","b"],"label":["c","d"],"body":"plain"}`, "POST", "/v1/files/x/;matrix=a;matrix=b/.c,d?api_key=•••", "plain"},
		{"form", `{"a":"x y","b":[1,2]}`, "POST", "/v1/form?api_key=•••", "a=x+y&b=1&b=2"},
		{"list", `{"body":[1,2]}`, "POST", "/v1/list?api_key=•••", "[1,2]"},
	} {
		m := seen(t, r, c.tool, c.params)
		if m.Method != c.method || m.URI != c.uri || m.Body != c.body {
			t.Errorf("%s(%s): %s %s %q, want %s %s %q", c.tool, c.params, m.Method, m.URI, m.Body, c.method, c.uri, c.body)
		}
	}
	if got := seen(t, r, "list", `{"body":[]}`).Headers.Get("Content-Type"); got != "application/vnd.pets+json" {
		t.Errorf("content type %s", got)
	}
	if got := seen(t, r, "listPets", `{"X-Trace":"t1"}`).Headers.Get("X-Trace"); got != "t1" {
		t.Errorf("header %q", got)
	}
}

func TestParametersAreRefused(t *testing.T) {
	server := api(t, func(w http.ResponseWriter, r *http.Request) { t.Errorf("%s was sent", r.RequestURI) })
	r := open(t, openapi.Config{Document: petsFile(t), URL: server.URL, Query: map[string]process.Secret{"api_key": "k3y-value"}})
	for _, c := range []struct{ tool, params, said string }{
		{"listPets", `{"limit":0}`, "params.limit: expected more than 0"},
		{"listPets", `{"limit":"5"}`, "params.limit: expected integer"},
		{"listPets", `{"api_key":"mine"}`, `does not know "api_key"`},
		{"listPets", `{"Authorization":"mine"}`, `does not know "Authorization"`},
		{"listPets", `{"session":"mine"}`, `does not know "session"`},
		{"listPets", `{"X-Trace":"a\r\nHost: evil"}`, "must not contain control characters"},
		{"create_pet_", `{}`, `lacks "name"`},
		{"create_pet_", `{"name":"Rex","mood":"so so"}`, "params.mood: expected one of"},
		{"create_pet_", `{"name":"Rex","parent":{"name":1}}`, "params.parent.name: expected string"},
		{"get_pets_petId", `{}`, `lacks "petId"`},
		{"get_pets_petId", `{"petId":".."}`, "cannot stand in a path"},
		{"get_pets_petId", `{"petId":"."}`, "cannot stand in a path"},
		{"get_pets_petId", `{"petId":""}`, "cannot stand in a path"},
	} {
		_, err := call(t, r, c.tool, c.params)
		wantCode(t, err, process.ToolInvalid, c.said)
	}
}

func TestResults(t *testing.T) {
	server := api(t, func(w http.ResponseWriter, r *http.Request) {
		status, contentType, body := 200, r.URL.Query().Get("type"), r.URL.Query().Get("body")
		_, _ = fmt.Sscan(r.URL.Query().Get("status"), &status)
		if contentType != "" {
			w.Header().Set("Content-Type", contentType)
		}
		if location := r.URL.Query().Get("to"); location != "" {
			w.Header().Set("Location", location)
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	})
	doc := `{"openapi":"3.1.0","info":{"title":"t"},"servers":[{"url":"` + server.URL + `"}],"paths":{"/":{"get":{"operationId":"get","parameters":[` +
		`{"in":"query","name":"status"},{"in":"query","name":"type"},{"in":"query","name":"body"},{"in":"query","name":"to"}]}}}}`
	r := open(t, openapi.Config{Data: []byte(doc), MaxResponse: 5000})
	for _, c := range []struct{ status, contentType, body, want, code, said string }{
		{"200", "application/json", `{"a": 1}`, `{"a": 1}`, "", ""},
		{"200", "application/problem+json; charset=utf-8", `[1]`, `[1]`, "", ""},
		{"200", "application/json", `{"a"`, "", process.ToolFailed, "not JSON"},
		{"200", "text/plain", `{"a":1}`, `"{\"a\":1}"`, "", ""},
		{"204", "", ``, `null`, "", ""},
		{"200", "text/plain", strings.Repeat("x", 5001), "", process.ToolFailed, "more than 5000 bytes"},
		{"404", "application/json", `{"message":"no such pet"}`, "", "http_404", "the server answered 404 Not Found: no such pet"},
		{"400", "application/json", `{"error":{"message":"inner"}}`, "", "http_400", ": inner"},
		{"400", "application/problem+json", `{"title":"T","detail":"D"}`, "", "http_400", ": D"},
		{"500", "text/plain", strings.Repeat("long ", 900), "", "http_500", "…"},
		{"502", "text/html", "<html>secret page</html>", "", "http_502", "Bad Gateway"},
	} {
		params, _ := json.Marshal(map[string]string{"status": c.status, "type": c.contentType, "body": c.body})
		got, err := call(t, r, "get", string(params))
		if c.code != "" {
			wantCode(t, err, c.code, c.said)
			if err != nil && len(err.Error()) > 1200 {
				t.Errorf("an error of %d bytes", len(err.Error()))
			}
		} else if got != c.want || err != nil {
			t.Errorf("%+v: %s, %v", c, got, err)
		}
	}
}

func TestBinary(t *testing.T) {
	server := api(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "image/png")
		_, _ = w.Write([]byte{0xff, 0xfe})
	})
	r := open(t, openapi.Config{Document: petsFile(t), URL: server.URL})
	if got, err := call(t, r, "form", "{}"); got != `{"base64":"//4=","contentType":"image/png"}` || err != nil {
		t.Error(got, err)
	}
}

// A redirect within the server is followed, one to another host is not, and
// credentials go nowhere else.
func TestRedirects(t *testing.T) {
	elsewhere := api(t, func(_ http.ResponseWriter, r *http.Request) { t.Errorf("redirected with %v", r.Header) })
	var to string
	server := api(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/form" {
			http.Redirect(w, r, to, http.StatusTemporaryRedirect)
			return
		}
		mirror(w, r)
	})
	r := open(t, openapi.Config{Document: petsFile(t), URL: server.URL, Bearer: "t0ken-value"})
	to = elsewhere.URL + "/take"
	_, err := call(t, r, "form", `{"a":"1"}`)
	wantCode(t, err, "http_307", "not followed to other hosts")
	to = "/here"
	if m := seen(t, r, "form", `{"a":"1"}`); m.URI != "/here" || m.Body != "a=1" {
		t.Errorf("got %+v", m)
	}
	to = "/form" // for ever
	_, err = call(t, r, "form", `{"a":"1"}`)
	wantCode(t, err, "http_307", "")
}

// Whatever a server echoes, no credential comes back.
func TestCredentialsStay(t *testing.T) {
	secrets := []string{"t0ken-value", "k3y/va+lue", "pa55word", "h3ader-value", "fr0m-env", "s3ssion"}
	server := api(t, func(w http.ResponseWriter, r *http.Request) {
		dump := fmt.Sprintf("%s %v", r.RequestURI, r.Header)
		user, password, _ := r.BasicAuth()
		dump += user + password
		switch r.URL.Path {
		case "/form":
			w.WriteHeader(500)
			_, _ = io.WriteString(w, strings.Repeat("x", 1010)+dump) // cut within it
		case "/list":
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(401)
			_ = json.NewEncoder(w).Encode(map[string]any{"message": dump})
		case "/pets":
			conn, _, _ := w.(http.Hijacker).Hijack()
			conn.Close()
		default:
			mirror(w, r)
		}
	})
	u, _ := url.Parse(server.URL)
	for name, cfg := range map[string]openapi.Config{
		"headers": {URL: server.URL, Headers: map[string]process.Secret{"X-Api-Key": "h3ader-value", "Cookie": "s3ssion"}, Secrets: []process.Secret{"fr0m-env"}},
		"bearer":  {URL: server.URL, Bearer: "t0ken-value", Query: map[string]process.Secret{"api_key": "k3y/va+lue"}},
		"basic":   {URL: server.URL, Basic: &openapi.Basic{User: "me", Password: "pa55word"}},
		"url":     {URL: "http://me:pa55word@" + u.Host},
	} {
		cfg.Document = petsFile(t)
		r := open(t, cfg)
		var all []string
		for _, c := range [][2]string{{"form", `{"a":"fr0m-env"}`}, {"list", `{"body":[]}`}, {"listPets", "{}"}, {"get_pets_petId", `{"petId":"fr0m-env"}`}} {
			out, err := call(t, r, c[0], c[1])
			all = append(all, out, fmt.Sprint(err))
		}
		all = append(all, fmt.Sprintf("%v %+v %#v %v %+v", cfg, cfg, cfg, openapi.New(cfg), cfg.Headers), fmt.Sprintf("%+v", r.Services()), fmt.Sprintf("%+v", r.Tools("")))
		for _, text := range all {
			for _, s := range append(secrets, "bWU6cGE1NXdvcmQ") {
				if s == "fr0m-env" && name != "headers" {
					continue
				}
				if strings.Contains(text, s) {
					t.Errorf("%s: %s in %s", name, s, text)
				}
			}
		}
	}
	// They do arrive.
	arrived := ""
	check := api(t, func(_ http.ResponseWriter, r *http.Request) {
		user, password, _ := r.BasicAuth()
		arrived = user + ":" + password
	})
	c, _ := url.Parse(check.URL)
	r := open(t, openapi.Config{Document: petsFile(t), URL: "http://me:pa55word@" + c.Host})
	if _, err := call(t, r, "form", "{}"); err != nil || arrived != "me:pa55word" {
		t.Error(arrived, err)
	}
}

func TestDocumentFromURL(t *testing.T) {
	var got http.Header
	server := api(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/openapi.yaml":
			got = r.Header
			_, _ = io.WriteString(w, strings.Replace(petsYAML, "paths:", "servers: [{url: /api}]\npaths:", 1))
		default:
			mirror(w, r)
		}
	})
	r := open(t, openapi.Config{Document: server.URL + "/openapi.yaml", Bearer: "t0ken-value"})
	if m := seen(t, r, "form", "{}"); m.URI != "/api/form" {
		t.Errorf("got %+v", m)
	}
	if got.Get("Authorization") != "" {
		t.Error("credentials were sent to where the document is, which nobody said is the API")
	}
	open(t, openapi.Config{Document: server.URL + "/openapi.yaml", URL: server.URL, Bearer: "t0ken-value"})
	if got.Get("Authorization") != "Bearer t0ken-value" {
		t.Error("credentials were not sent to the API")
	}
}

func TestBadDocuments(t *testing.T) {
	server := api(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(500) })
	for want, cfg := range map[string]openapi.Config{
		"has no document":                        {},
		"no such file":                           {Document: "/nonexistent/x.yaml"},
		"answered 500":                           {Document: server.URL + "/x?token=s3cret-value"},
		"Swagger 2.0: convert it":                {Data: []byte(`{"swagger":"2.0"}`)},
		"no openapi version":                     {Data: []byte(`{}`)},
		"is not supported":                       {Data: []byte(`openapi: 4.0.0`)},
		"neither JSON nor YAML":                  {Data: []byte("\t: {")},
		"it is no object":                        {Data: []byte(`[]`)},
		"it is not known where the API is: set ": {Data: []byte(`openapi: 3.0.0`)},
		"it is not known where":                  {Data: []byte(`{"openapi":"3.0.0","servers":[{"url":"https://{host}/"}]}`)},
	} {
		if _, err := openapi.New(cfg).Open(t.Context()); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "s3cret") {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

func TestSchemas(t *testing.T) {
	r := open(t, openapi.Config{Document: petsFile(t), URL: "http://127.0.0.1:1"})
	info, err := r.Tool("pets", "listPets")
	if err != nil {
		t.Fatal(err)
	}
	if info.Description != "List pets" || !strings.Contains(info.Declaration, "Promise<PetsListPetsPet[]>") || !strings.Contains(info.Declaration, "parent?: PetsListPetsPet;") || !strings.Contains(info.Declaration, `mood?: "good" | "bad" | null;`) {
		t.Errorf("got %s", info.Declaration)
	}
	_, err = call(t, r, "form", "{}")
	wantCode(t, err, process.ToolUnavailable, "the server cannot be reached")
}

func FuzzDocument(f *testing.F) {
	f.Add([]byte(petsYAML), []byte(`{"petId":"1"}`))
	f.Add([]byte(`{"openapi":"3.1.0","paths":{"/{a}{b}":{"get":{"parameters":[{"$ref":"#/paths"},{"in":"path","name":"a","schema":{"$ref":"#/x"}}]}}},"x":{"$ref":"#/x"}}`), []byte(`{"a":"1","b":[1]}`))
	f.Add([]byte("openapi: 3.0.0\npaths: {/a: &a {get: *a}}"), []byte(`{}`))
	f.Fuzz(func(t *testing.T, doc, params []byte) {
		a := openapi.New(openapi.Config{Data: doc, URL: "http://127.0.0.1:0", Transport: refused{}})
		service, err := a.Open(t.Context())
		if err != nil {
			return
		}
		for i, o := range service.Tools {
			if !tool.ValidName(o.Name) || !json.Valid(o.Params) || o.Result != nil && !json.Valid(o.Result) {
				t.Errorf("%+v", o)
			}
			if i < 5 {
				tool.Declaration("s", o)
				_, _ = a.Call(t.Context(), o.Name, params)
			}
		}
	})
}

// refused answers no request, but looks at it.
type refused struct{}

func (refused) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.Host != "127.0.0.1:0" {
		return nil, fmt.Errorf("sent to %s", r.URL.Host)
	}
	return nil, errors.New("refused")
}
