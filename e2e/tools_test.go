//go:build linux

package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Programs call the operations of an HTTP service, with parameters checked
// before, and errors told apart by their codes.
func TestToolsOpenAPI(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	d := s.start(t, newBase(t), "policy:\n  - deny: shop/close_*\n  - allow: \"*\"\n")
	d.wantStdout(t, lines("const tools = reeve.services.shop.tools;", "console.log(await tools.get_pet({ id: 7 }));", "console.log(await tools.get_pet.invoke({ id: 8 }));",
		"console.log((await cyrnel.services.shop.tools.create_pet({ name: 'Ann', age: 3 })).name);", "console.log(await tools.echo({ a: [1, { b: null }], é: 'ü' }));"),
		"{ id: 7, name: 'Rex', path: '/pets/7' }\n{ id: 7, name: 'Rex', path: '/pets/8' }\nRex\n{ a: [ 1, { b: null } ], 'é': 'ü' }\n")
	if got, want := s.called(), []string{"GET /pets/7", "GET /pets/8", `POST /pets  {"age":3,"name":"Ann"}`, `POST /echo  {"a":[1,{"b":null}],"é":"ü"}`}; !slices.Equal(got, want) {
		t.Errorf("the service was called %q, want %q", got, want)
	}
	before := len(s.called())
	for call, want := range map[string][2]string{
		"shop.tools.get_pet({ id: 'seven' })":                {"invalid_params", "id"},
		"shop.tools.get_pet({})":                             {"invalid_params", "id"},
		"shop.tools.get_pet()":                               {"invalid_params", ""},
		"shop.tools.get_pet(7)":                              {"invalid_params", ""},
		"shop.tools.get_pet([7])":                            {"invalid_params", ""},
		"shop.tools.get_pet({ id: 1.5 })":                    {"invalid_params", "id"},
		"shop.tools.create_pet({ name: '' })":                {"invalid_params", "name"},
		"shop.tools.create_pet({ name: 'x', age: -1 })":      {"invalid_params", "age"},
		"shop.tools.create_pet({ name: 'x', extra: 'yes' })": {"invalid_params", "extra"},
		"shop.tools.close_shop({})":                          {"denied", "shop/close_"},
		"shop.tools.nothing({})":                             {"not_found", "nothing"},
		"nobody.tools.nothing({})":                           {"not_found", "nobody"},
		"shop.tools['../pets']({})":                          {"not_found", ""},
		"shop.tools['constructor']({})":                      {"", ""},
		"constructor.tools.constructor({})":                  {"", ""},
		"__proto__.tools.x({})":                              {"", ""},
	} {
		rec := d.ts(t, "try { await reeve.services."+call+"; console.log('done') } catch (e) { console.log(e instanceof Error, e.code, e.message, typeof e.stack) }", block).wantEnd(t, "success")
		out := rec.str("stdout")
		if !strings.HasPrefix(out, "true "+want[0]) || !strings.Contains(out, want[1]) || !strings.HasSuffix(out, " string\n") {
			t.Errorf("%s: %q, want an Error of the code %s about %s", call, out, want[0], want[1])
		}
	}
	if after := s.called(); len(after) != before {
		t.Errorf("calls that were refused reached the service: %q", after[before:])
	}
	fail := d.wantStdout(t, "try { await reeve.services.shop.tools.fail() } catch (e) { console.log(e.code) }", "http_418\n")
	wantOrder(t, d.events(t, fail.id()), "process_started", "tool_called", "tool_returned", "finalized")
	uncaught := d.ts(t, "\nawait reeve.services.shop.tools.nothing()", block).wantEnd(t, "failed")
	if !strings.Contains(uncaught.str("error"), "nothing") || !strings.Contains(uncaught.str("stderr"), ":2:") {
		t.Errorf("error %v, stderr %q", uncaught["error"], uncaught.str("stderr"))
	}
}

// Twenty calls are under way at the same time: each waits for the others.
func TestToolsAtOnce(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	d := s.start(t, newBase(t), "", "--concurrency", "typescript=1")
	d.wantStdout(t, "const all = await Promise.all(Array.from({ length: 20 }, () => reeve.services.shop.tools.meet({ n: 20 }))); console.log(all.length, all.every((a) => a.met))", "20 true\n")
}

// options.tools narrows what the policy allows and never widens it.
func TestToolsOfAProcess(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	d := s.start(t, newBase(t), "policy:\n  - deny: shop/close_*\n")
	code := "for (const call of [() => reeve.services.shop.tools.get_pet({ id: 1 }), () => reeve.services.shop.tools.close_shop()]) await call().then(() => console.log('ok'), (e: any) => console.log(e.code))"
	for tools, want := range map[string]string{`["shop/get_*"]`: "ok\ndenied\n", `["*"]`: "ok\ndenied\n", `["shop/*"]`: "ok\ndenied\n", `[]`: "denied\ndenied\n", `["shop/close_shop"]`: "denied\ndenied\n", `["other/*"]`: "denied\ndenied\n"} {
		d.wantStdout(t, code, want, m{"options": m{"tools": json.RawMessage(tools)}})
	}
	d.wantStdout(t, code, "ok\ndenied\n")
	d.wantStdout(t, "const { tools } = await reeve.services.reeve.tools.search({ query: 'pet' }); console.log(tools.map((x) => x.service + '/' + x.name).sort().join())",
		"shop/get_pet\n", m{"options": m{"tools": []string{"shop/get_*", "reeve/search"}}})
}

