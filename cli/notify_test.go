package cli

import (
	"testing"
	"time"

	"github.com/reeverun/reeve/process"
)

func TestNotifyText(t *testing.T) {
	now := time.Date(2026, 6, 24, 12, 0, 0, 0, time.UTC)
	r := &process.Record{Run: 2, Notify: &process.NotifyRecord{URL: "http://h/done?•••"}}
	refused, code := "connection refused", 200
	for want, n := range map[string]*process.NotificationRecord{
		"http://h/done?•••":                                                       nil,
		"http://h/done?•••  delivered, 1 attempt":                                 {Run: 2, State: "delivered", Attempts: 1, LastStatus: &code},
		"http://h/done?•••  failed, 13 attempts: connection refused":              {Run: 2, State: "failed", Attempts: 13, LastError: &refused},
		"http://h/done?•••  pending, 0 attempts":                                  {Run: 2, State: "pending", NextAttemptAt: &process.Stamp{Time: now}},
		"http://h/done?•••  pending, 3 attempts: connection refused, next in 20s": {Run: 2, State: "pending", Attempts: 3, LastError: &refused, NextAttemptAt: &process.Stamp{Time: now.Add(20 * time.Second)}},
	} {
		if got := notifyText(r, n, now); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	earlier := &process.NotificationRecord{Run: 1, State: "delivered", Attempts: 1}
	if got := notifyText(r, earlier, now); got != "http://h/done?•••" {
		t.Errorf("of an earlier run: %q", got)
	}
	if got := notifyText(&process.Record{}, nil, now); got != "" {
		t.Errorf("without one: %q", got)
	}
}
