package server

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/reeverun/reeve"
)

func TestScratchChaos(t *testing.T) {
	a := attack(t, reeve.Config{Dir: t.TempDir()}, Config{}, nil)
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 100}}
	base := runtime.NumGoroutine()
	var wg sync.WaitGroup
	stop := time.Now().Add(8 * time.Second)
	bad := map[string]int{}
	var mu sync.Mutex
	for range 60 {
		wg.Go(func() {
			for time.Now().Before(stop) {
				ctx, cancel := context.WithTimeout(context.Background(), time.Duration(rand.IntN(1500))*time.Millisecond)
				id := 1 + rand.IntN(40)
				var m, p, b, acc string
				m = "GET"
				key := ""
				switch rand.IntN(10) {
				case 0:
					m, p, b = "POST", "/processes", `{"code":"out a\nsleep 20ms\nout b","block":true}`
				case 1:
					m, p, b = "POST", "/processes", fmt.Sprintf(`{"code":"out a","ref":"r%d"}`, rand.IntN(5))
					key = fmt.Sprint("k", rand.IntN(5))
				case 2:
					m, p = "POST", fmt.Sprintf("/processes/%d/signals/kill", id)
					b = `{"block":true}`
				case 3:
					m, p, b = "POST", fmt.Sprintf("/processes/%d/signals/run", id), `{"force":true,"block":true}`
				case 4:
					m, p = "DELETE", fmt.Sprintf("/processes/%d", id)
				case 5:
					p, acc = fmt.Sprintf("/processes/%d/events", id), "text/event-stream"
				case 6:
					p, acc = "/events", "text/event-stream"
				case 7:
					p = fmt.Sprintf("/processes/%d/stdout?follow=1", id)
				case 8:
					p = "/processes?include=stdout,code&limit=30"
				case 9:
					p = "/events?after=0&limit=50"
				}
				req, _ := http.NewRequestWithContext(ctx, m, a.http.URL+p, strings.NewReader(b))
				if acc != "" {
					req.Header.Set("Accept", acc)
				}
				if key != "" {
					req.Header.Set("Idempotency-Key", key)
				}
				res, err := client.Do(req)
				if err == nil {
					body, _ := io.ReadAll(res.Body)
					res.Body.Close()
					mu.Lock()
					bad[fmt.Sprint(m, " ", res.StatusCode)]++
					mu.Unlock()
					if res.StatusCode >= 500 {
						t.Errorf("%s %s %d %s", m, p, res.StatusCode, body)
					}
				}
				cancel()
			}
		})
	}
	wg.Wait()
	t.Log(bad)
	client.CloseIdleConnections()
	soon(t, "all given back", func() bool { return len(a.waiters) == 0 && len(a.slots) == 0 })
	if !within(5*time.Second, func() bool { return runtime.NumGoroutine() <= base+3 }) {
		t.Errorf("goroutines %d %d", base, runtime.NumGoroutine())
	}
}

func TestScratchOnce(t *testing.T) {
	a := attack(t, reeve.Config{Dir: t.TempDir()}, Config{}, nil)
	var wg sync.WaitGroup
	var mu sync.Mutex
	seen := map[float64]int{}
	st := map[int]int{}
	for range 50 {
		wg.Go(func() {
			res, body, err := a.send(t, "POST", "/processes", `{"code":"out x","ref":"one"}`, "Idempotency-Key", "k")
			if err != nil {
				t.Error(err)
				return
			}
			var m map[string]any
			json.Unmarshal([]byte(body), &m)
			mu.Lock()
			id, _ := m["id"].(float64)
			seen[id]++
			st[res.StatusCode]++
			mu.Unlock()
		})
	}
	wg.Wait()
	if len(seen) != 1 || st[201] != 1 {
		t.Error(seen, st)
	}
	for _, q := range []string{"since=0001-01-01T00:00:00Z", "since=1000-01-01", "until=9999-12-31T23:59:59Z", "until=2262-04-12", "since=9999-12-31", "since=2026-01-01T00:00:00-23:59", "cursor=9223372036854775807", "tag=%00", "ref=%ff", "limit=%2B5"} {
		res, body, err := a.get(t, "/processes?"+q)
		if err != nil || res.StatusCode != 200 {
			t.Error(q, err, body)
		} else {
			t.Log(q, strings.Count(body, `"id"`))
		}
	}
	for _, b := range []string{`{"code":"\ud800"}`, "{\"code\":\"\xff\"}", `{"code":"x","priority":9007199254740993}`, `{"code":"x","priority":1.0}`, `{"code":"x","priority":1e2}`, `{"code":"x","options":{"timeout":1e3}}`,`{"code":"x","options":{"timeout":9007199254740992}}`, `{"code":"x","tags":["\u0000"]}`, `{"code":"x","ref":"\u0000"}`, `{"code":"x"} x`, strings.Repeat("[", 20000), `{"code":"x","options":{"timeout":1.5}}`, `{"environment":"command","command":{"program":"x","env":{"A":12345}}}`, `{"code":"x","parent":99999}`, `{"environment":"function","code":"x"}`, `{"environment":"nope","code":"x"}`, `{"code":"x","options":{"require":["a"]}}`, `{"code":"x","interpreter":"zzz"}`, `{"environment":"command","code":"x","rawOutput":"persist","options":{"grace":0,"drain":0}}`} {
		res, body, err := a.send(t, "POST", "/processes", b)
		if err != nil {
			t.Error(err)
			continue
		}
		t.Logf("%.60s -> %d %.150s", b, res.StatusCode, body)
	}
}
