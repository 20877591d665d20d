package telemetry

import "github.com/prometheus/client_golang/prometheus"

// Notifications count attempts to notify somebody that a run is over, by what
// became of them, and what is to be sent.
type Notifications struct {
	Delivered, Retried, Failed int64
	Pending                    int
}

// CountNotifications adds the figures of notifications. It asks count at each
// scrape. Call it once, when the runtime is open.
func (t *T) CountNotifications(count func() (Notifications, error)) {
	t.registry.MustRegister(notificationGauge{count,
		prometheus.NewDesc("reeve_notification_attempts_total",
			"Attempts to send a notification: delivered, to be made again (retry), or the last one (failed).", []string{"result"}, nil),
		prometheus.NewDesc("reeve_notifications_pending", "Notifications that are to be sent, or sent again.", nil, nil)})
}

type notificationGauge struct {
	count             func() (Notifications, error)
	attempts, pending *prometheus.Desc
}

// Describe implements [prometheus.Collector].
func (g notificationGauge) Describe(ch chan<- *prometheus.Desc) { ch <- g.attempts; ch <- g.pending }

// Collect implements [prometheus.Collector].
func (g notificationGauge) Collect(ch chan<- prometheus.Metric) {
	now, err := g.count()
	for result, n := range map[string]int64{"delivered": now.Delivered, "retry": now.Retried, "failed": now.Failed} {
		ch <- prometheus.MustNewConstMetric(g.attempts, prometheus.CounterValue, float64(n), result)
	}
	if err != nil { // what is not known is not shown as 0
		ch <- prometheus.NewInvalidMetric(g.pending, err)
		return
	}
	ch <- prometheus.MustNewConstMetric(g.pending, prometheus.GaugeValue, float64(now.Pending))
}
