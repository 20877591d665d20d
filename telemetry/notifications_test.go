package telemetry_test

import (
	"errors"
	"testing"

	"github.com/reeverun/reeve/telemetry"
)

func TestNotificationsAreCounted(t *testing.T) {
	tel := start(t, telemetry.Config{})
	var broken error
	tel.CountNotifications(func() (telemetry.Notifications, error) {
		return telemetry.Notifications{Delivered: 5, Retried: 3, Failed: 2, Pending: 7}, broken
	})
	want := map[string]float64{"delivered": 5, "retry": 3, "failed": 2}
	now := scrape(t, tel)
	for _, m := range now["reeve_notification_attempts_total"].GetMetric() {
		if result := m.GetLabel()[0].GetValue(); m.GetCounter().GetValue() != want[result] {
			t.Errorf("%s: %v, want %v", result, m.GetCounter().GetValue(), want[result])
		}
	}
	if got := now["reeve_notifications_pending"].GetMetric()[0].GetGauge().GetValue(); got != 7 {
		t.Errorf("%v are pending, want 7", got)
	}
	broken = errors.New("the store is closed")
	now = scrape(t, tel) // what can be told is told all the same
	if now["reeve_notifications_pending"] != nil || len(now["reeve_notification_attempts_total"].GetMetric()) != 3 {
		t.Errorf("of a store that fails: %v", now)
	}
}
