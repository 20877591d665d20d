package agent_test

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/reeverun/reeve/env/agent"
	"github.com/reeverun/reeve/env/agent/agenttest"
	"github.com/reeverun/reeve/env/agent/model/openai"
	"github.com/reeverun/reeve/process"
)

// Each fault is survived by asking again, which is no step.
func TestFaultsAreRetried(t *testing.T) {
	dropped := agenttest.Say("this is never heard to its end")
	dropped.Piece, dropped.Drop = 5, 5
	for name, fault := range map[string]agenttest.Turn{
		"429":             agenttest.Fault(429),
		"500":             agenttest.Fault(500),
		"529":             agenttest.Fault(529),
		"408":             agenttest.Fault(408),
		"dropped stream":  dropped,
		"dropped at once": {Drop: 1, Text: "x"},
		"garbage":         {Raw: "\x00\xff\xfe garbage \x00 without end"},
		"wrong JSON":      {Raw: "event: message_start\ndata: {\"type\":\n\n"},
		"HTML":            {Raw: "<html>502 Bad Gateway</html>"},
		"empty":           {Raw: "\n\n"},
		"error in stream": {Text: "half", Error: "overloaded"},
		"no JSON error":   agenttest.Fault(503).With("Content-Type", "text/html"),
	} {
		t.Run(name, func(t *testing.T) {
			eachProvider(t, func(t *testing.T, w *world) {
				w.server.Script(fault, fault, agenttest.Say("at last"))
				s := spec("try")
				s.Options.MaxSteps = 1
				if got := w.succeed(s); got != "at last" {
					t.Errorf("result %q", got)
				}
				steps := w.steps()
				if len(steps) != 1 || steps[0].Retries != 2 || steps[0].Step != 1 {
					t.Errorf("steps %+v", steps)
				}
				if rests := w.rests.list(); len(rests) != 2 || rests[0] <= 0 || rests[1] <= rests[0] || rests[1] > 2*time.Second {
					t.Errorf("pauses %v", rests)
				}
				if errs := w.host.Text(process.Stderr); strings.Count(errs, "asking again") != 2 {
					t.Errorf("stderr %q", errs)
				}
				if out := w.host.Text(process.Stdout); !strings.HasSuffix(out, "at last\n") {
					t.Errorf("stdout %q", out)
				}
				if all := w.transcript(); len(all) != 3 || all[2].Text != "at last" {
					t.Errorf("the transcript holds %+v", all)
				}
			})
		})
	}
}

func TestRetryAfterIsHonoured(t *testing.T) {
	date := time.Now().Add(30 * time.Second).UTC().Format(http.TimeFormat)
	for name, c := range map[string]struct {
		header, value string
		least, most   time.Duration
	}{
		"seconds": {"Retry-After", "7", 7 * time.Second, 8 * time.Second},
		"ms":      {"Retry-After-Ms", "2500", 2500 * time.Millisecond, 3 * time.Second},
		"date":    {"Retry-After", date, 20 * time.Second, 34 * time.Second},
		"nothing": {"Retry-After", "soon", 0, time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			eachProvider(t, func(t *testing.T, w *world) {
				w.server.Script(agenttest.Fault(429).With(c.header, c.value), agenttest.Say("ok"))
				w.succeed(spec("x"))
				if rests := w.rests.list(); len(rests) != 1 || rests[0] < c.least || rests[0] > c.most {
					t.Errorf("pauses %v, want %v to %v", rests, c.least, c.most)
				}
			})
		})
	}
}

func TestRetryAfterBeyondAllPatienceFails(t *testing.T) {
	eachProvider(t, func(t *testing.T, w *world) {
		w.server.Script(agenttest.Fault(429).With("Retry-After", "86400"))
		_, err := w.run(spec("x"))
		if err == nil || !strings.Contains(err.Error(), "429") || !strings.Contains(err.Error(), "too late") || len(w.rests.list()) != 0 {
			t.Errorf("got %v after %v", err, w.rests.list())
		}
	})
}

func TestAllPausesTogetherAreBounded(t *testing.T) {
	eachProvider(t, func(t *testing.T, w *world) {
		w.server.Script(agenttest.Fault(429).With("Retry-After", "4"))
		_, err := w.run(spec("x"))
		if err == nil || !strings.Contains(err.Error(), "too late") || len(w.server.Requests()) != 3 {
			t.Errorf("got %v after %d questions", err, len(w.server.Requests()))
		}
	}, func(c *agent.Config) { c.Retry.Total = 10 * time.Second })
}

