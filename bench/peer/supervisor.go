package peer

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/reeverun/reeve/bench/lab"
	"github.com/reeverun/reeve/internal/peers"
)

// supervisor is supervisord, asked over the socket by XML-RPC. Its programs are
// configured: a command that is not configured yet is, before it is run.
type supervisor struct {
	peers.Home
	server  *peers.Server
	client  http.Client
	jobs    []string          // what is configured, as groups job0, job1 and so on
	known   map[string]string // groups of commands that were run
	started []string          // groups, by start
}

const supervisorConfig = `[unix_http_server]
file=%[1]s/sock
[supervisord]
logfile=%[1]s/supervisord.log
logfile_maxbytes=0
pidfile=%[1]s/pid
childlogdir=%[1]s
minfds=1024
[rpcinterface:supervisor]
supervisor.rpcinterface_factory = supervisor.rpcinterface:make_main_rpcinterface
[include]
files = %[1]s/job.conf
`

const supervisorJob = `[program:%s]
command=%s
numprocs=%d
process_name=%%(process_num)d
startsecs=0
autostart=false
autorestart=false
stopsignal=KILL
stopasgroup=true
killasgroup=true
stdout_logfile=%s
stdout_logfile_maxbytes=0
redirect_stderr=true
`

func openSupervisor(set *Set, ctx context.Context, dir string) (manager, error) {
	root, err := set.get("supervisor", func() (string, error) {
		root, _, err := peers.Supervisor(ctx, set.installed())
		return root, err
	})
	if err != nil {
		return nil, err
	}
	s := &supervisor{known: map[string]string{}, Home: peers.Home{Dir: dir, Env: peers.SupervisorEnv(root)}}
	s.client.Transport = &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", dir+"/sock")
	}}
	if err := os.WriteFile(dir+"/conf", fmt.Appendf(nil, supervisorConfig, dir), 0o600); err != nil {
		return nil, err
	}
	if s.server, err = s.Serve("python3", "-W", "ignore", filepath.Join(root, "usr/bin/supervisord"), "-n", "-c", dir+"/conf"); err != nil {
		return nil, err
	}
	if err := peers.Soon(func() error { _, err := s.ask(ctx, "getPID"); return err }); err != nil {
		return nil, errors.Join(err, s.close())
	}
	return s, nil
}

// configure makes a command known, and returns its group.
func (s *supervisor) configure(ctx context.Context, n int, argv []string, output string) (string, error) {
	group := fmt.Sprintf("job%d", len(s.jobs))
	s.jobs = append(s.jobs, fmt.Sprintf(supervisorJob, group, strings.Join(argv, " "), n, output))
	if err := os.WriteFile(s.Dir+"/job.conf", []byte(strings.Join(s.jobs, "")), 0o600); err != nil {
		return "", err
	}
	if _, err := s.ask(ctx, "reloadConfig"); err != nil {
		return "", err
	}
	_, err := s.ask(ctx, "addProcessGroup", group)
	return group, err
}

// run configures a command when it first comes, and starts it.
func (s *supervisor) run(ctx context.Context, argv ...string) (err error) {
	command := strings.Join(argv, " ")
	group, known := s.known[command]
	if !known {
		if group, err = s.configure(ctx, 1, argv, s.Dir+"/out"); err != nil {
			return err
		}
		s.known[command] = group
	}
	if _, err := s.ask(ctx, "startProcess", group+":0"); err != nil {
		return err
	}
	return lab.Until(ctx, 10*peers.Patience, func() bool {
		info, err := s.ask(ctx, "getProcessInfo", group+":0")
		return err == nil && strings.Contains(info, "<string>EXITED</string>")
	})
}

func (s *supervisor) start(ctx context.Context, n int, argv ...string) error {
	group, err := s.configure(ctx, n, argv, "NONE")
	if err != nil {
		return err
	}
	s.started = append(s.started, group)
	_, err = s.ask(ctx, "startProcessGroup", group)
	return err
}

func (s *supervisor) kill(ctx context.Context) error {
	for _, group := range s.started {
		if _, err := s.ask(ctx, "stopProcessGroup", group); err != nil {
			return err
		}
	}
	s.started = nil
	return nil
}

func (s *supervisor) kept(context.Context) (int64, error) { return size(s.Dir + "/out"), nil }

func (s *supervisor) forget() error { return os.Truncate(s.Dir+"/out", 0) }

func (s *supervisor) pids() []int { return []int{s.server.PID()} }

func (s *supervisor) close() error {
	s.client.CloseIdleConnections()
	s.server.End() // and its programs with it
	return nil
}

// ask calls a method and returns the answer as XML.
func (s *supervisor) ask(ctx context.Context, method string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	var call bytes.Buffer
	fmt.Fprintf(&call, "<?xml version=\"1.0\"?><methodCall><methodName>supervisor.%s</methodName><params>", method)
	for _, a := range args {
		call.WriteString("<param><value><string>")
		_ = xml.EscapeText(&call, []byte(a))
		call.WriteString("</string></value></param>")
	}
	call.WriteString("</params></methodCall>")
	req, err := http.NewRequestWithContext(ctx, "POST", "http://supervisor/RPC2", &call)
	if err != nil {
		return "", err
	}
	req.Header.Set("Content-Type", "text/xml")
	res, err := s.client.Do(req)
	if err != nil {
		return "", err
	}
	defer res.Body.Close()
	raw, err := io.ReadAll(res.Body)
	if err == nil && (res.StatusCode != http.StatusOK || bytes.Contains(raw, []byte("<fault>"))) {
		err = fmt.Errorf("%s: %d %.300s", method, res.StatusCode, raw)
	}
	return string(raw), err
}
