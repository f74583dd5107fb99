package rate

import (
	"encoding/csv"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"testing"
)

// The tables were computed with 60 decimal digits. These are their tolerances.
const (
	closedForm = 1e-12
	quantile   = 1e-11
)

// table is a file of the oracle: rows of columns by name.
func table(t *testing.T, name string) []map[string]string {
	t.Helper()
	dir := os.Getenv("MCPCENSUS_STATS_ORACLE")
	if dir == "" {
		dir = "testdata"
	}
	f, err := os.Open(filepath.Join(dir, name+".csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	records, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if len(records) < 2 {
		t.Fatalf("%s has no rows", name)
	}
	var rows []map[string]string
	for _, record := range records[1:] {
		row := map[string]string{}
		for i, cell := range record {
			row[records[0][i]] = cell
		}
		rows = append(rows, row)
	}
	return rows
}

func number(t *testing.T, row map[string]string, column string) float64 {
	t.Helper()
	v, err := strconv.ParseFloat(row[column], 64)
	if err != nil {
		t.Fatalf("column %s: %v", column, err)
	}
	return v
}

func integer(t *testing.T, row map[string]string, column string) int64 {
	t.Helper()
	v, err := strconv.ParseInt(row[column], 10, 64)
	if err != nil {
		t.Fatalf("column %s: %v", column, err)
	}
	return v
}

// near compares with a column of the table; an empty cell means undefined and is not compared.
func near(t *testing.T, row map[string]string, column string, got, tolerance float64) {
	t.Helper()
	if row[column] == "" {
		return
	}
	want := number(t, row, column)
	if !(math.Abs(got-want) <= tolerance) {
		t.Errorf("%s %s at %s: got %v, want %v (off by %g)", row["dataset"]+row["id"], column, row["level"], got, want, got-want)
	}
}

func TestWilsonOracle(t *testing.T) {
	t.Parallel()
	for _, row := range table(t, "a_proportion") {
		got := Wilson(integer(t, row, "x"), integer(t, row, "n"), number(t, row, "level"))
		near(t, row, "wilson_lo", got.Lo, closedForm)
		near(t, row, "wilson_hi", got.Hi, closedForm)
		if row["x"] == "0" && got.Lo != 0 || row["x"] == row["n"] && got.Hi != 1 {
			t.Errorf("id %s: limits %v are not exact at the end", row["id"], got)
		}
	}
}

func TestQuantilesOracle(t *testing.T) {
	t.Parallel()
	for _, row := range table(t, "h_quantiles") {
		level := number(t, row, "two_sided_level")
		row["level"] = row["two_sided_level"]
		if row["dist"] == "normal" {
			near(t, row, "quantile", normalQuantile(level), closedForm)
			continue
		}
		near(t, row, "quantile", studentQuantile(level, number(t, row, "df")), quantile)
	}
}

func TestManskiOracle(t *testing.T) {
	t.Parallel()
	for _, row := range table(t, "f_manski") {
		got, err := Manski(integer(t, row, "N_eligible"), integer(t, row, "m_answered"), integer(t, row, "x_positive"),
			number(t, row, "level"))
		if err != nil {
			t.Fatal(err)
		}
		near(t, row, "bound_lo", got.Lo, closedForm)
		near(t, row, "bound_hi", got.Hi, closedForm)
		near(t, row, "wilson_lo_of_lo", got.Outer.Lo, closedForm)
		near(t, row, "wilson_hi_of_hi", got.Outer.Hi, closedForm)
	}
}

// clustersOf reads a raw data set, one row a unit, and counts by a column, clusters in order of appearance.
func clustersOf(t *testing.T, dataset, by string) []ClusterCount {
	t.Helper()
	var out []ClusterCount
	at := map[string]int{}
	for _, row := range table(t, dataset) {
		i, seen := at[row[by]]
		if !seen {
			i = len(out)
			at[row[by]] = i
			out = append(out, ClusterCount{Times: 1})
		}
		out[i].M++
		out[i].Y += integer(t, row, "y")
	}
	return out
}

func TestClusterOracle(t *testing.T) {
	t.Parallel()
	for _, row := range table(t, "c_cluster_results") {
		counts := clustersOf(t, row["dataset"], row["cluster_var"])
		level := number(t, row, "level")
		c, err := Cluster(counts, level)
		if err != nil {
			t.Fatal(err)
		}
		if c.N != integer(t, row, "n") || c.G != integer(t, row, "G") || c.X != integer(t, row, "sum_y") {
			t.Errorf("%s: n %d, G %d, x %d", row["dataset"], c.N, c.G, c.X)
		}
		near(t, row, "p", c.P, closedForm)
		near(t, row, "se_cr1", c.SE1, closedForm)
		near(t, row, "deff", c.Deff, closedForm)
		near(t, row, "se_cr2", c.SE2, closedForm)
		near(t, row, "df_bm", c.DF, 1e-10) // up to 1,100: the last digit is 2e-13
		near(t, row, "t_bm", c.T, quantile)
		near(t, row, "wilson_cr2_lo", c.Interval.Lo, closedForm)
		near(t, row, "wilson_cr2_hi", c.Interval.Hi, closedForm)
		near(t, row, "gstar", c.GStar, 1e-10)
		near(t, row, "max_share", c.MaxShare, closedForm)
		near(t, row, "icc_anova", c.ICC, closedForm)
		near(t, row, "drop_largest_p", c.DropLargest, closedForm)
		near(t, row, "loo_min_p", c.LeaveOneOut.Lo, closedForm)
		near(t, row, "loo_max_p", c.LeaveOneOut.Hi, closedForm)
		w, err := PublisherWeighted(counts, level)
		if err != nil {
			t.Fatal(err)
		}
		near(t, row, "pubw_est", w.Estimate, closedForm)
		near(t, row, "pubw_se", w.SE, closedForm)
		near(t, row, "pubw_lo", w.Mean.Lo, closedForm)
		near(t, row, "pubw_hi", w.Mean.Hi, closedForm)
		near(t, row, "pubw_wilson_lo", w.Interval.Lo, closedForm)
		near(t, row, "pubw_wilson_hi", w.Interval.Hi, closedForm)
	}
}
