//go:build linux

package e2e

import (
	"strings"
	"testing"
)

// What is wrong with a body is said, by the field's name, and makes nothing.
func TestCreateRefuses(t *testing.T) {
	t.Parallel()
	d := start(t)
	for _, c := range []struct{ body, field string }{
		{`{}`, "code"}, {`{"code":null}`, "code"}, {`{"code":5}`, "code"}, {`{"code":["x"]}`, "code"}, {`{"code":{}}`, "code"}, {`{"code":true}`, "code"},
		{`{"code":"","ref":""}`, "ref"}, {`{"code":"","ref":"  \t"}`, "ref"}, {`{"code":"","ref":5}`, "ref"}, {`{"code":"","ref":["a"]}`, "ref"},
		{`{"code":"","autorun":"yes"}`, "autorun"}, {`{"code":"","autorun":1}`, "autorun"}, {`{"code":"","block":"true"}`, "block"}, {`{"code":"","block":0}`, "block"},
		{`{"code":"","environment":5}`, "environment"}, {`{"code":"","label":5}`, "label"}, {`{"code":"","tags":"ci"}`, "tags"}, {`{"code":"","tags":[1]}`, "tags"},
		{`{"code":"","parent":"1"}`, "parent"}, {`{"code":"","parent":0}`, "parent"}, {`{"code":"","parent":-1}`, "parent"}, {`{"code":"","parent":1.5}`, "parent"}, {`{"code":"","parent":987654321}`, "parent"},
		{`{"code":"","interpreter":5}`, "interpreter"}, {`{"code":"","interpreter":"no-such"}`, "interpreter"}, {`{"code":"","interpreter":"../x"}`, "interpreter"},
		{`{"code":"","priority":"high"}`, "priority"}, {`{"code":"","priority":1.5}`, "priority"}, {`{"code":"","rawOutput":"keep"}`, "rawOutput"}, {`{"code":"","rawOutput":1}`, "rawOutput"},
		{`{"code":"","options":[]}`, "options"}, {`{"code":"","options":"fast"}`, "options"}, {`{"code":"","options":{"speed":1}}`, "speed"}, {`{"code":"","options":{"model":"x"}}`, "model"},
		{`{"code":"","options":{"timeout":0}}`, "timeout"}, {`{"code":"","options":{"timeout":-1}}`, "timeout"}, {`{"code":"","options":{"timeout":1.5}}`, "timeout"},
		{`{"code":"","options":{"timeout":"1000"}}`, "timeout"}, {`{"code":"","options":{"timeout":true}}`, "timeout"}, {`{"code":"","options":{"timeout":1e30}}`, "timeout"}, {`{"code":"","options":{"timeoutMs":0}}`, "timeoutMs"},
		{`{"code":"","options":{"timeout":1,"timeoutMs":2}}`, "timeout"}, {`{"code":"","options":{"timeout":9223372036854775807}}`, "timeout"},
		{`{"code":"","options":{"grace":-1}}`, "grace"}, {`{"code":"","options":{"grace":"5s"}}`, "grace"}, {`{"code":"","options":{"drain":-1}}`, "drain"}, {`{"code":"","options":{"drain":0.5}}`, "drain"},
		{`{"code":"","timeout":5}`, "timeout"}, {`{"code":"","colour":"red"}`, "colour"}, {`{"code":"","Code":""}`, "Code"}, {`{"CODE":""}`, "CODE"}, {`{"code":"","id":5}`, "id"},
		{`{"code":"","command":{"program":"true"}}`, "command"}, {`{"environment":"fake","command":{"program":"true"}}`, "command"},
		{`{"environment":"command"}`, "command"}, {`{"environment":"command","code":"true","command":{"program":"true"}}`, "command"},
		{`{"environment":"command","command":"true"}`, "command"}, {`{"environment":"command","command":{}}`, "program"}, {`{"environment":"command","command":{"program":""}}`, "program"},
		{`{"environment":"command","command":{"program":5}}`, "program"}, {`{"environment":"command","command":{"program":"a\u0000b"}}`, "program"},
		{`{"environment":"command","command":{"program":"true","args":"x"}}`, "args"}, {`{"environment":"command","command":{"program":"true","args":[5]}}`, "args"}, {`{"environment":"command","command":{"program":"true","args":["\u0000"]}}`, "args"},
		{`{"environment":"command","command":{"program":"true","env":["A=b"]}}`, "env"}, {`{"environment":"command","command":{"program":"true","env":{"A":5}}}`, "env"},
		{`{"environment":"command","command":{"program":"true","env":{"":"x"}}}`, "env"}, {`{"environment":"command","command":{"program":"true","env":{"A=B":"x"}}}`, "env"}, {`{"environment":"command","command":{"program":"true","env":{"A":"\u0000"}}}`, "env"},
		{`{"environment":"command","command":{"program":"true","envClear":"no"}}`, "envClear"}, {`{"environment":"command","command":{"program":"true","cwd":5}}`, "cwd"},
		{`{"environment":"command","command":{"program":"true","stdin":5}}`, "stdin"}, {`{"environment":"command","command":{"program":"true","stdinBase64":"*"}}`, "stdinBase64"}, {`{"environment":"command","command":{"program":"true","stdin":"a","stdinBase64":"YQ=="}}`, "stdin"},
		{`{"environment":"command","command":{"program":"true","successCodes":0}}`, "successCodes"}, {`{"environment":"command","command":{"program":"true","successCodes":["0"]}}`, "successCodes"},
		{`{"environment":"command","command":{"program":"true","leftovers":"leave"}}`, "leftovers"}, {`{"environment":"command","command":{"program":"true","shell":true}}`, "shell"}, {`{"environment":"command","command":{"program":"true","mergeStreams":1}}`, "mergeStreams"},
		{`{"environment":"command","code":"true","options":{"jit":true}}`, "jit"}, {`{"environment":"command","code":"true","options":{"maxSteps":3}}`, "maxSteps"},
	} {
		d.post(t, "/processes", c.body).want(t, 400, "invalid_request").naming(t, c.field)
	}
	for _, body := range []string{``, ` `, `{`, `{"code":"x"`, `{"code":"x"}}`, `{"code":"x"} {"code":"y"}`, `{"code":"x"} x`, `[]`, `[{"code":"x"}]`, `"code"`, `5`, `true`, `null`,
		`{'code':'x'}`, `{"code":"x",}`, `{code:"x"}`, "{\"code\":\"\x01\"}", `{"code":"\x"}`, `{"code":"x"}` + "\x00", "\xff\xfe{}", "code=x",
		strings.Repeat("[", 100000), `{"options":` + strings.Repeat(`{"a":`, 50000), `{"code":1e999}`} {
		d.post(t, "/processes", body).want(t, 400, "invalid_request")
	}
	for _, query := range []string{"wait=x", "wait=-1", "wait=1.5"} {
		d.post(t, "/processes?"+query, m{"code": ""}).want(t, 400, "invalid_request").naming(t, "wait")
	}
	for _, name := range []string{"no-such", "Agent", "Command", "../fake"} {
		d.post(t, "/processes", m{"code": "", "environment": name}).want(t, 503, "environment_unavailable")
	}
	if got := d.get(t, "/processes").json(t).list("processes"); len(got) != 0 {
		t.Errorf("refused creates made %d processes: %v", len(got), got[0])
	}
	d.fake(t, "", m{"block": true}).wantEnd(t, "success") // and the daemon lives
}

// Values at the edge of the allowed.
func TestCreateAccepts(t *testing.T) {
	t.Parallel()
	d := shared(t)
	for _, body := range []string{
		`{"code":""}`, ` {"code" : "" } ` + "\n", `{"code":"","options":{}}`, `{"code":"","options":{"timeout":1}}`, `{"code":"","options":{"timeout":null}}`,
		`{"code":"","options":{"timeout":86400000}}`, `{"code":"","options":{"grace":0,"drain":0}}`, `{"code":"","tags":[]}`, `{"code":"","priority":-3}`,
		`{"code":"# \u00e4 \ud83d\ude00"}`, `{"code":"","environment":"fake"}`, `{"environment":"command","code":""}`,
	} {
		d.post(t, "/processes", body).want(t, 201)
	}
	a := d.do(t, request{method: "POST", path: "/processes", body: `{"code":"# é"}`, header: m{"Content-Type": "application/json; charset=utf-8"}}).want(t, 201)
	if got := d.get(t, path(a.json(t).id(), "/code")).want(t, 200).typed(t, "text/plain").body; string(got) != "# é" {
		t.Errorf("code %q", got)
	}
}
