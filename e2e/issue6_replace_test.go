//go:build linux

package e2e

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// heir starts a daemon that is to replace another.
func (d *daemon) heir(t testing.TB, flags ...string) *daemon {
	t.Helper()
	h := &daemon{binary: d.binary, base: d.base, data: d.data, addr: d.addr, tcp: d.tcp, unix: d.unix, log: &logBuffer{}, exited: make(chan struct{})}
	h.cmd = exec.Command(d.binary, append([]string{"serve", "--replace", "--listen", "127.0.0.1:0", "--data", d.data}, flags...)...)
	h.cmd.Env, h.cmd.Dir = d.cmd.Env, d.base
	h.cmd.Stdout, h.cmd.Stderr = h.log, h.log
	h.cmd.WaitDelay = time.Second
	if err := h.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() { _ = h.cmd.Wait(); close(h.exited) }()
	h.endWith(t)
	return h
}

// replace has a daemon replaced and returns the new one.
func (d *daemon) replace(t testing.TB, flags ...string) *daemon {
	t.Helper()
	h := d.heir(t, flags...)
	select {
	case <-d.exited:
	case <-h.exited:
		t.Fatalf("the new daemon ended:\n%s", h.log)
	case <-time.After(patience):
		t.Fatalf("the old daemon does not end:\n%s\nthe new one said:\n%s", d.log, h.log)
	}
	if code := d.cmd.ProcessState.ExitCode(); code != 0 {
		t.Fatalf("the old daemon exited with %d:\n%s", code, d.log)
	}
	h.wantPID(t, h)
	return h
}

// wantPID checks which daemon answers.
func (d *daemon) wantPID(t testing.TB, want *daemon) {
	t.Helper()
	for _, socket := range []bool{false, true} {
		v := d.do(t, request{method: "GET", path: "/version", socket: socket}).want(t, 200).json(t)
		if int(v.num("pid")) != want.cmd.Process.Pid {
			t.Errorf("pid %v answers, not %d:\n%s", v["pid"], want.cmd.Process.Pid, want.log)
		}
	}
}

// asker creates processes and reads them back, as fast as it is answered.
type asker struct {
	client *http.Client
	base   string
	ids    []int64
	asked  int
	worst  time.Duration
	failed []string
}

func (l *asker) run(stop *atomic.Bool) {
	for !stop.Load() {
		var rec m
		if l.ask("POST", "/processes", `{"environment":"fake","code":"out x","tags":["loop"]}`, 201, &rec) {
			l.ids = append(l.ids, rec.id())
			l.ask("GET", path(rec.id(), ""), "", 200, &rec)
		}
	}
}

