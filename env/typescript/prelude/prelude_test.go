package prelude_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/reeverun/reeve/env/typescript/prelude"
)

// runInNode runs a script of testdata with the prelude's path as its argument.
// It fails the test with what the script printed if it exits with an error.
func runInNode(t *testing.T, script string) string {
	t.Helper()
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("node is not installed; it is the oracle of this test")
	}
	source := filepath.Join(t.TempDir(), "prelude.js")
	if err := os.WriteFile(source, []byte(prelude.Source()), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(node, "--no-warnings", "--expose-internals", filepath.Join("testdata", script), source)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", script, err, out)
	}
	return string(out)
}

func TestConsoleShowsWhatNodeShows(t *testing.T) {
	t.Log(runInNode(t, "inspect.js"))
}

func TestURLIsNodesURL(t *testing.T) {
	t.Log(runInNode(t, "url.js"))
}

func TestWebInterfacesAreNodes(t *testing.T) {
	t.Log(runInNode(t, "web.js"))
}

func TestNoFileUsesWhatAProgramCanOverwrite(t *testing.T) {
	t.Log(runInNode(t, "tamper.js"))
}

func TestDeclarationsNameEveryGlobal(t *testing.T) {
	for _, global := range strings.Fields(runInNode(t, "globals.js")) {
		declared := false
		for _, form := range []string{"declare function " + global + "(", "declare function " + global + "<", "declare const " + global + ":", "declare var " + global + ":", "declare class " + global + " ", "declare class " + global + "<", "declare namespace " + global + " "} {
			declared = declared || strings.Contains(prelude.Declarations, form)
		}
		if !declared {
			t.Errorf("globals.d.ts does not declare %s", global)
		}
	}
}
