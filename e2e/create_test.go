//go:build linux

package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A minimal body runs at once in the default environment; the answer is the
// whole record and says where it is.
func TestCreateMinimal(t *testing.T) {
	t.Parallel()
	d := shared(t)
	a := d.post(t, "/processes", m{"code": "out hi"}).want(t, 201).typed(t, "application/json")
	rec := a.json(t)
	wantKeys(t, rec, recordKeys)
	if got := a.header.Get("Location"); got != path(rec.id(), "") && !strings.HasSuffix(got, path(rec.id(), "")) {
		t.Errorf("Location %q", got)
	}
	if rec.str("environment") != "typescript" || rec.obj("options").num("timeoutMs") != 30000 || rec.str("code") != "out hi" {
		t.Errorf("%v", rec)
	}
	if s := rec.state(); s != "queued" && s != "running" && s != "idle" {
		t.Errorf("state %q", s)
	}
	d.await(t, rec.id(), "idle").wantEnd(t, "success")
	if next := d.fake(t, "", m{"autorun": false}); next.id() <= rec.id() {
		t.Errorf("id %d after %d", next.id(), rec.id())
	}
}

// Every good field is kept and shown.
func TestCreateEveryField(t *testing.T) {
	t.Parallel()
	d := shared(t)
	parent := d.fake(t, "", m{"autorun": false}).id()
	ref := unique("every-field")
	rec := d.create(t, m{
		"ref": "  " + ref + "\t", "autorun": true, "block": true, "environment": "command",
		"command": m{"program": "/bin/cat", "args": []string{"-"}, "env": m{"A": "b"}, "envClear": true, "cwd": "/tmp", "stdin": "typed",
			"mergeStreams": false, "successCodes": []int{0, 3}, "leftovers": "wait", "hideWindow": true},
		"label": "title", "tags": []string{"ci", "x y"}, "parent": parent, "interpreter": "none", "priority": 5, "rawOutput": "persist",
		"options": m{"timeout": 20000, "grace": 100, "drain": 50},
	}).wantEnd(t, "success")
	for key, want := range map[string]string{
		"ref": `"` + ref + `"`, "environment": `"command"`, "label": `"title"`, "tags": `["ci","x y"]`, "priority": "5",
		"parent": itoa(parent), "stdout": `"typed"`, "stderr": `""`, "stdoutBytes": "5", "run": "1", "lifecycle": `"dead"`,
		"exit": `{"code":0,"reason":"completed","signal":null}`, "error": "null", "paused": "false", "pausedAt": "null",
	} {
		if got, _ := json.Marshal(rec[key]); string(got) != want {
			t.Errorf("%s is %s, want %s", key, got, want)
		}
	}
	command := rec.obj("command")
	if command.str("program") != "/bin/cat" || command.obj("env").str("A") != "•••" || command.str("cwd") != "/tmp" || command.str("leftovers") != "wait" {
		t.Errorf("command %v", command)
	}
	if rec.obj("options").num("timeoutMs") != 20000 {
		t.Errorf("options %v", rec["options"])
	}
}

// What a program finds: its variables, its folder, its input.
func TestCreateCommand(t *testing.T) {
	t.Parallel()
	d := shared(t)
	dir := t.TempDir()
	for name, c := range map[string]struct {
		command m
		stdout  string
	}{
		"no shell":      {m{"program": "echo", "args": []string{"$HOME", "a b", ""}}, "$HOME a b \n"},
		"environment":   {m{"program": "sh", "args": []string{"-c", `echo "$V-$REEVE_E2E_MARK"`}, "env": m{"V": "x=y z"}}, "x=y z-" + d.base + "\n"},
		"cleared":       {m{"program": "/usr/bin/env", "env": m{"ONLY": "1"}, "envClear": true}, "ONLY=1\n"},
		"folder":        {m{"program": "pwd", "cwd": dir}, dir + "\n"},
		"stdin":         {m{"program": "cat", "stdin": "tö\x00x"}, "tö\x00x"},
		"empty stdin":   {m{"program": "cat", "stdin": ""}, ""},
		"no stdin":      {m{"program": "cat"}, ""},
		"stdin base64":  {m{"program": "od", "args": []string{"-An", "-tx1"}, "stdinBase64": "AP8K"}, " 00 ff 0a\n"},
		"merged":        {m{"program": "sh", "args": []string{"-c", "echo 1; echo 2 >&2; echo 3"}, "mergeStreams": true}, "1\n2\n3\n"},
		"success codes": {m{"program": "sh", "args": []string{"-c", "exit 3"}, "successCodes": []int{3}}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			rec := d.create(t, m{"environment": "command", "command": c.command, "block": true}).wantEnd(t, "success")
			if got := d.get(t, path(rec.id(), "/stdout")).want(t, 200).body; string(got) != c.stdout {
				t.Errorf("stdout %q, want %q", got, c.stdout)
			}
		})
	}
}

