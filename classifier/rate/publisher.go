package rate

import "math"

// Weighted is a rate in which every cluster counts once, as the mean of its units.
type Weighted struct {
	G        int64    // clusters with at least one unit
	Estimate float64  // mean of the rates of the clusters; NaN without clusters
	SE       float64  // standard deviation of these rates over √G; NaN with less than two clusters
	Mean     Interval // Estimate ± t·SE with G-1 degrees of freedom; may leave [0, 1]
	// Interval is Wilson's with Estimate(1-Estimate)/SE² (at most the number of units) for the sample size and t for z;
	// when SE is 0, with G and the normal quantile. Defined says whether there is one.
	Interval Interval
	Defined  bool
}

// PublisherWeighted estimates the rate of a publisher rather than that of a unit, with its interval at the two-sided
// level (statistics.md §0, §1.3). The order of the clusters does not matter.
func PublisherWeighted(clusters []ClusterCount, level float64) (Weighted, error) {
	_, counts, err := normalise(clusters)
	if err != nil {
		return Weighted{}, err
	}
	c := totals(counts)
	nan := math.NaN()
	w := Weighted{G: c.G, Estimate: nan, SE: nan, Mean: Interval{nan, nan}, Interval: Interval{0, 1}}
	if c.G == 0 {
		return w, nil
	}
	g := float64(c.G)
	var sum float64
	for _, k := range counts {
		sum += float64(float64(k.Y) / float64(k.M) * float64(k.Times))
	}
	w.Estimate = sum / g
	if c.G < 2 {
		return w, nil
	}
	w.Defined = true
	if equalRates(counts) {
		w.Estimate, w.SE = c.P, 0 // exactly, whatever the rounding of the sum
		w.Interval = score(w.Estimate, g, normalQuantile(level))
		return w, nil
	}
	var squares float64
	for _, k := range counts {
		d := float64(k.Y)/float64(k.M) - w.Estimate
		squares += float64(float64(d*d) * float64(k.Times))
	}
	v := squares / (g - 1) / g
	w.SE = math.Sqrt(v)
	t := studentQuantile(level, g-1)
	half := float64(t * w.SE)
	w.Mean = Interval{w.Estimate - half, w.Estimate + half}
	nEff := min(float64(w.Estimate*(1-w.Estimate))/v, float64(c.N))
	w.Interval = score(w.Estimate, nEff, t)
	return w, nil
}

func equalRates(counts []ClusterCount) bool {
	for _, k := range counts[1:] {
		if k.Y*counts[0].M != counts[0].Y*k.M {
			return false
		}
	}
	return true
}