func TestTriesAreBounded(t *testing.T) {
	eachProvider(t, func(t *testing.T, w *world) {
		w.server.Script(agenttest.Fault(500))
		_, err := w.run(spec("x"))
		if err == nil || !strings.Contains(err.Error(), "tried 8 times") || len(w.server.Requests()) != 8 {
			t.Errorf("got %v after %d questions", err, len(w.server.Requests()))
		}
		if s := w.steps(); len(s) != 1 || s[0].Error == "" || s[0].Retries != 7 {
			t.Errorf("steps %+v", s)
		}
	})
}

// What does not go away by itself fails at once, with the provider's words.
func TestRefusedRequestsFailAtOnce(t *testing.T) {
	for _, status := range []int{400, 401, 403, 404, 302} {
		t.Run(http.StatusText(status), func(t *testing.T) {
			eachProvider(t, func(t *testing.T, w *world) {
				w.server.Script(agenttest.Turn{Status: status, Said: "no: " + key + " is not welcome"})
				_, err := w.run(spec("x"))
				if err == nil || !strings.Contains(err.Error(), "is not welcome") || strings.Contains(err.Error(), key) {
					t.Errorf("got %v", err)
				}
				if n := len(w.server.Requests()); n != 1 {
					t.Errorf("%d questions, want 1", n)
				}
			})
		})
	}
}

func TestNoQuotaIsNotRetried(t *testing.T) {
	w := newWorld(t, agent.OpenAI)
	w.server.Script(agenttest.Turn{Status: 429, Kind: "insufficient_quota", Said: "pay first"})
	if _, err := w.run(spec("x")); err == nil || len(w.server.Requests()) != 1 {
		t.Errorf("got %v after %d questions", err, len(w.server.Requests()))
	}
}

func TestUnreachableEndpoint(t *testing.T) {
	w := newWorld(t, agent.OpenAI, func(c *agent.Config) {
		c.Models[agent.OpenAI] = openai.New(openai.Config{BaseURL: "http://user:" + key + "@127.0.0.1:1/v1", Key: key})
		c.Retry.Tries = 2
	})
	_, err := w.run(spec("x"))
	if err == nil || !strings.Contains(err.Error(), "cannot be reached") || strings.Contains(err.Error(), key) || len(w.rests.list()) != 1 {
		t.Errorf("got %v after %v", err, w.rests.list())
	}
}

func TestAddressThatIsNone(t *testing.T) {
	w := newWorld(t, agent.OpenAI, func(c *agent.Config) {
		c.Models[agent.OpenAI] = openai.New(openai.Config{BaseURL: "localhost:8080", Key: key})
	})
	if _, err := w.run(spec("x")); err == nil || !strings.Contains(err.Error(), "https://HOST/PATH") || len(w.rests.list()) != 0 {
		t.Errorf("got %v after %v", err, w.rests.list())
	}
}

// An endpoint that falls silent, before or amid its answer, is asked again.
func TestSilenceIsGivenUp(t *testing.T) {
	for name, turn := range map[string]agenttest.Turn{"at once": agenttest.Hang(), "amid": {Text: "well", Silent: 2}} {
		t.Run(name, func(t *testing.T) {
			for _, provider := range []string{agent.OpenAI, agent.Anthropic} {
				t.Run(provider, func(t *testing.T) {
					w := newWorld(t, provider)
					w.env = open(t, w.server, provider, time.Second, func(c *agent.Config) { c.Sleep = w.rests.sleep })
					if err := w.env.Setup(t.Context()); err != nil {
						t.Fatal(err)
					}
					w.server.Script(turn, agenttest.Say("here"))
					if got := w.succeed(spec("x")); got != "here" {
						t.Errorf("result %q", got)
					}
					if errs := w.host.Text(process.Stderr); !strings.Contains(errs, "nothing came for too long") {
						t.Errorf("stderr %q", errs)
					}
				})
			}
		})
	}
}