func (l *asker) ask(method, path, body string, want int, into *m) bool {
	l.asked++
	began := time.Now()
	defer func() { l.worst = max(l.worst, time.Since(began)) }()
	req, _ := http.NewRequest(method, l.base+path, strings.NewReader(body))
	resp, err := l.client.Do(req)
	if err != nil {
		l.failed = append(l.failed, err.Error())
		return false
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != want {
		l.failed = append(l.failed, fmt.Sprintf("%s %s: %d %s %v", method, path, resp.StatusCode, b, err))
		return false
	}
	return json.Unmarshal(b, into) == nil
}

// Clients notice nothing of five replacements but that some answers take a
// little longer: no connection is refused or reset, no request fails, what was
// acknowledged is there and runs once, and who follows events sees each once.
func TestIssue6ReplaceLosesNobody(t *testing.T) {
	t.Parallel()
	d := start(t)
	followed := d.client("events", "-f", "--json", "--tag", "loop", "--after", "0")
	var seen logBuffer
	followed.Stdout, followed.Stderr = &seen, &seen
	if err := followed.Start(); err != nil {
		t.Fatal(err)
	}
	loops := map[string]*asker{}
	for where, fresh := range map[string]bool{"tcp": false, "tcp, a connection each": true, "socket": false, "socket, a connection each": true} {
		l := &asker{base: "http://" + d.addr}
		transport := &http.Transport{DisableKeepAlives: fresh}
		if strings.HasPrefix(where, "socket") {
			socket := filepath.Join(d.data, "reeve.sock")
			transport.DialContext = func(ctx context.Context, _, _ string) (net.Conn, error) {
				return new(net.Dialer).DialContext(ctx, "unix", socket)
			}
		}
		l.client = &http.Client{Transport: transport, Timeout: patience}
		t.Cleanup(transport.CloseIdleConnections)
		loops[where] = l
	}
	var stop atomic.Bool
	var all sync.WaitGroup
	for _, l := range loops {
		all.Go(func() { l.run(&stop) })
	}
	for range 5 {
		d = d.replace(t)
	}
	stop.Store(true)
	all.Wait()
	acknowledged := map[int64]bool{}
	for where, l := range loops {
		t.Logf("%s: %d requests, the slowest took %v", where, l.asked, l.worst.Round(time.Millisecond))
		if len(l.failed) > 0 {
			t.Errorf("%s: %d of %d failed: %.300q", where, len(l.failed), l.asked, l.failed)
		}
		for _, id := range l.ids {
			if acknowledged[id] {
				t.Errorf("%d was given twice", id)
			}
			acknowledged[id] = true
		}
	}
	last := d.fake(t, "out last", m{"tags": []string{"loop"}}, block).id()
	waitFor(t, "the follower sees the last", func() bool {
		return strings.Contains(seen.String(), fmt.Sprintf(`"process":%d,"run":1`, last)) && strings.Contains(tail(seen.String(), 300), `"finalized"`)
	})
	_ = followed.Process.Signal(syscall.SIGTERM)
	_ = followed.Wait()
	wantEachOnce(t, []byte(seen.String()), acknowledged, last)
	for cursor := ""; ; {
		page := d.get(t, "/processes?limit=1000&include=stdout&tag=loop"+cursor).want(t, 200).json(t)
		for _, rec := range page.list("processes") {
			if rec.id() != last {
				if rec.wantEnd(t, "success"); rec.num("run") != 1 || rec.str("stdout") != "x\n" || !acknowledged[rec.id()] {
					t.Errorf("process %d: run %v, %q", rec.id(), rec["run"], rec["stdout"])
				}
				delete(acknowledged, rec.id())
			}
		}
		if page["nextCursor"] == nil {
			break
		}
		cursor = "&cursor=" + page.str("nextCursor")
	}
	if len(acknowledged) > 0 {
		t.Errorf("lost: %v", acknowledged)
	}
}

func wantEachOnce(t testing.TB, printed []byte, ids map[int64]bool, last int64) {
	t.Helper()
	created, finalized, cursors := map[int64]int{}, map[int64]int{}, map[string]int{}
	for lines := bufio.NewScanner(bytes.NewReader(printed)); lines.Scan(); {
		var ev m
		if err := json.Unmarshal(lines.Bytes(), &ev); err != nil {
			t.Logf("the follower said %q", lines.Text())
			continue
		}
		if cursors[ev.str("cursor")]++; cursors[ev.str("cursor")] > 1 && ev.str("cursor") != "" {
			t.Errorf("seen twice: %v", ev)
		}
		switch id := ev.num("process"); ev.str("kind") {
		case "process_created":
			created[id]++
		case "finalized":
			finalized[id]++
		}
	}
	if finalized[last] != 1 {
		t.Errorf("the last was seen %d times", finalized[last])
	}
	for id := range ids {
		if created[id] != 1 || finalized[id] != 1 {
			t.Errorf("process %d: created seen %d times, finalized %d times", id, created[id], finalized[id])
		}
	}
}

// A daemon that cannot serve leaves the old one serving; of two at once one wins;
// one that is killed on its way leaves the old one serving, or has taken over.
func TestIssue6ReplaceFails(t *testing.T) {
	t.Parallel()
	d := start(t)
	running := d.fake(t, "hang").id()
	d.await(t, running, "running")
	config := writeFile(t, d.base, "bad.yaml", "grace: soon\n")
	for flags, says := range map[string]string{"--config=" + config: "grace", "--rules-dir=" + d.base + "/none": "none", "--listen=0.0.0.0:0": "token"} {
		got := d.reeve(t, "", "serve", "--replace", "--data", d.data, flags)
		if got.code == 0 || !strings.Contains(got.stderr, says) {
			t.Errorf("%s: %+v", flags, got)
		}
	}
	d.wantPID(t, d)
	d.await(t, running, "running")
	d.post(t, path(running, "/signals/kill"), block).want(t, 200)

	one, two := d.heir(t), d.heir(t)
	<-d.exited
	waitFor(t, "one has given up, or both have replaced in turn", func() bool { return one.over() || two.over() })
	winner := one
	if one.over() {
		winner = two
	}
	winner.wantPID(t, winner)
	d = winner
	for i := range 4 {
		h := d.heir(t)
		waitFor(t, "it has begun", func() bool { return strings.Contains(h.log.String(), "replacing") || h.over() })
		time.Sleep(time.Duration(i) * 100 * time.Millisecond) // at some point of it
		_ = h.cmd.Process.Kill()
		<-h.exited
		if a, err := d.try(request{method: "GET", path: "/health"}); err == nil && a.status == 200 {
			continue
		}
		waitFor(t, "the old one is gone", d.over) // the new one had it
		d = startIn(t, d.base)
	}
	d.fake(t, "out x", block).wantEnd(t, "success")
	d.wantPID(t, d)
}

// --detach starts the new one in the background and says who it is; a service
// manager that had it started (systemctl reload) is told who the service is now,
// and has its log. The command line has nothing to say of a daemon of its own
// version.
func TestIssue6ReplaceDetached(t *testing.T) {
	t.Parallel()
	d := start(t)
	kept := d.fake(t, "out kept", block).id()
	manager, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: filepath.Join(d.base, "notify"), Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	defer manager.Close()
	journal, err := os.Create(filepath.Join(d.base, "journal"))
	if err != nil {
		t.Fatal(err)
	}
	defer journal.Close()
	cmd := d.client("serve", "--replace", "--detach", "--listen", d.addr, "--json")
	cmd.Env, cmd.Stderr = append(cmd.Env, "NOTIFY_SOCKET="+manager.LocalAddr().String()), journal
	out, err := cmd.Output()
	var told struct{ PID int }
	if err != nil || json.Unmarshal(out, &told) != nil || told.PID == 0 {
		t.Fatalf("%v: %s", err, out)
	}
	news := make([]byte, 100)
	n, err := manager.Read(news)
	if want := fmt.Sprintf("MAINPID=%d\nREADY=1", told.PID); err != nil || string(news[:n]) != want {
		t.Errorf("the service manager was told %q, %v", news[:n], err)
	}
	if b, _ := os.ReadFile(journal.Name()); !strings.Contains(string(b), "msg=replacing") {
		t.Errorf("the journal has %q", b)
	}
	select {
	case <-d.exited:
	case <-time.After(patience):
		t.Fatal("the old one does not end")
	}
	h, err := os.FindProcess(told.PID)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = h.Signal(syscall.SIGTERM)
		waitFor(t, "it ends", func() bool { return len(marked(mark(d.base))) == 0 })
	}()
	if v := d.get(t, "/version").want(t, 200).json(t); int(v.num("pid")) != told.PID {
		t.Errorf("%v", v)
	}
	if rec := d.record(t, kept); rec.str("stdout") != "kept\n" {
		t.Errorf("%v", rec)
	}
	for _, args := range [][]string{{"version"}, {"doctor"}} {
		if got := d.reeve(t, "", args...); strings.Contains(got.stdout, "--replace") || !strings.Contains(got.stdout, fmt.Sprint("pid ", told.PID)) {
			t.Errorf("%v: %+v", args, got)
		}
	}
}