// The credentials of a service are nowhere but on its wire.
func TestToolsCredentials(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	base := newBase(t)
	d := s.start(t, base, "", "--log-level", "debug")
	feed := d.follow(t, "/events", nil)
	code := lines("const tools = reeve.services.shop.tools;", "console.log(await tools.get_pet({ id: 1 }), JSON.stringify(await tools.leak()));", "reeve.output({ leak: await tools.leak() });",
		"await tools.fail().catch((e) => console.log(e.message, e.stack, JSON.stringify(e)));", "await tools.get_pet({ id: 'x' }).catch((e) => console.error(e));",
		"console.log(JSON.stringify(await reeve.services.reeve.tools.search({})));", "await tools.fail();")
	rec := d.ts(t, code, block).wantEnd(t, "failed")
	hold := d.runs(t, "await new Promise(() => setTimeout(() => {}, 1e6))")
	pid := d.startedPID(t, hold)
	seen := map[string]string{}
	for _, file := range []string{"environ", "cmdline"} {
		content, err := os.ReadFile(fmt.Sprintf("/proc/%d/%s", pid, file))
		if err != nil {
			t.Error(err)
		}
		seen["the child's "+file] = string(content)
	}
	d.kill(t, hold, block)
	for i, ev := range feed.until("finalized", kind("finalized")) {
		seen[fmt.Sprintf("event %d", i)] = mustJSON(t, ev)
	}
	for _, route := range []string{path(rec.id(), ""), path(rec.id(), "/stdout"), path(rec.id(), "/stderr"), path(rec.id(), "/output"), path(rec.id(), "/events"), path(rec.id(), "/tree"), path(rec.id(), "/runs"),
		"/tools", "/tools?query=leak", "/tools/shop/leak", "/services", "/environments/typescript/docs", "/metrics", "/processes?include=code,output,stdout,stderr", "/version", "/approvals", "/openapi.json"} {
		seen[route] = string(d.get(t, route).want(t, 200).body)
	}
	for _, args := range [][]string{{"tools"}, {"tools", "--json"}, {"tools", "show", "shop/leak"}, {"tools", "services", "--json"}, {"doctor"}, {"show", itoa(rec.id())}, {"logs", itoa(rec.id())}} {
		got := d.reeve(t, "", args...)
		seen["reeve "+strings.Join(args, " ")] = got.stdout + got.stderr
	}
	for _, problem := range d.end() {
		t.Error(problem)
	}
	for _, file := range filesIn(base) {
		if content, err := os.ReadFile(file); err == nil && filepath.Base(file) != "tools.yaml" {
			seen[file] = string(content)
		}
	}
	seen["the daemon's log"] = d.log.String()
	s.wantUnheard(t, seen)
}

// A service that is not there is unavailable, keeps nobody from working, and is
// found again.
func TestToolsUnavailable(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	base := newBase(t)
	writeFile(t, base, "shop.yaml", shopDocument)
	file := writeFile(t, base, "tools.yaml", s.services()+"  gone:\n    adapter: mcp\n    command: [./no-such-program]\n  away:\n    adapter: openapi\n    document: shop.yaml\n    url: http://127.0.0.1:1\n")
	d := startRealIn(t, base, s.variables(), "--tools", file)
	waitFor(t, "the services", func() bool {
		services := map[string]m{}
		for _, service := range d.get(t, "/services").want(t, 200).json(t).list("services") {
			services[service.str("name")] = service
		}
		return services["gone"].str("state") == "unavailable" && services["gone"].str("error") != "" && services["shop"].str("state") == "ready"
	})
	d.wantStdout(t, "await reeve.services.gone.tools.x({}).catch((e) => console.log(e.code)); await reeve.services.away.tools.get_pet({ id: 1 }).catch((e) => console.log(e.code)); console.log((await reeve.services.shop.tools.get_pet({ id: 1 })).id)",
		"unavailable\nunavailable\n7\n")
}

// A tool file with a mistake keeps the daemon from starting and says where.
func TestToolFileMistakes(t *testing.T) {
	t.Parallel()
	binary, err := realBinary()
	if err != nil {
		t.Fatal(err)
	}
	for content, says := range map[string]string{
		"services:\n  a:\n    adapter: nothing\n": "3", "services:\n  a: {adapter: openapi, documents: x}\n": "documents", "services:\n  reeve: {adapter: mcp, command: [x]}\n": "reeve",
		"services:\n  a: {adapter: mcp, command: [x], env: {A: \"${NOT_SET_ANYWHERE}\"}}\n": "NOT_SET_ANYWHERE", "policy:\n  - maybe: x/y\n": "maybe", "policy:\n  - allow: a/b/c\n": "a/b/c", "services: [\n": "",
		"services:\n  \"a b\": {adapter: mcp, command: [x]}\n": "a b", "nothing: 1\n": "nothing",
	} {
		base := newBase(t)
		cmd := exec.Command(binary, "serve", "--listen", "none", "--tools", writeFile(t, base, "tools.yaml", content))
		cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + base, "REEVE_DATA=" + filepath.Join(base, "data")}
		out, err := cmd.CombinedOutput()
		if err == nil || !strings.Contains(string(out), says) || !strings.Contains(string(out), "tools.yaml") {
			t.Errorf("%q: %v\n%s", content, err, out)
		}
	}
}
