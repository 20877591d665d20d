//go:build linux

package e2e

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A real MCP server from npm is a service, and its process ends with the daemon.
func TestToolsMCP(t *testing.T) {
	t.Parallel()
	needNPM(t)
	server, err := filepath.Abs("npm/node_modules/@modelcontextprotocol/server-everything/dist/index.js")
	if err != nil {
		t.Fatal(err)
	}
	s := newShop(t)
	d := s.start(t, newBase(t), fmt.Sprintf("  everything:\n    adapter: mcp\n    command: [node, %q, stdio]\n    env: {SECRET: \"${SHOP_KEY}\"}\npolicy:\n  - deny: everything/get-sum\n", server))
	d.wantStdout(t, "console.log(await reeve.services.everything.tools.echo({ message: 'hello' }))", "Echo: hello\n")
	d.wantStdout(t, lines("const { tools } = reeve.services.everything;", "for (const call of [() => tools.echo({}), () => tools.echo({ message: 5 }), () => tools['get-sum']({ a: 1, b: 2 }), () => tools.nothing({})])",
		"  await call().then((r: any) => console.log('ok', r), (e: any) => console.log(e.code));"), "invalid_params\ninvalid_params\ndenied\nnot_found\n")
	shown := d.get(t, "/tools/everything/echo").want(t, 200).json(t)
	if shown.str("name") != "echo" || shown.str("service") != "everything" || shown.str("permission") != "allow" || shown.obj("params").str("type") != "object" || !strings.Contains(shown.str("declaration"), "message: string") {
		t.Errorf("/tools/everything/echo: %v", shown)
	}
	env := d.ts(t, "console.log(await reeve.services.everything.tools['get-env']())", block)
	if out := env.str("stdout"); strings.Contains(out, "SHOP_BEARER") || strings.Contains(out, "REEVE_E2E_MARK") {
		t.Errorf("the server got the daemon's environment: %.400s", out)
	}
	s.wantUnheard(t, map[string]string{"what the server answered": env.str("stdout"), "/services": string(d.get(t, "/services").body)})
	below := descendants(d.cmd.Process.Pid)
	for _, problem := range d.end() {
		t.Error(problem)
	}
	if left := alive(below); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// What is listed is what there is, found by words, shown by name; nothing else.
func TestToolRoutes(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	d := s.start(t, newBase(t), "policy:\n  - ask: shop/delete_*\n  - deny: shop/close_*\n")
	services := d.get(t, "/services").want(t, 200).json(t).list("services")
	if len(services) != 2 {
		t.Errorf("services %v", services)
	}
	for _, service := range services {
		wantKeys(t, service, "name description adapter state error tools")
	}
	permissions := map[string]string{}
	for _, tool := range d.get(t, "/tools").want(t, 200).json(t).list("tools") {
		wantKeys(t, tool, "service name description params result permission declaration")
		permissions[tool.str("service")+"/"+tool.str("name")] = tool.str("permission")
	}
	if permissions["shop/delete_pet"] != "ask" || permissions["shop/close_shop"] != "deny" || permissions["shop/get_pet"] != "allow" || permissions["reeve/search"] != "allow" || len(permissions) != 11 {
		t.Errorf("tools %v", permissions)
	}
	if found := d.get(t, "/tools?query=delete+pet").want(t, 200).json(t).list("tools"); len(found) == 0 || found[0].str("name") != "delete_pet" {
		t.Errorf("delete pet: %v", found)
	}
	if found := d.get(t, "/tools?query=zzzzqq").want(t, 200).json(t).list("tools"); len(found) != 0 {
		t.Errorf("zzzzqq: %v", found)
	}
	for _, missing := range []string{"/tools/shop/nothing", "/tools/nobody/get_pet", "/tools/shop/..%2f..", "/tools/reeve/spawn.command"} {
		d.get(t, missing).want(t, 404, "not_found")
	}
	d.get(t, "/tools?nothing=1").want(t, 400, "invalid_request").naming(t, "nothing")
	d.post(t, "/tools", m{}).want(t, 405, "method_not_allowed")
	d.do(t, request{method: "DELETE", path: "/services"}).want(t, 405, "method_not_allowed")

	table := d.reeve(t, "", "tools")
	if table.code != 0 || !strings.Contains(table.stdout, "shop/delete_pet") || !strings.Contains(table.stdout, "ask") {
		t.Errorf("reeve tools: %+v", table)
	}
	var names []string
	for line := range strings.Lines(d.reeve(t, "", "tools", "--json", "--service", "shop").stdout) {
		var tool m
		if err := json.Unmarshal([]byte(line), &tool); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		names = append(names, tool.str("name"))
	}
	if !slices.Contains(names, "get_pet") || slices.Contains(names, "search") {
		t.Errorf("reeve tools --json --service shop: %v", names)
	}
	if best := d.reeve(t, "", "tools", "delete", "pet", "--json").stdout; !strings.Contains(strings.SplitN(best, "\n", 2)[0], "delete_pet") {
		t.Errorf("reeve tools delete pet: %.300q", best)
	}
	if show := d.reeve(t, "", "tools", "show", "shop/get_pet"); show.code != 0 || !strings.Contains(show.stdout, "get_pet(params: {") || !strings.Contains(show.stdout, "id: number") {
		t.Errorf("reeve tools show: %+v", show)
	}
	for args, code := range map[string]int{"tools show shop/nothing": 1, "tools show nothing": 2, "tools services": 0, "tools services --json": 0} {
		if got := d.reeve(t, "", strings.Fields(args)...); got.code != code {
			t.Errorf("reeve %s: %+v, want %d", args, got, code)
		}
	}
}
