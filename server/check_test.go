package server_test

import (
	"strings"
	"testing"

	"github.com/reeverun/reeve"
	"github.com/reeverun/reeve/server"
)

// What a client gets wrong is named, and never a 500.
func TestBadBodies(t *testing.T) {
	ts := serve(t, reeve.Config{}, server.Config{MaxBody: 4096})
	for body, want := range map[string]string{
		``:                                      "body: is empty",
		`{`:                                     "body: is not JSON",
		`{"code":""} x`:                         "body: is not JSON",
		`[]`:                                    "body: is a list: want an object",
		`null`:                                  "body: is null: want an object",
		`"code"`:                                "body: is a string",
		`{}`:                                    "code: is missing",
		`{"code":null}`:                         "code: is missing",
		`{"code":1}`:                            "code: is a number: want a string",
		`{"code":"","Code":""}`:                 "Code: is not a field: did you mean code?",
		`{"code":"","nope":1}`:                  "nope: is not a field",
		`{"code":"","ref":" "}`:                 "ref: is empty",
		`{"code":"","ref":5}`:                   "ref: is a number",
		`{"code":"","block":"yes"}`:             "block: is a string: want true or false",
		`{"code":"","tags":["a",1]}`:            "tags[1]: is a number",
		`{"code":"","tags":[""]}`:               "tags: holds an empty tag",
		`{"code":"","parent":0}`:                "parent: 0 is too small",
		`{"code":"","parent":77}`:               "parent: there is no process 77",
		`{"code":"","priority":1e300}`:          "priority: 1e+300 is too large",
		`{"code":"","interpreter":"no"}`:        "interpreter",
		`{"code":"","rawOutput":"all"}`:         `rawOutput: "all" is not possible: want persist`,
		`{"code":"","options":[]}`:              "options: is a list: want an object",
		`{"code":"","options":{"timeout":0}}`:   "options.timeout: 0 is too small",
		`{"code":"","options":{"timeout":1.5}}`: "options.timeout: is the number 1.5: want a whole number",
		`{"code":"","options":{"timeout":"1000"}}`:                                                        "options.timeout: is a string",
		`{"code":"","options":{"timeout":1,"timeoutMs":2}}`:                                               "options.timeoutMs: and timeout differ",
		`{"code":"","options":{"model":"x"}}`:                                                             "options.model: is for agents",
		`{"code":"","command":{"program":"x"}}`:                                                           "command: is for the environment command",
		`{"environment":"command"}`:                                                                       "command: is missing",
		`{"environment":"command","command":{}}`:                                                          "command.program: is missing",
		`{"environment":"command","command":{"program":""}}`:                                              "command.program: is empty",
		`{"environment":"command","command":{"program":"x","argv":[]}}`:                                   "command.argv: is not a field",
		`{"environment":"command","command":{"program":"x","stdinBase64":"!"}}`:                           "command.stdinBase64: is not base64",
		`{"environment":"command","command":{"program":"x","stdin":"","stdinBase64":""}}`:                 "command.stdin: and stdinBase64 exclude",
		`{"environment":"command","command":{"program":"x","env":{"K":1}}}`:                               "command.env.K: is a number",
		`{"environment":"command","command":{"program":"x","window":{"rows":1,"cols":1}}}`:                "command.window: is the size of a terminal",
		`{"environment":"command","command":{"program":"x","pty":true,"window":{"rows":0,"cols":1}}}`:     "command.window.rows: 0 is too small",
		`{"environment":"command","command":{"program":"x","pty":true,"window":{"rows":1,"cols":65536}}}`: "command.window.cols",
		`{"environment":"command","command":{"program":"x","pty":true,"window":{"rows":1}}}`:              "command.window.cols: is missing",
		`{"environment":"command","command":{"program":"x","pty":true,"stdinOpen":true}}`:                 "command.stdinOpen: is for a program without a pty",
		`{"environment":"command","command":{"program":"x","stdin":"","stdinOpen":true}}`:                 "command.stdinOpen: and stdin exclude",
		`{"environment":"command","command":{"program":"x"},"code":"y"}`:                                  "command: and code exclude each other",
	} {
		r := do(t, ts, "POST", "/processes", body)
		if r.status != 400 || r.json(t)["code"] != "invalid_request" || !strings.Contains(r.json(t)["error"].(string), want) {
			t.Errorf("%s: %d %s, want %q", body, r.status, r.body, want)
		}
	}
	if r := do(t, ts, "POST", "/processes", `{"code":"`+strings.Repeat("x", 5000)+`"}`); r.status != 413 || r.json(t)["code"] != "too_large" {
		t.Errorf("%d %s", r.status, r.body)
	}
	if r := do(t, ts, "POST", "/processes", `{"environment":"elsewhere","code":""}`); r.status != 503 || r.json(t)["code"] != "environment_unavailable" {
		t.Errorf("%d %s", r.status, r.body)
	}
	if r := do(t, ts, "GET", "/processes", ""); len(r.json(t)["processes"].([]any)) != 0 {
		t.Errorf("something was created: %s", r.body)
	}
}