// Slow tokens are no silence.
func TestSlowTokensAreWaitedFor(t *testing.T) {
	for _, provider := range []string{agent.OpenAI, agent.Anthropic} {
		t.Run(provider, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, provider)
			w.env = open(t, w.server, provider, 3*time.Second)
			if err := w.env.Setup(t.Context()); err != nil {
				t.Fatal(err)
			}
			const said = "slow but steady wins the race"
			turn := agenttest.Say(said)
			turn.Piece, turn.Delay = 1, 120*time.Millisecond // more than the patience, all in all
			w.server.Script(turn)
			if got := w.succeed(spec("x")); got != said || len(w.server.Requests()) != 1 {
				t.Errorf("result %q after %d questions", got, len(w.server.Requests()))
			}
		})
	}
}

// Text is written while it arrives, not at the end.
func TestTextIsLive(t *testing.T) {
	eachProvider(t, func(t *testing.T, w *world) {
		wait := make(chan struct{})
		first := agenttest.Say("first;")
		first.Piece = 1
		first.Then = func(event int) {
			if event == 6 { // some of it is sent, and not all
				<-wait
			}
		}
		w.server.Script(first)
		done := w.start(t.Context(), spec("x"))
		for !strings.HasPrefix(w.host.Text(process.Stdout), "fi") {
			time.Sleep(time.Millisecond)
		}
		select {
		case e := <-done:
			t.Errorf("it is over: %+v", e)
		default:
		}
		close(wait)
		w.await(done)
	})
}

func TestHangingToolIsGivenUp(t *testing.T) {
	eachProvider(t, func(t *testing.T, w *world) {
		w.host.OnCall = func(ctx context.Context, _, _ string, _ json.RawMessage) (json.RawMessage, error) {
			<-ctx.Done()
			return nil, context.Cause(ctx)
		}
		w.server.Script(agenttest.Ask(agenttest.Call{Name: "svc__hang", Args: "{}"}), agenttest.Say("never mind"))
		w.succeed(spec("x"))
		if m := w.transcript()[3]; !m.Failed || !strings.Contains(m.Text, "did not answer within") {
			t.Errorf("result %+v", m)
		}
	}, withTools("hang"), func(c *agent.Config) { c.ToolTimeout = 20 * time.Millisecond })
}

// The usage of an attempt that broke off is spent where it is known.
func TestBrokenAttemptsCount(t *testing.T) {
	w := newWorld(t, agent.Anthropic)
	broken := agenttest.Say("never finished")
	broken.Usage, broken.Piece, broken.Drop = agenttest.Usage{Input: 100, Output: 50}, 2, 6
	w.server.Script(broken, agenttest.Say("ok"))
	w.succeed(spec("x"))
	if got := w.host.Spent(); got != 101+15 {
		t.Errorf("spent %d, want 116", got)
	}
	if s := w.steps()[0]; s.InputTokens != 110 || s.Retries != 1 {
		t.Errorf("step %+v", s)
	}
}

func TestQuestionThatTakesTooLong(t *testing.T) {
	eachProvider(t, func(t *testing.T, w *world) {
		w.server.Script(agenttest.Hang(), agenttest.Say("ok"))
		w.succeed(spec("x"))
		if errs := w.host.Text(process.Stderr); !strings.Contains(errs, "did not answer within 1s") {
			t.Errorf("stderr %q", errs)
		}
	}, func(c *agent.Config) { c.CallTimeout = time.Second })
}

// The credential is nowhere but in the request.
func TestSecrets(t *testing.T) {
	eachProvider(t, func(t *testing.T, w *world) {
		w.server.Script(agenttest.Turn{Status: 429, Said: "slow down, " + key}, agenttest.Turn{Text: "x", Error: "oops " + key},
			agenttest.Turn{Status: 401, Said: "bad key " + key})
		res, err := w.run(spec("x"))
		all, _ := json.Marshal([]any{res, err.Error(), w.host.Emitted(), w.transcript(), w.host.Data(),
			w.host.Text(process.Stdout), w.host.Text(process.Stderr), w.env.Docs()})
		if strings.Contains(string(all), key) {
			t.Errorf("the key is in %s", all)
		}
		r := w.server.Requests()[0]
		if got := r.Header.Get("Authorization") + r.Header.Get("X-Api-Key"); !strings.Contains(got, key) {
			t.Error("the key was not sent")
		}
		if strings.Contains(string(r.Body), key) {
			t.Error("the key is in the question")
		}
	})
}
