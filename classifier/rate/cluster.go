package rate

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
)

// ClusterCount says that Times clusters have M units each, of which Y are positive. Times 0 is read as 1.
type ClusterCount struct{ M, Y, Times int64 }

// Clustered is the estimate of a proportion whose units come in clusters. A quantity that is undefined for the data is
// NaN.
type Clustered struct {
	N, X, G  int64   // units, positive units, clusters with at least one unit
	P        float64 // X/N
	MaxShare float64 // share of the largest cluster in the units
	GStar    float64 // (Σm)²/Σm², effective number of clusters (Kish)
	GStar2   float64 // (Σm²)²/Σm⁴, clusters that drive the variance when a cluster is all of one kind
	SE1      float64 // linearised standard error (CR1, Binder 1983)
	Deff     float64 // variance design effect of SE1 (Kish 1965)
	SE2      float64 // bias-reduced standard error (CR2)
	DF       float64 // degrees of freedom of SE2 (Bell & McCaffrey 2002)
	T        float64 // two-sided t quantile with DF at the level
	NEff     float64 // effective sample size: P(1-P)/SE2², at most N; G when SE2 is 0
	ICC      float64 // intra-cluster correlation, ANOVA estimate

	// Interval is Wilson's with NEff for the sample size and T for z; when SE2 is 0 (every cluster has the same rate)
	// the normal quantile stands for T. Defined says whether there is one: not with less than two clusters.
	Interval Interval
	Defined  bool

	DropLargest float64  // rate without the largest cluster; of several the first given
	LeaveOneOut Interval // smallest and largest rate that leaving out one cluster gives
}

// ErrCounts is wrapped by the errors that report impossible counts.
var ErrCounts = errors.New("impossible counts")

// Cluster estimates the proportion of positive units and its interval at the two-sided level if other clusters had been
// drawn: the interval of statistics.md §1.3 in closed form. Only DropLargest depends on the order of clusters.
func Cluster(clusters []ClusterCount, level float64) (Clustered, error) {
	largest, counts, err := normalise(clusters)
	if err != nil {
		return Clustered{}, err
	}
	c := totals(counts)
	nan := math.NaN()
	c.SE1, c.Deff, c.SE2, c.DF, c.T, c.NEff, c.ICC, c.DropLargest = nan, nan, nan, nan, nan, nan, nan, nan
	c.LeaveOneOut = Interval{nan, nan}
	c.Interval = Interval{0, 1}
	if c.G < 2 {
		return c, nil
	}
	c.ICC = icc(counts, c)
	c.DropLargest = float64(c.X-largest.Y) / float64(c.N-largest.M)
	c.LeaveOneOut = leaveOneOut(counts, c)
	v1, v2 := variances(counts, c)
	c.SE1, c.SE2 = math.Sqrt(v1), math.Sqrt(v2)
	c.DF = degreesOfFreedom(counts, c)
	c.T = studentQuantile(level, c.DF)
	c.Defined = true
	if v2 == 0 {
		c.NEff = float64(c.G)
		c.Interval = score(c.P, c.NEff, normalQuantile(level))
		return c, nil
	}
	pq := float64(c.P * (1 - c.P))
	c.Deff = float64(v1*float64(c.N-1)) / pq
	c.NEff = min(pq/v2, float64(c.N))
	c.Interval = score(c.P, c.NEff, c.T)
	return c, nil
}

// normalise checks the counts, drops clusters without units, merges equal ones and sorts them, so that sums do not
// depend on the order given. It also returns the largest cluster, the first given of several.
func normalise(clusters []ClusterCount) (largest ClusterCount, counts []ClusterCount, err error) {
	for _, c := range clusters {
		if c.M < 0 || c.Y < 0 || c.Y > c.M || c.Times < 0 {
			return largest, nil, fmt.Errorf("%w: %d positive of %d units, %d times", ErrCounts, c.Y, c.M, c.Times)
		}
		if c.M == 0 {
			continue
		}
		c.Times = max(c.Times, 1)
		if c.M > largest.M {
			largest = c
		}
		counts = append(counts, c)
	}
	slices.SortFunc(counts, func(a, b ClusterCount) int {
		return cmp.Or(cmp.Compare(a.M, b.M), cmp.Compare(a.Y, b.Y))
	})
	merged := counts[:0]
	for _, c := range counts {
		if k := len(merged); k > 0 && merged[k-1].M == c.M && merged[k-1].Y == c.Y {
			merged[k-1].Times += c.Times
			continue
		}
		merged = append(merged, c)
	}
	return largest, merged, nil
}