func TestBadQueries(t *testing.T) {
	ts := serve(t, reeve.Config{}, server.Config{})
	for path, want := range map[string]string{
		"/processes?state=odd":                 `state: "odd" is not possible: want one of idle, queued, running, terminating`,
		"/processes?status=x":                  "success, failed, timeout, canceled, null",
		"/processes?ref=%20":                   "ref: is blank",
		"/processes?tag=":                      "tag: is blank",
		"/processes?limit=0":                   "limit: 0 is too small",
		"/processes?limit=1001":                "limit: 1001 is too large",
		"/processes?limit=x":                   "limit",
		"/processes?since=yesterday":           "since",
		"/processes?parent=-1":                 "parent",
		"/processes?cursor=x":                  "cursor",
		"/processes?include=secrets":           "include",
		"/processes?colour=red":                "colour: is not a parameter",
		"/processes?state=idle&state=idle":     "state: is given 2 times",
		"/processes?state=%zz":                 "query",
		"/processes/0":                         "id",
		"/processes/-1":                        "id",
		"/processes/1x":                        "id",
		"/processes/007":                       "id",
		"/processes/%20":                       "id",
		"/processes/":                          "id",
		"/processes/99999999999999999999":      "id",
		"/mci/processes/abc":                   "pid",
		"/processes/1/events?after=x":          "after",
		"/processes/1/events?after=-1":         "after",
		"/events?after=x":                      "after",
		"/events?kind=odd":                     "kind",
		"/processes/1/stdout?follow=maybe":     "follow",
		"/processes/1/runs/0":                  "run",
		"/processes/1/runs/x/stdout":           "run",
		"/processes/1/stdout?follow=1&offset=": "offset",
	} {
		r := do(t, ts, "GET", path, "")
		if strings.Contains(path, "/runs/") && r.status == 404 {
			continue // no such process: either is true
		}
		if r.status != 400 || r.json(t)["code"] != "invalid_request" || !strings.Contains(r.json(t)["error"].(string), want) {
			t.Errorf("%s: %d %s, want %q", path, r.status, r.body, want)
		}
	}
}

func TestHostAndOrigin(t *testing.T) {
	ts := serve(t, reeve.Config{}, server.Config{AllowHosts: []string{"reeve.example"}})
	for _, c := range []struct {
		name, value string
		want        int
	}{
		{"Host", "localhost", 200}, {"Host", "LOCALHOST:80", 200}, {"Host", "127.0.0.1", 200}, {"Host", "[::1]:7338", 200},
		{"Host", "app.localhost:1", 200}, {"Host", "reeve.example:7338", 200}, {"Host", "evil.example", 403},
		{"Host", "localhost.evil.example", 403}, {"Host", "10.0.0.1", 403}, {"Host", "127.0.0.1.evil.example", 403},
		{"Origin", "http://evil.example", 403}, {"Origin", "null", 403}, {"Origin", "http://localhost:1", 403},
		{"Origin", "https://reeve.example", 200}, {"Origin", "file:///x", 403}, {"Origin", ts.URL, 200},
	} {
		if r := do(t, ts, "GET", "/processes", "", c.name, c.value); r.status != c.want {
			t.Errorf("%s: %s gives %d, want %d", c.name, c.value, r.status, c.want)
		} else if r.header.Get("Access-Control-Allow-Origin") != "" {
			t.Error("there is a CORS header")
		}
	}
}