// autorun:false executes nothing until it is run, once.
func TestAutorunFalse(t *testing.T) {
	t.Parallel()
	d := shared(t)
	file := filepath.Join(t.TempDir(), "ran")
	rec := d.sh(t, "echo x >> "+file, m{"autorun": false, "block": true})
	if rec.state() != "idle" || rec["exitState"] != nil || rec.num("run") != 0 || rec.str("lifecycle") != "created" || rec["startedAt"] != nil || rec["exit"] != nil || rec["outcome"] != nil {
		t.Errorf("%v", rec)
	}
	if _, err := os.Stat(file); err == nil {
		t.Error("it ran")
	}
	d.post(t, path(rec.id(), "/signals/run"), block).want(t, 200).json(t).wantEnd(t, "success")
	if got, _ := os.ReadFile(file); string(got) != "x\n" {
		t.Errorf("it ran %q times", got)
	}
}

// timeout:null really disables; the clock starts with execution.
func TestTimeouts(t *testing.T) {
	t.Parallel()
	d := start(t, "--default-timeout", "fake=100", "--concurrency", "typescript=1")
	d.fake(t, "hang", block).wantEnd(t, "timeout")
	d.fake(t, "sleep 300ms", block, m{"options": m{"timeout": nil}}).wantEnd(t, "success")
	for _, name := range []string{"timeout", "timeoutMs"} {
		rec := d.fake(t, "hang", block, m{"options": m{name: 30}}).wantEnd(t, "timeout")
		if rec.obj("options").num("timeoutMs") != 30 {
			t.Errorf("options %v", rec["options"])
		}
	}
	if rec := d.fake(t, "", block, m{"options": m{"timeout": nil}}); rec.obj("options")["timeoutMs"] != nil {
		t.Errorf("options %v", rec["options"])
	}
	if rec := d.sh(t, "true", block); rec.obj("options")["timeoutMs"] != nil {
		t.Errorf("a command has a timeout by default: %v", rec["options"])
	}
	first := d.create(t, m{"code": "hang"}).id()
	d.await(t, first, "running")
	second := d.create(t, m{"code": "out ran", "options": m{"timeout": 150}})
	if second.state() != "queued" || second.str("lifecycle") != "created" {
		t.Fatalf("with one slot taken it is %s/%s", second.state(), second.str("lifecycle"))
	}
	waitFor(t, "more time in the queue than its timeout", func() bool { return age(t, second) > 200*time.Millisecond })
	d.kill(t, first, m{"block": true})
	d.await(t, second.id(), "idle").wantEnd(t, "success")
}

func age(t testing.TB, rec m) time.Duration {
	created, err := time.Parse(time.RFC3339, rec.str("createdAt"))
	if err != nil {
		t.Fatal(err)
	}
	return time.Since(created)
}

// A ref is trimmed, and unique among all that exist.
func TestRefs(t *testing.T) {
	t.Parallel()
	d := shared(t)
	ref := unique("ref")
	rec := d.fake(t, "", m{"ref": " " + ref + "\n", "block": true})
	if rec.str("ref") != ref {
		t.Errorf("ref %q", rec.str("ref"))
	}
	for _, body := range []m{{"ref": ref}, {"ref": "\t" + ref}, {"ref": ref, "autorun": false}} {
		a := d.post(t, "/processes", with(m{"code": ""}, body)).want(t, 409, "ref_conflict")
		if strings.Contains(string(a.body), itoa(rec.id())) {
			t.Errorf("the conflict names its holder: %s", a.body)
		}
	}
	d.post(t, "/mci/processes", m{"code": "", "ref": ref}).want(t, 409, "ref_conflict")
	answers := make(chan int)
	for range 8 {
		go func() {
			a, err := d.try(request{method: "POST", path: "/processes", body: m{"code": "", "ref": ref + "-race"}})
			if err != nil {
				a.status = 0
			}
			answers <- a.status
		}()
	}
	count := map[int]int{}
	for range 8 {
		count[<-answers]++
	}
	if count[201] != 1 || count[409] != 7 {
		t.Errorf("8 creates of one ref at once: %v", count)
	}
	d.delete(t, rec.id()).want(t, 200)
	d.fake(t, "", m{"ref": ref})
}
