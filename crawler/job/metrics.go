package job

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/mcpcensus/mcpcensus/prober/wire"
)

// Metrics are what a process tells Prometheus. They count what this process did; what a run has reached is in the
// database and shown by `mcpcensus db status`.
type Metrics struct {
	pages       prometheus.Counter
	rows        prometheus.Counter
	retries     *prometheus.CounterVec
	probes      *prometheus.CounterVec
	exchanges   *prometheus.CounterVec
	latency     *prometheus.HistogramVec
	probeTime   prometheus.Histogram
	received    prometheus.Counter
	hosts       prometheus.Gauge
	classifieds prometheus.Counter
	batchTime   prometheus.Histogram
	stage       *prometheus.GaugeVec
	depth       *prometheus.GaugeVec
}

// internetBuckets suit answers that come from anywhere, in seconds.
var internetBuckets = []float64{.05, .1, .25, .5, 1, 2.5, 5, 10, 15, 30, 60}

// NewMetrics registers the metrics of a process; nil registers nowhere.
func NewMetrics(registry prometheus.Registerer) *Metrics {
	m := &Metrics{
		pages:       prometheus.NewCounter(prometheus.CounterOpts{Name: "mcpcensus_registry_pages_total", Help: "Registry pages stored."}),
		rows:        prometheus.NewCounter(prometheus.CounterOpts{Name: "mcpcensus_registry_rows_total", Help: "Registry rows stored."}),
		retries:     prometheus.NewCounterVec(prometheus.CounterOpts{Name: "mcpcensus_retries_total", Help: "Requests sent again, by what they were for."}, []string{"step"}),
		probes:      prometheus.NewCounterVec(prometheus.CounterOpts{Name: "mcpcensus_probes_total", Help: "Visits stored, by outcome and by why they ended."}, []string{"outcome", "ended"}),
		exchanges:   prometheus.NewCounterVec(prometheus.CounterOpts{Name: "mcpcensus_exchanges_total", Help: "Exchanges stored, by step and failure."}, []string{"step", "failure"}),
		latency:     prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "mcpcensus_first_byte_seconds", Help: "Time to the response header, by step.", Buckets: internetBuckets}, []string{"step"}),
		probeTime:   prometheus.NewHistogram(prometheus.HistogramOpts{Name: "mcpcensus_probe_seconds", Help: "Time of a whole visit.", Buckets: internetBuckets}),
		received:    prometheus.NewCounter(prometheus.CounterOpts{Name: "mcpcensus_received_bytes_total", Help: "Bytes of response bodies received from endpoints."}),
		hosts:       prometheus.NewGauge(prometheus.GaugeOpts{Name: "mcpcensus_hosts_visiting", Help: "Hosts that this process is visiting now."}),
		classifieds: prometheus.NewCounter(prometheus.CounterOpts{Name: "mcpcensus_classified_probes_total", Help: "Transcripts classified."}),
		batchTime:   prometheus.NewHistogram(prometheus.HistogramOpts{Name: "mcpcensus_classify_batch_seconds", Help: "Time to classify and store a batch of transcripts.", Buckets: prometheus.DefBuckets}),
		stage:       prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: "mcpcensus_run_progress_ratio", Help: "Share of the stage that is done, by run and stage."}, []string{"run", "stage"}),
		depth:       prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: "mcpcensus_queue_jobs", Help: "Jobs that wait or run, by kind and state."}, []string{"kind", "state"}),
	}
	if registry != nil {
		registry.MustRegister(m.pages, m.rows, m.retries, m.probes, m.exchanges, m.latency, m.probeTime, m.received, m.hosts,
			m.classifieds, m.batchTime, m.stage, m.depth)
	}
	return m
}

func (m *Metrics) page(rows, attempts int) {
	m.pages.Inc()
	m.rows.Add(float64(rows))
	m.retries.WithLabelValues("registry_page").Add(float64(attempts - 1))
}

func (m *Metrics) probed(t *wire.Transcript) {
	m.probes.WithLabelValues(t.Outcome(), string(t.Ended)).Inc()
	m.probeTime.Observe(t.Finished.Sub(t.Started).Seconds())
	for i := range t.Exchanges {
		x := &t.Exchanges[i]
		m.exchanges.WithLabelValues(string(x.Step), string(x.Failure)).Inc()
		m.received.Add(float64(x.BodyLength))
		if x.Status != 0 {
			m.latency.WithLabelValues(string(x.Step)).Observe(x.FirstByte.Seconds())
		}
		if x.Try > 1 {
			m.retries.WithLabelValues(string(x.Step)).Inc()
		}
	}
}

func (m *Metrics) classified(probes int, took time.Duration) {
	m.classifieds.Add(float64(probes))
	m.batchTime.Observe(took.Seconds())
}

// Report sets the gauges that describe a run.
func (m *Metrics) Report(p Progress) {
	share := func(done, all int64) float64 {
		if all == 0 {
			return 0
		}
		return float64(done) / float64(all)
	}
	m.stage.WithLabelValues(p.Run, string(Probe)).Set(share(p.Probed, p.Targets))
	m.stage.WithLabelValues(p.Run, string(Classify)).Set(share(p.Classified, p.Probed))
}
