package job

import (
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/mcpcensus/mcpcensus/crawler/world"
)

// The metrics of a process count what its run has stored.
func TestMetrics(t *testing.T) {
	t.Parallel()
	w := world.New(5, 20)
	url := startWorld(t, w)
	registry := prometheus.NewRegistry()
	o := options(t, newPool(t))
	o.Metrics = NewMetrics(registry)
	run := census(t, o, quick(url))
	p, err := Look(t.Context(), o, run)
	if err != nil {
		t.Fatal(err)
	}
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	total := map[string]float64{}
	for _, f := range families {
		for _, m := range f.GetMetric() {
			total[f.GetName()] += m.GetCounter().GetValue() + float64(m.GetHistogram().GetSampleCount())
		}
	}
	for name, want := range map[string]int64{
		"mcpcensus_probes_total": p.Probed, "mcpcensus_probe_seconds": p.Probed, "mcpcensus_exchanges_total": p.Exchanges,
		"mcpcensus_received_bytes_total": p.Received, "mcpcensus_classified_probes_total": p.Classified,
	} {
		if got := total[name]; got != float64(want) || want == 0 {
			t.Errorf("%s is %v, the run has %d", name, got, want)
		}
	}
}