// A command goes on under the next daemon, also one that would end it when it is
// stopped, and who attends to it sees each line once and its own exit code.
func TestIssue6ReplaceKeepsCommands(t *testing.T) {
	t.Parallel()
	d := start(t)
	go_, said := filepath.Join(d.base, "go"), filepath.Join(d.base, "said")
	script := "i=0; while [ ! -e " + go_ + " ] || [ $i -lt 150 ]; do i=$((i+1)); echo line $i; sleep 0.02; done; echo $i > " + said + "; exit 7"
	run := d.client("run", "--", "sh", "-c", script)
	var ran, logged, waited, events logBuffer
	run.Stdout = &ran
	if err := run.Start(); err != nil {
		t.Fatal(err)
	}
	waitFor(t, "it speaks", func() bool { return strings.Contains(ran.String(), "line 1\n") })
	beside := map[*exec.Cmd]*logBuffer{
		d.client("logs", "-f", "1"): &logged, d.client("wait", "1"): &waited,
		d.client("events", "-f", "1", "--json"): &events,
	}
	for cmd, out := range beside {
		cmd.Stdout = out
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 {
		d = d.replace(t)
	}
	writeFile(t, d.base, "go", "")
	if _ = run.Wait(); run.ProcessState.ExitCode() != 7 {
		t.Errorf("reeve run: %v", run.ProcessState)
	}
	for cmd := range beside {
		_ = cmd.Wait()
		if want := map[bool]int{true: 7, false: 0}[cmd.Args[1] == "wait"]; cmd.ProcessState.ExitCode() != want {
			t.Errorf("reeve %v: %v", cmd.Args[1:], cmd.ProcessState)
		}
	}
	rec := d.record(t, 1).wantEnd(t, "failed")
	if rec.num("run") != 1 || rec.obj("exit").num("code") != 7 {
		t.Errorf("%v", rec)
	}
	n, err := os.ReadFile(said)
	if err != nil {
		t.Fatal(err)
	}
	var want strings.Builder
	for i := 1; fmt.Sprint(i-1) != strings.TrimSpace(string(n)); i++ {
		fmt.Fprintf(&want, "line %d\n", i)
	}
	kept := string(d.get(t, path(1, "/stdout")).want(t, 200).body)
	var told strings.Builder
	seq, reattached := 0, 0
	for line := range strings.Lines(events.String()) {
		var ev m
		if err := json.Unmarshal([]byte(line), &ev); err != nil || ev["partial"] == true {
			continue
		}
		if seq++; int(ev.num("seq")) != seq {
			t.Fatalf("event %v in the place of %d", ev["seq"], seq)
		}
		switch ev.str("kind") {
		case "output_appended":
			told.WriteString(ev.str("line") + "\n")
		case "reattached":
			reattached++
		}
	}
	if reattached != 2 {
		t.Errorf("taken up %d times", reattached)
	}
	for where, got := range map[string]string{"run": ran.String(), "logs -f": logged.String(), "events -f": told.String(), "the log": kept} {
		if got != want.String() {
			t.Errorf("%s has %d bytes, not %d: …%q", where, len(got), want.Len(), tail(got, 200))
		}
	}
}
