//go:build linux

package e2e

import (
	"strings"
	"testing"
)

// A program starts programs below itself and reads how they ended.
func TestSpawn(t *testing.T) {
	t.Parallel()
	d := sharedReal(t)
	rec := d.ts(t, lines("const child = await reeve.spawn({ code: 'console.log(1 + 1); console.error(`aside`); reeve.output({ n: reeve.id })', label: 'mine', tags: ['t'] });",
		"const ended = await child.wait(); const again = await child.wait();", "console.log(ended.exitState, ended.error, JSON.stringify(ended.stdout), JSON.stringify(ended.stderr), ended.output.n === child.id, again.id === child.id, ended.exit.code);",
		"const bad = await (await reeve.spawn({ code: 'throw new Error(`no luck`)' })).wait(); console.log(bad.exitState, bad.error, bad.exit.code);",
		"const slow = await reeve.spawn({ code: 'for (;;);', options: { timeout: 100 } }); console.log((await slow.wait()).exitState);",
		"const killed = await reeve.spawn({ code: 'for (;;);' }); await killed.kill(); console.log((await killed.wait()).exitState);",
		"const deaf = await reeve.spawn({ code: 'setInterval(() => {}, 1e6)' }); await deaf.signal('SIGTERM'); console.log((await deaf.wait()).exitState);",
		"const many = await Promise.all(Array.from({ length: 5 }, (_, i) => reeve.spawn({ code: `reeve.output({ i: ${i} })` }))); console.log((await Promise.all(many.map((c) => c.wait()))).map((r) => r.output.i).join());",
		"for (const bad of [{}, { code: 5 }, { code: '', environment: 'nothing' }, { code: '', x: 1 }, { code: '', options: { timeout: -1 } }, { code: '', parent: 1 }, 5, null, undefined])",
		"  await reeve.spawn(bad as any).then(() => console.log('made', bad), (e: any) => { if (!(e instanceof Error)) console.log('no error', bad) });"), block).wantEnd(t, "success")
	want := "success null \"2\\n\" \"aside\\n\" true true 0\nfailed no luck 1\ntimeout\ncanceled\nfailed\n0,1,2,3,4\n"
	if rec.str("stdout") != want {
		t.Errorf("stdout %q\nwant   %q\n%s", rec.str("stdout"), want, rec.str("stderr"))
	}
	children := d.get(t, path(rec.id(), "/tree")).want(t, 200).json(t).list("children")
	if len(children) != 10 {
		t.Errorf("the tree has %d children", len(children))
	}
	var labelled bool
	for _, child := range children {
		if child.num("parent") != rec.id() || child.str("lifecycle") != "dead" {
			t.Errorf("a child of %v, %v", child["parent"], child["lifecycle"])
		}
		labelled = labelled || child.str("label") == "mine"
	}
	if !labelled {
		t.Error("no child has the label")
	}
	wantOrder(t, d.events(t, rec.id()), "process_started", "child_spawned", "finalized")
}

// A tree of programs is shown while it lives and dies with its root.
func TestSpawnKilledWithItsParent(t *testing.T) {
	t.Parallel()
	d := startReal(t, "--concurrency", "typescript=1") // children take no slot
	id := d.runs(t, "const c = await reeve.spawn({ code: 'const g = await reeve.spawn({ code: `for (;;);` }); await g.wait()' });"+begun+" await c.wait()")
	var tree m
	waitFor(t, "the grandchild", func() bool {
		tree = d.get(t, path(id, "/tree")).want(t, 200).json(t)
		return len(tree.list("children")) == 1 && len(tree.list("children")[0].list("children")) == 1 && tree.list("children")[0].list("children")[0].state() == "running"
	})
	child := tree.list("children")[0]
	family := []int64{id, child.id(), child.list("children")[0].id()}
	var processes []living
	for _, member := range family {
		if p, _, ok := look(d.startedPID(t, member)); ok {
			processes = append(processes, p)
		}
	}
	d.kill(t, id, block).wantEnd(t, "canceled")
	for _, member := range family {
		d.await(t, member, "idle").wantEnd(t, "canceled")
	}
	if left := alive(processes); len(processes) != 3 || len(left) > 0 {
		t.Errorf("of %v there live %v", processes, left)
	}
}

// A child whose parent ended by itself is an orphan, not forgotten.
func TestSpawnOrphan(t *testing.T) {
	t.Parallel()
	d := sharedReal(t)
	parent := d.ts(t, "const c = await reeve.spawn({ code: 'setInterval(() => {}, 1e6)' }); reeve.output({ child: c.id })", block).wantEnd(t, "success")
	child := parent.obj("output").num("child")
	if rec := d.record(t, child); rec.state() == "idle" {
		t.Fatalf("the child is %s/%s", rec.state(), rec.exitState())
	}
	d.await(t, child, "running")
	if rec := d.kill(t, child, block).wantEnd(t, "canceled"); rec.str("lifecycle") != "dead" {
		t.Errorf("nobody waits for it, and it is a %s", rec.str("lifecycle"))
	}
}

