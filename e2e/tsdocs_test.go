//go:build linux

package e2e

import (
	"context"
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

// blocks returns the TypeScript of a document: what declares, and the rest.
func blocks(markdown string) (declarations, examples []string) {
	for _, block := range regexp.MustCompile("(?s)```ts\n(.*?)```").FindAllStringSubmatch(markdown, -1) {
		if strings.Contains(block[1], "declare const") || strings.HasPrefix(strings.TrimSpace(block[1]), "interface ReeveServices") {
			declarations = append(declarations, block[1])
		} else {
			examples = append(examples, block[1])
		}
	}
	return declarations, examples
}

// The document has what an author needs: the declarations of the globals and of
// every tool; its examples run.
func TestDocsOfTypeScript(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	d := s.start(t, newBase(t), "policy:\n  - deny: shop/close_*\n")
	var found bool
	for _, env := range d.get(t, "/environments").want(t, 200).json(t).list("environments") {
		found = found || env.str("name") == "typescript" && env["default"] == true && env.num("defaultTimeoutMs") == 30000
	}
	if !found {
		t.Errorf("/environments: %s", d.get(t, "/environments").body)
	}
	docs := string(d.get(t, "/environments/typescript/docs").want(t, 200).typed(t, "text/markdown").body)
	for _, want := range []string{"declare const reeve", "declare const cyrnel", "AbortSignal", "structuredClone", "getRandomValues", "setTimeout", "class URL", "get_pet(params: {", "create_pet(params: {", "search("} {
		if !strings.Contains(docs, want) {
			t.Errorf("the document lacks %q", want)
		}
	}
	if strings.Contains(docs, "{{") {
		t.Error("the document has a hole")
	}
	declarations, examples := blocks(docs)
	if len(declarations) == 0 || len(examples) == 0 {
		t.Fatalf("%d declarations, %d examples", len(declarations), len(examples))
	}
	for _, example := range examples {
		if rec := d.ts(t, example, block); rec.exitState() != "success" {
			t.Errorf("%s\nis %s: %v\n%s", example, rec.exitState(), rec["error"], rec.str("stderr"))
		}
	}
	typecheck(t, strings.Join(declarations, "\n"), examples)
}

// typecheck holds declarations and programs against the real compiler.
func typecheck(t *testing.T, declarations string, programs []string) {
	t.Helper()
	needNPM(t)
	good := append([]string{
		"const pet = await reeve.services.shop.tools.get_pet({ id: 7 }); const id: number = pet.id; console.log(id, pet.name);",
		"await reeve.services.shop.tools.create_pet({ name: 'x', age: 1 }); await cyrnel.services.reeve.tools.search();",
		"const child = await reeve.spawn({ code: '' }); const { exitState, stdout } = await child.wait(); console.log(exitState === 'success', stdout.length);",
		"reeve.signal.addEventListener('abort', () => console.log(reeve.signal.reason), { once: true }); const x = setTimeout(() => {}, 5); clearTimeout(x);",
		"const bytes = crypto.getRandomValues(new Uint8Array(4)); console.log(new TextDecoder().decode(new TextEncoder().encode(btoa('x'))), bytes, structuredClone({ a: 1 }).a, new URL('http://x/?a=1').searchParams.get('a'));",
	}, programs...)
	bad := []string{
		"await reeve.services.shop.tools.get_pet({ id: 'seven' });", "await reeve.services.shop.tools.get_pet({});", "await reeve.services.shop.tools.create_pet({ nam: 'x' });",
		"reeve.output(5);", "reeve = 5;", "process.exit(1);", "fetch('http://x');",
	}
	dir := t.TempDir()
	writeFile(t, dir, "globals.d.ts", declarations)
	writeFile(t, dir, "tsconfig.json", `{"compilerOptions": {"noEmit": true, "strict": true, "target": "es2022", "module": "esnext", "lib": ["es2023"], "types": []}}`)
	for i, program := range append(good, bad...) {
		writeFile(t, dir, "p"+itoa(int64(i))+".ts", "export {};\n"+program+"\n")
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, "node", "node_modules/typescript/bin/tsc", "-p", dir, "--pretty", "false")
	cmd.Dir = "npm"
	out, _ := cmd.Output() // it fails, for the bad ones
	for i, program := range append(good, bad...) {
		wrong := strings.Contains(string(out), "p"+itoa(int64(i))+".ts(")
		if isBad := i >= len(good); wrong != isBad {
			t.Errorf("%s\nhas an error: %v, should: %v", program, wrong, isBad)
		}
	}
	if strings.Contains(string(out), "globals.d.ts(") || t.Failed() {
		t.Errorf("the compiler says:\n%s", out)
	}
}
