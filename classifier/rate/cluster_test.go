package rate

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestClusterAllEqual(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name   string
		counts []ClusterCount
		p      float64
	}{
		{"none", []ClusterCount{{3, 0, 20}, {2, 0, 30}, {1, 0, 10}}, 0},
		{"all", []ClusterCount{{3, 3, 20}, {2, 2, 30}, {1, 1, 10}}, 1},
		{"half of each", []ClusterCount{{2, 1, 60}}, 0.5},
	} {
		c, err := Cluster(tc.counts, 0.95)
		if err != nil {
			t.Fatal(err)
		}
		want := score(tc.p, 60, normalQuantile(0.95))
		if c.SE2 != 0 || c.NEff != 60 || c.Interval != want || !c.Defined {
			t.Errorf("%s: SE2 %v, n_eff %v, interval %v, want n_eff 60 and %v", tc.name, c.SE2, c.NEff, c.Interval, want)
		}
		w, err := PublisherWeighted(tc.counts, 0.95)
		if err != nil {
			t.Fatal(err)
		}
		if w.Estimate != tc.p || w.Interval != want {
			t.Errorf("%s: weighted %v %v, want %v %v", tc.name, w.Estimate, w.Interval, tc.p, want)
		}
	}
	// 117 units without a positive one in 60 clusters: the limit of 60 units, not of 117.
	c, _ := Cluster([]ClusterCount{{2, 0, 57}, {1, 0, 3}}, 0.95)
	if c.Interval.Lo != 0 || math.Abs(c.Interval.Hi-Wilson(0, 60, 0.95).Hi) > 1e-15 {
		t.Errorf("all zero: %v, want the limits of 0 of 60", c.Interval)
	}
}

func TestClusterTooFew(t *testing.T) {
	t.Parallel()
	for _, counts := range [][]ClusterCount{nil, {{0, 0, 5}}, {{7, 3, 1}}} {
		c, err := Cluster(counts, 0.95)
		if err != nil || c.Defined {
			t.Errorf("%v: defined %v, error %v", counts, c.Defined, err)
		}
		if !math.IsNaN(c.SE2) || c.Interval != (Interval{0, 1}) {
			t.Errorf("%v: SE2 %v, interval %v", counts, c.SE2, c.Interval)
		}
		w, err := PublisherWeighted(counts, 0.95)
		if err != nil || w.Defined || w.Interval != (Interval{0, 1}) {
			t.Errorf("%v: weighted %+v, error %v", counts, w, err)
		}
	}
}

func TestClusterRefusesImpossibleCounts(t *testing.T) {
	t.Parallel()
	for _, bad := range []ClusterCount{{1, 2, 1}, {-1, -1, 1}, {3, -1, 1}, {3, 1, -1}} {
		if _, err := Cluster([]ClusterCount{bad}, 0.95); !errors.Is(err, ErrCounts) {
			t.Errorf("%v: error %v", bad, err)
		}
		if _, err := PublisherWeighted([]ClusterCount{bad}, 0.95); !errors.Is(err, ErrCounts) {
			t.Errorf("%v: weighted error %v", bad, err)
		}
	}
	for _, bad := range [][3]int64{{0, 0, 0}, {5, 6, 1}, {5, 3, 4}, {5, 3, -1}} {
		if _, err := Manski(bad[0], bad[1], bad[2], 0.95); !errors.Is(err, ErrCounts) {
			t.Errorf("Manski%v: error %v", bad, err)
		}
	}
}

// The bits of the result depend neither on the order of the clusters nor on how equal ones are written.
func TestClusterOrder(t *testing.T) {
	t.Parallel()
	counts := clustersOf(t, "c4_heavy_ear", "cluster")
	want, err := Cluster(counts, 0.95)
	if err != nil {
		t.Fatal(err)
	}
	wantWeighted, _ := PublisherWeighted(counts, 0.95)
	random := rand.New(rand.NewPCG(1, 2))
	for range 5 {
		shuffled := slices.Clone(counts)
		random.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
		if got, _ := Cluster(shuffled, 0.95); got != want {
			t.Fatalf("order changes the result:\n%+v\n%+v", got, want)
		}
		if got, _ := PublisherWeighted(shuffled, 0.95); got != wantWeighted {
			t.Fatalf("order changes the weighted result:\n%+v\n%+v", got, wantWeighted)
		}
	}
	_, merged, _ := normalise(counts)
	if len(merged) >= len(counts) {
		t.Fatalf("%d clusters were not merged", len(counts))
	}
	if got, _ := Cluster(merged, 0.95); got != want {
		t.Errorf("multiplicities change the result:\n%+v\n%+v", got, want)
	}
}

func FuzzCluster(f *testing.F) {
	f.Add([]byte{5, 2, 1, 3, 3, 9, 1, 0, 200})
	f.Add([]byte{255, 1, 1, 1, 0, 1})
	f.Add([]byte{2, 1, 60})
	f.Fuzz(func(t *testing.T, data []byte) {
		var counts []ClusterCount
		for ; len(data) >= 3; data = data[3:] {
			counts = append(counts, ClusterCount{M: int64(data[0]), Y: int64(min(data[0], data[1])), Times: int64(data[2])})
		}
		c, err := Cluster(counts, 0.95)
		if err != nil {
			t.Fatal(err)
		}
		w, err := PublisherWeighted(counts, 0.95)
		if err != nil {
			t.Fatal(err)
		}
		for name, iv := range map[string]Interval{"pooled": c.Interval, "weighted": w.Interval} {
			if !(0 <= iv.Lo && iv.Lo <= iv.Hi && iv.Hi <= 1) {
				t.Fatalf("%s interval %v", name, iv)
			}
		}
		if c.Defined && !(c.Interval.Lo <= c.P && c.P <= c.Interval.Hi) {
			t.Fatalf("interval %v does not hold %v", c.Interval, c.P)
		}
	})
}
