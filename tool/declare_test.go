package tool

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	esbuild "github.com/evanw/esbuild/pkg/api"
)

func TestDeclaration(t *testing.T) {
	got := Declaration("pets", Tool{
		Name: "find", Description: "Finds pets.\nEnd of comment: */ and on.",
		Params: json.RawMessage(`{"type":"object","required":["kind"],"properties":{
			"kind":{"enum":["cat","dog",3,null]},
			"a-b":{"type":["string","null"],"description":"Odd name."},
			"limit":{"type":"integer","default":20},
			"near":{"type":"array","items":{"anyOf":[{"type":"number"},{"type":"string"}]}},
			"pair":{"type":"array","prefixItems":[{"type":"string"},{"type":"number"}],"items":false}}}`),
		Result: json.RawMessage(`{"type":"array","items":{"$ref":"#/$defs/Pet"},"$defs":{
			"Pet":{"type":"object","description":"A pet.","required":["name"],"properties":{"name":{"type":"string"},"friends":{"type":"array","items":{"$ref":"#/$defs/Pet"}}},"additionalProperties":true}}}`),
	})
	want := `/** A pet. */
type PetsFindPet = {
  friends?: PetsFindPet[];
  name: string;
  [key: string]: unknown;
};
interface ReeveServices {
  readonly pets: {
    readonly tools: {
      /**
       * Finds pets.
       * End of comment: *\/ and on.
       */
      find(params: {
        /** Odd name. */
        "a-b"?: string | null;
        kind: "cat" | "dog" | 3 | null;
        /** Default: 20. */
        limit?: number;
        near?: (number | string)[];
        pair?: [string?, number?];
      }): Promise<PetsFindPet[]>;
    };
  };
}
`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// hard are schemas that make bad declarations easily.
var hard = map[string]string{
	"none":        ``,
	"true":        `true`,
	"false":       `false`,
	"number":      `3`,
	"empty":       `{}`,
	"no required": `{"type":"object","properties":{"a":{}}}`,
	"self":        `{"$ref":"#"}`,
	"alias cycle": `{"$ref":"#/$defs/A","$defs":{"A":{"anyOf":[{"$ref":"#/$defs/B"},{"type":"string"}]},"B":{"allOf":[{"$ref":"#/$defs/A"}]}}}`,
	"late cycle":  `{"$ref":"#/$defs/A","$defs":{"A":{"anyOf":[{"type":"object","properties":{"x":{"$ref":"#/$defs/B"}}},{"$ref":"#/$defs/B"}]},"B":{"anyOf":[{"$ref":"#/$defs/A"},{"type":"string"}]}}}`,
	"self list":   `{"type":"array","items":{"$ref":"#"}}`,
	"self record": `{"$ref":"#/$defs/A","$defs":{"A":{"type":"object","additionalProperties":{"$ref":"#/$defs/A"}}}}`,
	"same names":  `{"properties":{"a":{"$ref":"#/$defs/x/y"},"b":{"$ref":"#/$defs/y"},"c":{"$ref":"#/$defs/%C3%A4"}},"$defs":{"x":{"y":{"type":"string"}},"y":{"type":"number"},"ä":{"type":"boolean"}}}`,
	"odd names":   `{"type":"object","properties":{"new":{},"get":{},"set":{},"readonly":{"type":"string"},"constructor":{},"__proto__":{},"a b":{},"1":{},"":{},"\u2028\"\\":{},"*/":{"description":"*/ } ; evil"},"ä":{}}}`,
	"odd enum":    `{"enum":["\u2028","</script>","*/","a\"b\\",1e300,-0,-1,{"a":1},[1],true,null]}`,
	"mixed":       `{"type":["object","array","null"],"properties":{"a":{"const":"x"}},"items":{"type":"string"},"nullable":true}`,
	"joined":      `{"properties":{"a":{"type":"string"}},"allOf":[{"oneOf":[{"type":"string"},{"type":"object","properties":{"z":{"type":"number"}}}]},{"not":{}}],"anyOf":[{"required":["a"]},{"type":"number"}]}`,
	"old tuple":   `{"type":"array","items":[{"type":"string"},{"anyOf":[{"type":"string"},{"type":"null"}]}],"additionalItems":{"type":"number"}}`,
	"elsewhere":   `{"$ref":"https://example.com/x","properties":{"a":{"$ref":"#anchor"},"b":{"$ref":"#/nowhere"}}}`,
	"comments":    `{"type":"object","description":"\r\n\u0000*/*/\u2029x","properties":{"a":{"description":"one\n\n   two */","title":"t","default":"*/"}}}`,
	"wrong":       `{"type":{"a":1},"properties":[],"required":"a","enum":{},"items":3,"allOf":{},"prefixItems":{}}`,
	"deep":        strings.Repeat(`{"type":"object","properties":{"a":`, 100) + `{}` + strings.Repeat(`}}`, 100),
	"wide": func() string {
		var b strings.Builder
		b.WriteString(`{"type":"object","properties":{"last":{}`)
		for range 3000 {
			b.WriteString(`,"` + strings.Repeat("x", b.Len()%40+1) + string(rune('a'+b.Len()%26)) + `":{"type":"string","description":"` + strings.Repeat("d", 200) + `"}`)
		}
		return b.String() + "}}"
	}(),
	"bomb": func() string { // each type mentions the next twice
		var b strings.Builder
		b.WriteString(`{"$ref":"#/$defs/n0","$defs":{"n40":{}`)
		for i := range 40 {
			next := `{"$ref":"#/$defs/n` + string(rune('0'+(i+1)/10)) + string(rune('0'+(i+1)%10)) + `"}`
			b.WriteString(`,"n` + string(rune('0'+i/10)) + string(rune('0'+i%10)) + `":{"properties":{"a":` + next + `,"b":` + next + `}}`)
		}
		return strings.ReplaceAll(b.String(), `"#/$defs/n0"`, `"#/$defs/n00"`) + "}}"
	}(),
}

func parses(t testing.TB, declaration string) {
	t.Helper()
	// Not as a declaration file: esbuild would skip what it does not need.
	result := esbuild.Transform(declaration, esbuild.TransformOptions{Loader: esbuild.LoaderTS})
	if len(result.Errors) > 0 {
		t.Errorf("%s at %+v:\n%s", result.Errors[0].Text, result.Errors[0].Location, Clip(declaration, 3000))
	}
}

func TestDeclarationsParse(t *testing.T) {
	for name, raw := range hard {
		for _, tool := range []string{"new", "get", "a.b", "constructor", "x"} {
			d := Declaration("some-service", Tool{Name: tool, Params: json.RawMessage(raw), Result: json.RawMessage(raw)})
			parses(t, d)
			if len(d) > 2*maxDeclaration {
				t.Errorf("%s has %d bytes", name, len(d))
			}
		}
	}
}

// TypeScript itself accepts all of it, in one program, and a call has the types
// that the schemas say.
func TestDeclarationsCompile(t *testing.T) {
	tsc := filepath.Join("..", "e2e", "npm", "node_modules", "typescript", "bin", "tsc")
	if _, err := exec.LookPath("node"); err != nil {
		t.Skip("node is not installed")
	}
	if _, err := os.Stat(tsc); err != nil {
		t.Skip("TypeScript is not installed: run npm ci in e2e/npm")
	}
	a := &scripted{open: func(int) (Service, error) {
		s := Service{}
		for name, raw := range hard {
			s.Tools = append(s.Tools, Tool{Name: SafeName(name, nil), Description: "*/", Params: json.RawMessage(raw), Result: json.RawMessage(raw)})
		}
		s.Tools = append(s.Tools, Tool{Name: "new"}, Tool{Name: "typed",
			Params: json.RawMessage(`{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}`),
			Result: json.RawMessage(`{"type":"string"}`)})
		return s, nil
	}}
	r := started(t, Config{}, a)
	if err := r.Add("other-service", &scripted{}); err != nil {
		t.Fatal(err)
	}
	if err := r.Ready(t.Context()); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	program := `declare const reeve: { readonly services: ReeveServices };
async function main() {
  const text: string = await reeve.services.s.tools.typed({ n: 1 });
  await reeve.services["other-service"].tools.echo();
  await reeve.services.reeve.tools.search({ query: text });
  // @ts-expect-error: n is a number
  await reeve.services.s.tools.typed({ n: "1" });
  // @ts-expect-error: n is required
  await reeve.services.s.tools.typed({});
  // @ts-expect-error: there is no such tool
  await reeve.services.s.tools.absent();
}
`
	for file, text := range map[string]string{"tools.d.ts": r.Declarations(nil), "program.ts": program} {
		if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	out, err := exec.CommandContext(t.Context(), "node", tsc, "--noEmit", "--strict", "--target", "es2022",
		filepath.Join(dir, "tools.d.ts"), filepath.Join(dir, "program.ts")).CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, Clip(string(out), 3000))
	}
}

func TestDeclarationsAreNarrowed(t *testing.T) {
	a := &scripted{open: func(int) (Service, error) { return offering("one", "two", "three"), nil }}
	r := started(t, Config{Policy: policy(t, "deny s/two")}, a)
	d := r.Declarations([]string{"s/t*"})
	if strings.Contains(d, "one(") || strings.Contains(d, "two(") || !strings.Contains(d, "three(") || strings.Contains(d, "search(") {
		t.Errorf("got %s", d)
	}
	if d := r.Declarations([]string{}); d != "" {
		t.Errorf("got %s", d)
	}
}

func FuzzDeclaration(f *testing.F) {
	for _, raw := range hard {
		if len(raw) < 10_000 {
			f.Add(raw, "tool", "text")
		}
	}
	f.Add(`{"properties":{"a":{"enum":["x"]}}}`, "new", "*/ \u2028 /*")
	f.Fuzz(func(t *testing.T, raw, name, description string) {
		if ValidName(name) {
			parses(t, Declaration("s", Tool{Name: name, Description: description, Params: json.RawMessage(raw), Result: json.RawMessage(raw)}))
		}
	})
}
