//go:build linux

package torture

import (
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// ledger counts executions where Reeve has no say: commands append to a file,
// programs call a tool that is served here.
type ledger struct {
	t    testing.TB
	file string

	homes map[string]bool // the folders of cgroups of what is forgotten

	mu       sync.Mutex
	programs map[string]int
}

const ledgerTool = `openapi: 3.1.0
info: {title: Ledger, version: "1", description: Who has begun.}
servers: [{url: "http://127.0.0.1:1"}]
paths:
  /enter:
    post:
      operationId: enter
      requestBody: {required: true, content: {application/json: {schema: {type: object, required: [name], properties: {name: {type: string}}}}}}
      responses: {"200": {description: ok}}
`

// newLedger makes a ledger and, in dir, the tool file by which programs reach it.
func newLedger(t testing.TB, dir string) *ledger {
	t.Helper()
	l := &ledger{t: t, file: filepath.Join(dir, "ledger"), homes: map[string]bool{}, programs: map[string]int{}}
	server := httptest.NewServer(http.HandlerFunc(l.enter))
	t.Cleanup(server.Close)
	for name, content := range map[string]string{
		"ledger": "", "ledger.yaml": ledgerTool,
		"tools.yaml": "services:\n  ledger:\n    adapter: openapi\n    document: ledger.yaml\n    url: " + server.URL + "\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return l
}

func (l *ledger) enter(w http.ResponseWriter, r *http.Request) {
	var body struct {
		Name string `json:"name"`
	}
	if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	l.begins(body.Name)
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write([]byte("{}"))
}

// begins counts an execution.
func (l *ledger) begins(name string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.programs[name]++
}

// entries are the executions there were up to now, by name, and the cgroups
// that held them.
type entries struct {
	began   map[string]int
	cgroups map[string]bool
}

func (l *ledger) read() entries {
	l.t.Helper()
	e := entries{began: map[string]int{}, cgroups: map[string]bool{}}
	content, err := os.ReadFile(l.file)
	if err != nil {
		l.t.Fatal(err)
	}
	for line := range strings.Lines(string(content)) {
		if fields := strings.Fields(line); len(fields) == 3 && strings.HasSuffix(line, "\n") {
			e.began[fields[0]]++
			e.cgroups[fields[2]] = true
		}
	}
	maps.Copy(e.cgroups, l.homes)
	l.mu.Lock()
	defer l.mu.Unlock()
	for name, n := range l.programs {
		e.began[name] += n
	}
	return e
}

// forget drops what was entered, at a time when nobody runs.
func (l *ledger) forget() {
	l.t.Helper()
	for cgroup := range l.read().cgroups {
		if home := filepath.Dir(cgroup); home != "/" && home != "." {
			l.homes[home] = true
		}
	}
	if err := os.Truncate(l.file, 0); err != nil {
		l.t.Fatal(err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	clear(l.programs)
}

// of is what the ledger has of one command: pids, and cgroups, which name their
// keepers.
func (l *ledger) of(name string) string {
	content, _ := os.ReadFile(l.file)
	var lines []string
	for line := range strings.Lines(string(content)) {
		if strings.HasPrefix(line, name+" ") {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "")
}
