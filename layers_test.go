package reeve_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/reeverun/reeve"

// layers says what each package may import of ours: data flows one way. A
// package that is not listed here fails the test, so that each new one is
// placed. Suites and fakes follow the package they belong to.
var layers = map[string][]string{
	"process":            {},
	"rawlog":             {},
	"internal/seal":      {},
	"internal/ownerlock": {"process"},
	"internal/powercut":  {},
	"internal/testbin":   {},
	"interpret":          {"process"},
	"store":              {"process"},
	"store/storetest":    {"process", "store"},
	"store/memory":       {"process", "store"},
	"store/sqlite":       {"process", "store"},
	"keeper":             {"process", "keeper/internal"},
	"keeper/keepertest":  {"process", "keeper"},
	"keeper/remote":      {"process", "keeper", "keeper/internal", "internal"},
	"env":                {"process"},
	"env/envtest":        {"process", "env"},
	"env/envfake":        {"process", "env"},
	"env/command":        {"process", "env", "keeper", "rawlog"},
	"env/function":       {"process", "env"},
	"env/supervisor":     {"process", "env", "api"},

	"env/typescript":            {"process", "env", "env/typescript/engine", "env/typescript/compile", "env/typescript/prelude"},
	"env/typescript/engine":     {},
	"env/typescript/compile":    {},
	"env/typescript/prelude":    {},
	"env/typescript/enginetest": {"env/typescript/engine", "env/typescript/prelude"},
	"env/typescript/v8":         {"env/typescript/engine", "env/typescript/v8/include"},
	// V8's headers, packages only so that the Go command carries them along.
	"env/typescript/v8/include":                {"env/typescript/v8/include/cppgc", "env/typescript/v8/include/libplatform"},
	"env/typescript/v8/include/cppgc":          {"env/typescript/v8/include/cppgc/internal"},
	"env/typescript/v8/include/cppgc/internal": {},
	"env/typescript/v8/include/libplatform":    {},
	"env/typescript/quickjs":                   {"env/typescript/engine"},

	"env/agent":                 {"process", "env", "env/agent/model"},
	"env/agent/model":           {"process"},
	"env/agent/model/openai":    {"process", "env/agent/model"},
	"env/agent/model/anthropic": {"process", "env/agent/model"},
	"env/agent/agenttest":       {},

	"tool":          {"process"},
	"tool/function": {"process", "tool"},
	"tool/openapi":  {"process", "tool"},
	"tool/mcp":      {"process", "tool"},
	"tool/file":     {"process", "tool", "tool/openapi", "tool/mcp"},

	"notify":             {"process", "store"},
	"kernel":             {"process", "env", "store", "interpret", "rawlog"},
	"":                   {"process", "kernel", "env", "env/command", "env/function", "env/supervisor", "api", "store", "store/memory", "store/sqlite", "interpret", "rawlog", "keeper", "notify", "internal"},
	"api":                {"process"},
	"token":              {"process"},
	"settings":           {"process"},
	"doctor":             {"process", "keeper", "store", "store/sqlite"},
	"telemetry":          {"process"},
	"client":             {"process", "api"},
	"web":                {},
	"web/build":          {},
	"server":             {"", "process", "api", "token", "rawlog", "tool", "web"},
	"daemon/handover":    {"process", "api"},
	"daemon":             {"", "daemon/handover", "process", "api", "env", "keeper", "keeper/remote", "env/supervisor", "server", "settings", "token", "telemetry", "tool", "tool/file"},
	"wording":            {"process"},
	"tui":                {"process", "api", "client", "wording"},
	"cli":                {"process", "api", "client", "tui", "wording", "settings", "token", "doctor"},
	"cmd/reeve":          {"", "process", "api", "cli", "daemon", "doctor", "env", "env/typescript", "env/typescript/engine", "env/typescript/compile", "env/typescript/prelude", "env/typescript/v8", "env/typescript/quickjs", "env/agent", "env/agent/model", "env/agent/model/openai", "env/agent/model/anthropic", "keeper/remote"},
	"internal/reevefake": {"process", "api", "cli", "daemon", "env", "env/envfake"},
	"bench":              {"bench/lab", "bench/measure", "bench/report", "bench/rows", "bench/growth", "bench/plot"},
	"bench/measure":      {},
	"bench/child":        {},
	"bench/lab":          {"process", "store", "store/sqlite", "internal"},
	"bench/report":       {"bench/measure", "bench/plot"},
	"bench/growth":       {"bench/lab", "bench/measure"},
	"bench/plot":         {"bench/measure"},
	"bench/rows":         {"", "process", "env/agent", "env/agent/model", "env/typescript/engine", "env/typescript/prelude", "env/typescript/v8", "bench/lab", "bench/measure", "bench/peer"},
	"bench/peer":         {"bench/lab", "bench/measure", "internal"},
	"bench/river":        {},
	"internal/peers":     {},
	"torture":            {},
	"torture/job":        {"torture"},
	"compare":            {"internal"},
	"packaging/release":  {"cli"},
	"examples/fetch":     {"", "process", "env"},
	"examples/headless":  {"", "process"},
	"examples/live":      {"", "process"},
}

func TestImportsFlowOneWay(t *testing.T) {
	eachPackage(t, func(t *testing.T, dir string, files []*ast.File) {
		allowed, known := layers[dir]
		if !known && strings.HasPrefix(dir, "keeper/internal/") {
			allowed, known = []string{"process", "keeper/internal"}, true
		}
		if !known {
			t.Errorf("package %q has no place in the layers", dir)
		}
		for _, f := range files {
			for _, imp := range f.Imports {
				path, _ := strconv.Unquote(imp.Path.Value)
				if path != module && !strings.HasPrefix(path, module+"/") {
					continue
				}
				ours := strings.TrimPrefix(strings.TrimPrefix(path, module), "/")
				if !slices.ContainsFunc(allowed, func(a string) bool {
					return ours == a || strings.HasSuffix(a, "internal") && strings.HasPrefix(ours, a+"/")
				}) {
					t.Errorf("%q imports %q against the direction of the layers", dir, ours)
				}
			}
		}
	})
}

func TestEveryPackageSaysWhatItIs(t *testing.T) {
	eachPackage(t, func(t *testing.T, dir string, files []*ast.File) {
		for _, f := range files {
			if f.Doc != nil && len(f.Doc.Text()) > 40 {
				return
			}
		}
		t.Errorf("package %q has no package comment", dir)
	})
}

// eachPackage calls f with the parsed files of each package, tests aside.
func eachPackage(t *testing.T, f func(*testing.T, string, []*ast.File)) {
	t.Helper()
	packages := map[string][]*ast.File{}
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && path != "." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata" || d.Name() == "node_modules") {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		src, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), path, src, parser.ImportsOnly|parser.ParseComments)
		if err != nil {
			return err
		}
		dir := filepath.ToSlash(filepath.Dir(path))
		if dir == "." {
			dir = ""
		}
		packages[dir] = append(packages[dir], parsed)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for dir, files := range packages {
		f(t, dir, files)
	}
}