// totals fills what depends on sizes and sums only.
func totals(counts []ClusterCount) Clustered {
	var c Clustered
	var m2, m4 float64
	var largest int64
	for _, k := range counts {
		c.N += k.M * k.Times
		c.X += k.Y * k.Times
		c.G += k.Times
		largest = max(largest, k.M)
		square := float64(float64(k.M) * float64(k.M))
		m2 += float64(square * float64(k.Times))
		m4 += float64(float64(square*square) * float64(k.Times))
	}
	if c.N == 0 {
		c.P, c.MaxShare, c.GStar, c.GStar2 = math.NaN(), math.NaN(), math.NaN(), math.NaN()
		return c
	}
	n := float64(c.N)
	c.P = float64(c.X) / n
	c.MaxShare = float64(largest) / n
	c.GStar = float64(n*n) / m2
	c.GStar2 = float64(m2*m2) / m4
	return c
}

// variances returns CR1, v1 = G/(G-1)·Σu²/n², and CR2, v2 = Σ u²/(1-h)/n², with u = y-p·m and h = m/n. In integers
// d = y·n-x·m the terms are u = d/n and u²/(1-h) = d²/(n·(n-m)), so both are exactly 0 when all clusters agree.
func variances(counts []ClusterCount, c Clustered) (v1, v2 float64) {
	n := float64(c.N)
	for _, k := range counts {
		d := float64(k.Y*c.N - c.X*k.M)
		square := float64(float64(d*d) * float64(k.Times))
		v1 += square / float64(n*n)
		v2 += square / float64(n*float64(c.N-k.M))
	}
	v1 = float64(v1*float64(c.G)) / float64(c.G-1) / float64(n*n)
	return v1, v2 / float64(n*n)
}

// degreesOfFreedom is 1/(S₂+(Σw)²-Σw²) with S₂ = Σh² and w = h²/(1-h).
func degreesOfFreedom(counts []ClusterCount, c Clustered) float64 {
	var s2, w1, w2 float64
	for _, k := range counts {
		h := float64(k.M) / float64(c.N)
		w := float64(h*h) * float64(c.N) / float64(c.N-k.M)
		times := float64(k.Times)
		s2 += float64(float64(h*h) * times)
		w1 += float64(w * times)
		w2 += float64(float64(w*w) * times)
	}
	return 1 / (s2 + float64(w1*w1) - w2)
}

// icc is the ANOVA estimate (MSB-MSW)/(MSB+(n0-1)·MSW), n0 = (n-Σm²/n)/(G-1).
func icc(counts []ClusterCount, c Clustered) float64 {
	if c.N == c.G {
		return math.NaN() // a single unit in each cluster: nothing varies within
	}
	n, g := float64(c.N), float64(c.G)
	var between, within, m2 float64
	for _, k := range counts {
		m, y, times := float64(k.M), float64(k.Y), float64(k.Times)
		d := float64(k.Y*c.N-c.X*k.M) / n
		between += float64(float64(d*d)/m) * times
		within += float64(float64(y*float64(k.M-k.Y))/m) * times
		m2 += float64(float64(m*m) * times)
	}
	msb := between / (g - 1)
	msw := within / (n - g)
	n0 := (n - m2/n) / (g - 1)
	total := msb + float64((n0-1)*msw)
	if total == 0 {
		return math.NaN()
	}
	return (msb - msw) / total
}

func leaveOneOut(counts []ClusterCount, c Clustered) Interval {
	out := Interval{math.Inf(1), math.Inf(-1)}
	for _, k := range counts {
		p := float64(c.X-k.Y) / float64(c.N-k.M)
		out.Lo, out.Hi = min(out.Lo, p), max(out.Hi, p)
	}
	return out
}