// Commands are not confined: they are denied unless granted by name.
func TestSpawnOfCommands(t *testing.T) {
	t.Parallel()
	d := startReal(t)
	code := "await reeve.spawn({ environment: 'command', code: 'echo from the shell; exit 3' }).then(async (c) => { const r = await c.wait(); console.log(r.exitState, r.exit.code, r.stdout.trim()) }, (e: any) => console.log(e.code))"
	for _, test := range []struct {
		tools any
		want  string
	}{
		{nil, "denied"}, {[]string{"*"}, "denied"}, {[]string{"reeve/*"}, "denied"}, {[]string{"*/*"}, "denied"}, {[]string{}, "denied"}, {[]string{"reeve/spawn.typescript"}, "denied"},
		{[]string{"reeve/spawn.command"}, "failed 3 from the shell"}, {[]string{"reeve/spawn.*"}, "failed 3 from the shell"},
	} {
		options := m{}
		if test.tools != nil {
			options["tools"] = test.tools
		}
		d.wantStdout(t, code, test.want+"\n", m{"options": options})
	}
	if got := len(d.get(t, "/processes?environment=command").want(t, 200).json(t).list("processes")); got != 2 {
		t.Errorf("%d commands were made, want 2", got)
	}
	d.wantStdout(t, "await reeve.spawn({ code: '' }).then(() => console.log('made'), (e: any) => console.log(e.code))", "denied\n", m{"options": m{"tools": []string{}}})
}

// By policy a command may be granted to all, asked about, or denied to all.
func TestSpawnByPolicy(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	code := "await reeve.spawn({ environment: 'command', command: { program: 'echo', args: ['hi'] } }).then(async (c) => console.log((await c.wait()).stdout.trim()), (e: any) => console.log(e.code))"
	granted := s.start(t, newBase(t), "policy:\n  - allow: reeve/spawn.command\n")
	granted.wantStdout(t, code, "hi\n")
	granted.wantStdout(t, code, "denied\n", m{"options": m{"tools": []string{"shop/*"}}})
	denied := s.start(t, newBase(t), "policy:\n  - deny: reeve/spawn.*\n")
	denied.wantStdout(t, code, "denied\n", m{"options": m{"tools": []string{"reeve/spawn.command"}}})
	denied.wantStdout(t, "await reeve.spawn({ code: '' }).catch((e: any) => console.log(e.code))", "denied\n")
	ask := s.start(t, newBase(t), "policy:\n  - ask: reeve/spawn.command\n")
	p := ask.withPeople(t)
	for verdict, want := range map[string]string{"approve": "hi\n", "deny": "denied\n"} {
		id := ask.ts(t, code).id()
		asked := ask.pending(t, id)
		if shown := mustJSON(t, ask.approval(t, asked.id())["params"]); asked.str("tool") != "spawn.command" || !strings.Contains(shown, `"echo"`) {
			t.Errorf("it asks %v with %s", asked, shown)
		}
		ask.decide(t, p.approve, asked.id(), verdict, nil).want(t, 200)
		if rec := ask.await(t, id, "idle").wantEnd(t, "success"); rec.str("stdout") != want {
			t.Errorf("after %s: %q", verdict, rec.str("stdout"))
		}
	}
}

// What a parent may not do its children may not, whatever it asks for them.
func TestSpawnGivesNoMore(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	d := s.start(t, newBase(t), "")
	inner := "for (const call of [() => reeve.services.shop.tools.get_pet({ id: 1 }), () => reeve.services.shop.tools.delete_pet({ id: 1 }), () => reeve.spawn({ environment: 'command', code: 'true' })]) await call().then(() => console.log('ok'), (e: any) => console.log(e.code))"
	for _, tools := range []string{"undefined", "['*']", "['shop/*', 'reeve/spawn.command', 'reeve/spawn.*']"} {
		outer := "await reeve.spawn({ code: " + mustJSON(t, inner) + ", options: { tools: " + tools + " } as any }).then(async (c) => console.log((await c.wait()).stdout), (e: any) => console.log(e.code, e.message))"
		rec := d.ts(t, outer, block, m{"options": m{"tools": []string{"shop/get_*", "reeve/spawn.typescript"}}}).wantEnd(t, "success")
		if out := rec.str("stdout"); strings.Count(out, "ok") > 1 || strings.HasPrefix(out, "ok\nok") {
			t.Errorf("a child given %s: %q", tools, out)
		}
		if tools == "undefined" && rec.str("stdout") != "ok\ndenied\ndenied\n\n" {
			t.Errorf("a child given nothing of its own: %q", rec.str("stdout"))
		}
	}
	for _, call := range s.called() {
		if strings.HasPrefix(call, "DELETE") {
			t.Errorf("the service was called %q", call)
		}
	}
	if got := d.ids(t, "environment=command"); len(got) != 0 {
		t.Errorf("commands %v", got)
	}
	// Nor by a longer life or a larger heap than the server allows.
	d.wantStdout(t, "await reeve.spawn({ code: '', options: { limits: { memoryBytes: 1e15 } } }).catch((e: any) => console.log(e instanceof Error))", "true\n")
}
