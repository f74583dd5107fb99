package rate

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// Interval is a closed interval of proportions.
type Interval struct{ Lo, Hi float64 }

// Wilson is the score interval for x of n independent units at the two-sided level (Wilson 1927, without continuity
// correction). The limit is exactly 0 when x is 0 and exactly 1 when x is n; without units it is [0, 1].
func Wilson(x, n int64, level float64) Interval {
	if n <= 0 {
		return Interval{0, 1}
	}
	iv := score(float64(x)/float64(n), float64(n), normalQuantile(level))
	if x <= 0 {
		iv.Lo = 0
	}
	if x >= n {
		iv.Hi = 1
	}
	return iv
}

// score is Wilson's formula for a proportion p of n units, where n may be an effective sample size, and q is the
// quantile (of the normal or of a t distribution).
func score(p, n, q float64) Interval {
	q2 := float64(q * q)
	centre := p + q2/float64(2*n)
	spread := float64(q * math.Sqrt(float64(p*(1-p))/n+q2/float64(4*float64(n*n))))
	scale := 1 + q2/n
	iv := Interval{clamp((centre - spread) / scale), clamp((centre + spread) / scale)}
	if p <= 0 {
		iv.Lo = 0
	}
	if p >= 1 {
		iv.Hi = 1
	}
	return iv
}

// normalQuantile is z such that a share level of a standard normal lies within ±z.
func normalQuantile(level float64) float64 { return math.Sqrt2 * math.Erfinv(level) }

// studentQuantile is t such that a share level of a t distribution with df degrees of freedom lies within ±t.
func studentQuantile(level, df float64) float64 {
	return distuv.StudentsT{Mu: 0, Sigma: 1, Nu: df}.Quantile(1 - (1-level)/2)
}

func clamp(p float64) float64 { return min(max(p, 0), 1) }
