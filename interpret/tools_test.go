package interpret

import (
	"math"
	"strings"
	"testing"

	"github.com/reeverun/reeve/process"
)

// What matters of the recordings, written by hand: the golden files show
// that nothing changed, this shows that it is right.
func TestToolsAreUnderstood(t *testing.T) {
	for name, want := range map[string]struct {
		known    string // code of the reason; empty: none
		says     string // part of the reason's message
		summary  string // part of it
		findings []string
		warnings int
		phases   string // names in the order they are entered
		progress float64
	}{
		"go-test/pass":         {summary: "1 package passed", progress: -1},
		"go-test/pass-cover-v": {summary: "1 package passed", progress: -1},
		"go-test/pass-json":    {summary: "1 package passed", progress: -1},
		"go-test/fail": {known: "go-test.failed", says: "example.com/demo/text", summary: "2 packages failed, 3 tests failed",
			findings: []string{"go-test.compile", "go-test.failed", "go-test.failed", "go-test.failed"}, progress: -1},
		"go-test/fail-json": {known: "go-test.failed", says: "example.com/demo/text", summary: "2 packages failed, 3 tests failed",
			findings: []string{"go-test.compile", "go-test.failed", "go-test.failed", "go-test.failed"}, progress: -1},
		"go-test/panic":     {known: "go-test.panic", summary: "1 test failed", says: "nil map", findings: []string{"go-test.failed"}, progress: -1},
		"go-test/timeout":   {known: "go-test.timeout", summary: "1 package failed", says: "after 1s", progress: -1},
		"go-test/race":      {known: "go-test.race", summary: "1 test failed", findings: []string{"go-test.race", "go-test.failed"}, progress: -1},
		"go-test/no-module": {known: "go-test.setup_failed", summary: "1 package failed", findings: []string{"go-test.missing_module"}, progress: -1},

		"cargo/build-warnings": {summary: "Finished", warnings: 2, findings: []string{"cargo.fixable"}, phases: "fetch compile", progress: 1},
		"cargo/build-pty":      {summary: "Finished", phases: "compile", progress: 1},
		"cargo/errors": {known: "cargo.compile", says: "E0425", warnings: 1, findings: []string{"cargo.E0425", "cargo.E0308"},
			phases: "compile", progress: -1},
		"cargo/test-pass": {summary: "1 passed; 0 failed", phases: "compile test doc-test", progress: -1},
		"cargo/test-fail": {known: "cargo.test_failed", says: "2 failed", summary: "1 passed; 2 failed", phases: "compile test",
			findings: []string{"cargo.test_failed", "cargo.test_failed"}, progress: -1},
		"cargo/no-crate":    {known: "cargo.fetch", says: "no-such-crate-here", warnings: 3, phases: "fetch", progress: -1},
		"cargo/no-manifest": {known: "cargo.no_manifest", progress: -1},
		"cargo/run-panic":   {known: "cargo.panic", says: "src/main.rs:1:54", summary: "Finished", phases: "compile run", progress: 1},

		"npm/install":               {summary: "added 3 packages", progress: -1},
		"npm/install-vulnerable":    {summary: "added 2 packages", warnings: 2, findings: []string{"npm.vulnerabilities"}, progress: -1},
		"npm/install-pty":           {summary: "added 2 packages", warnings: 2, findings: []string{"npm.vulnerabilities"}, progress: -1},
		"npm/v8-install-vulnerable": {summary: "added 2 packages", warnings: 2, findings: []string{"npm.vulnerabilities"}, progress: -1},
		"npm/audit": {known: "npm.vulnerable", says: "1 critical",
			findings: []string{"npm.advisory", "npm.advisory", "npm.vulnerabilities"}, progress: -1},
		"npm/missing":          {known: "npm.E404", says: "Not Found", progress: -1},
		"npm/v8-missing":       {known: "npm.E404", says: "Not Found", progress: -1},
		"npm/no-version":       {known: "npm.ETARGET", says: "ms@99.0.0", progress: -1},
		"npm/peer-conflict":    {known: "npm.ERESOLVE", findings: []string{"npm.ERESOLVE"}, progress: -1},
		"npm/auth":             {known: "npm.E401", says: "Unauthorized", progress: -1},
		"npm/run-missing":      {known: "npm.missing_script", says: "nope", progress: -1},
		"npm/postinstall-fail": {known: "npm.script_failed", says: "sh -c", phases: "script", progress: -1},
		"npm/run-fail":         {known: "npm.failed", says: "building", phases: "script", progress: -1},
		"npm/offline":          {known: "npm.network", says: "ECONNREFUSED", progress: -1},

		"pip/install":            {summary: "Successfully installed", findings: []string{"pip.upgrade"}, phases: "collect install", progress: 1},
		"pip/install-pty":        {summary: "Successfully installed", findings: []string{"pip.upgrade"}, phases: "collect install", progress: 1},
		"pip/local":              {summary: "Successfully installed demo-pkg-1.2.3", warnings: 1, phases: "collect install", progress: -1},
		"pip/already":            {summary: "1 requirement already satisfied", progress: -1},
		"pip/no-match":           {known: "pip.no_matching_distribution", says: "demo-pkg==9.9", progress: -1},
		"pip/unreachable":        {known: "pip.no_matching_distribution", says: "requests", warnings: 1, progress: -1},
		"pip/conflict":           {known: "pip.conflict", says: "left-pkg", phases: "collect", progress: -1},
		"pip/build-fail":         {known: "pip.build_failed", says: "egg_info", phases: "collect", progress: -1},
		"pip/externally-managed": {known: "pip.externally_managed", findings: []string{"pip.externally_managed"}, progress: -1},

		"make/ok":       {progress: -1},
		"make/cc":       {known: "make.recipe_failed", says: "main: Error 1", warnings: 2, findings: []string{"make.compile"}, progress: -1},
		"make/cw":       {warnings: 3, progress: -1},
		"make/fail":     {known: "make.recipe_failed", says: "Makefile:4", warnings: 1, progress: -1},
		"make/norule":   {known: "make.no_rule", says: "missing.o", progress: -1},
		"make/miss":     {known: "make.command_not_found", says: "no-such-tool", progress: -1},
		"make/syntax":   {known: "make.syntax", says: "missing separator", progress: -1},
		"make/sub-fail": {known: "make.recipe_failed", says: "Error 3", phases: "/src/sub/lib /src/sub/app", progress: -1},
		"make/parallel": {phases: "/src/par/a /src/par/b", progress: -1},

		"pytest/pass": {summary: "120 passed, 1 skipped, 1 xfailed", phases: "collect run", progress: 1},
		"pytest/fail": {known: "pytest.failed", says: "3 failed", summary: "1 error", warnings: 1, phases: "collect run report",
			findings: []string{"pytest.failed", "pytest.failed", "pytest.failed", "pytest.error"}, progress: 1},
		"pytest/fail-pty": {known: "pytest.failed", says: "3 failed", summary: "1 error", warnings: 1, phases: "collect run report",
			findings: []string{"pytest.failed", "pytest.failed", "pytest.failed", "pytest.error"}, progress: 1},
		"pytest/collect-error": {known: "pytest.collection", summary: "1 error", says: "1 error", findings: []string{"pytest.error"}, phases: "collect run report", progress: -1},
		"pytest/no-tests":      {known: "pytest.no_tests", summary: "no tests ran", phases: "collect run", progress: -1},
		"pytest/not-found":     {known: "pytest.not_found", summary: "no tests ran", says: "absent.py", phases: "collect run", progress: -1},
		"pytest/usage":         {known: "pytest.usage", says: "--no-such-option", progress: -1},

		"docker-build/buildkit-ok":     {summary: "demo:ok", phases: "internal 1/4 internal 2/4 3/4 4/4 export", progress: 1},
		"docker-build/buildx-ok":       {summary: "demo:ok", phases: "internal 1/4 internal 2/4 3/4 4/4 export", progress: 1},
		"docker-build/legacy-ok":       {summary: "demo:ok", phases: "1/5 2/5 3/5 4/5 5/5", progress: 1},
		"docker-build/buildkit-pty":    {progress: 1},
		"docker-build/buildkit-fail":   {known: "docker-build.step_failed", says: "exit code: 3", phases: "internal 1/4 2/4 3/4", progress: 0.5},
		"docker-build/buildx-fail":     {known: "docker-build.step_failed", says: "exit code: 3", phases: "internal 1/4 2/4 3/4", progress: 0.5},
		"docker-build/legacy-fail":     {known: "docker-build.step_failed", says: "non-zero code: 3", phases: "1/4 2/4 3/4", progress: 0.5},
		"docker-build/buildkit-copy":   {known: "docker-build.not_found", says: "absent.txt", phases: "internal 1/2 internal 2/2", progress: 0.5},
		"docker-build/buildkit-nobase": {known: "docker-build.base_image", says: "no-such-image", phases: "internal", progress: -1},
		"docker-build/buildx-syntax":   {known: "docker-build.syntax", says: "RUNN", phases: "internal", progress: -1},
		"docker-build/no-daemon":       {known: "docker-build.no_daemon", findings: []string{"docker-build.no_daemon"}, progress: -1},

		"generic/git-clone": {progress: 1},
		"generic/git-fail":  {summary: "fatal: ", progress: -1},
		"generic/ls-fail":   {summary: "cannot access", progress: -1},
		"generic/df":        {progress: -1},
	} {
		t.Run(name, func(t *testing.T) {
			tool, _, _ := strings.Cut(name, "/")
			s := fixedSession(mustBuiltin(t, tool))
			var phases []string
			warnings := 0
			for _, p := range readFixture(t, "testdata/"+name+".txt").replay(s) {
				switch p := p.(type) {
				case process.PhaseEntered:
					phases = append(phases, p.Name)
				case process.WarningDetected:
					warnings++
				}
			}
			e := s.Evidence()
			known := process.KnownErrorDetected{}
			if e.KnownError != nil {
				known = *e.KnownError
			}
			if known.Code != want.known || !strings.Contains(known.Message, want.says) {
				t.Errorf("reason %+v, want %s with %q", known, want.known, want.says)
			}
			if !strings.Contains(e.Summary, want.summary) || (e.Summary == "") != (want.summary == "") {
				t.Errorf("summary %q, want %q", e.Summary, want.summary)
			}
			var codes []string
			for _, f := range e.Findings {
				codes = append(codes, f.Code)
			}
			if strings.Join(codes, " ") != strings.Join(want.findings, " ") {
				t.Errorf("findings %q, want %q", codes, want.findings)
			}
			if warnings != want.warnings {
				t.Errorf("%d warnings, want %d", warnings, want.warnings)
			}
			if got := strings.Join(phases, " "); got != want.phases {
				t.Errorf("phases %q, want %q", got, want.phases)
			}
			share, ok := e.Progress.Share()
			if !ok {
				share = -1
			}
			if math.Abs(share-want.progress) > 1e-9 {
				t.Errorf("ends at %v, want %v", share, want.progress)
			}
		})
	}
}
