package report

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/mcpcensus/mcpcensus/classifier/rate"
	"github.com/mcpcensus/mcpcensus/classifier/redact"
)

// Write renders the report.
func Write(w io.Writer, r Report, format Format) error {
	switch format {
	case Text:
		_, err := io.WriteString(w, renderText(r))
		return err
	case Markdown:
		_, err := io.WriteString(w, renderMarkdown(r))
		return err
	case CSV:
		return writeCSV(w, r)
	case JSON:
		return writeJSON(w, r)
	default:
		return fmt.Errorf("unknown format %q: choose one of %s", format, strings.Join(Formats(), ", "))
	}
}

func writeJSON(w io.Writer, r Report) error {
	var b strings.Builder
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(r); err != nil {
		return err
	}
	_, err := io.WriteString(w, redact.JSON(b.String()))
	return err
}

// section is a heading with lines under it; text and Markdown differ only in the marks around these.
type section struct {
	title string
	lines []string
}

func sections(r Report) []section {
	return slices.DeleteFunc([]section{
		{"Registry", walkLines(r)},
		{"Frame", frameLines(r.Frame)},
		{"Funnel", funnelLines(r.Funnel)},
		{"Rates", rateLines(r.Rates)},
		{"Breakdowns", breakdownLines(r.Breakdowns)},
		{"Outcomes of the visits", countLines(r.Outcomes)},
		{"Courtesy", ledgerLines(r)},
	}, func(s section) bool { return len(s.lines) == 0 })
}

func title(r Report) string {
	t := "mcpcensus run " + r.Run
	if r.Simulated {
		t += " (a simulated world)"
	}
	if r.Finished == nil {
		t += ", unfinished: stage " + r.Stage
	}
	return t
}

func renderText(r Report) string {
	var b strings.Builder
	b.WriteString(title(r) + "\n")
	for _, s := range sections(r) {
		b.WriteString("\n" + s.title + "\n")
		for _, line := range s.lines {
			b.WriteString(wrap("  "+redact.Printable(line)) + "\n")
		}
	}
	return b.String()
}

// textWidth is how wide a line of text may be before it is continued on the next one, in characters.
const textWidth = 118

// wrap continues a long line on the next ones, further in, at the dots that separate its parts.
func wrap(line string) string {
	const dot = " · "
	indent := strings.Repeat(" ", len(line)-len(strings.TrimLeft(line, " "))+4)
	var b strings.Builder
	width := 0
	for i, part := range strings.Split(line, dot) {
		n := utf8.RuneCountInString(part)
		switch {
		case i == 0:
		case width+len(dot)+n > textWidth:
			b.WriteString(" ·\n" + indent)
			width = len(indent)
		default:
			b.WriteString(dot)
			width += len(dot)
		}
		b.WriteString(part)
		width += n
	}
	return b.String()
}

func renderMarkdown(r Report) string {
	var b strings.Builder
	b.WriteString("# " + title(r) + "\n")
	for _, s := range sections(r) {
		b.WriteString("\n## " + s.title + "\n\n")
		for _, line := range s.lines {
			indent := line[:len(line)-len(strings.TrimLeft(line, " "))]
			b.WriteString(indent + "- " + escapeMarkdown(redact.Printable(strings.TrimLeft(line, " "))) + "\n")
		}
	}
	return b.String()
}

// escapeMarkdown keeps words that came from the wire from becoming markup.
func escapeMarkdown(s string) string {
	return strings.NewReplacer(`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "<", "&lt;", "[", `\[`, "|", `\|`).Replace(s)
}

func walkLines(r Report) []string {
	w := r.Walk
	lines := []string{
		"from " + r.Registry,
		fmt.Sprintf("%s rows of %s names on %s pages (%s active, %s deprecated, %s deleted; %s latest)", number(w.Rows), number(w.Names),
			number(w.Pages), number(w.Active), number(w.Deprecated), number(w.Deleted), number(w.Latest)),
	}
	if w.BadRows > 0 {
		lines = append(lines, fmt.Sprintf("%s rows without a usable identity, kept apart", number(w.BadRows)))
	}
	switch {
	case w.State == "closed" && len(w.Unproven) == 0:
		lines = append(lines, "walk complete: every page, reconciled, checked")
	case w.State == "closed":
		lines = append(lines, "walk read to the end, not proven complete: "+strings.Join(w.Unproven, "; "))
	case w.Reason != "":
		lines = append(lines, "walk "+w.State+": "+w.Reason)
	default:
		lines = append(lines, "walk "+w.State)
	}
	return lines
}

func frameLines(f Frame) []string {
	lines := []string{
		fmt.Sprintf("%s remote declarations; %s endpoints by raw spelling over all rows, %s by canonical URL over active latest rows",
			number(f.Declarations), number(f.RawAll), number(f.CanonicalLatest)),
		fmt.Sprintf("%s targets, %s eligible", number(f.Targets), number(f.Eligible)),
	}
	if f.Sampled != f.Eligible {
		lines[1] += fmt.Sprintf(", %s of them in the sample of this run", number(f.Sampled))
	}
	for _, c := range f.Ineligible {
		lines = append(lines, fmt.Sprintf("  %s not eligible: %s", number(c.Count), c.Name))
	}
	return lines
}

func funnelLines(steps []Step) []string {
	lines := make([]string, len(steps))
	for i, s := range steps {
		lines[i] = fmt.Sprintf("%s %s", number(s.Count), s.Name)
	}
	return lines
}

func rateLines(rows []rate.Row) []string {
	var lines []string
	for _, row := range rows {
		lines = append(lines, row.ID+": "+row.Numerator.Def, "  "+rate.Render(row))
	}
	return lines
}

func breakdownLines(breakdowns []rate.Breakdown) []string {
	var lines []string
	for _, b := range breakdowns {
		lines = append(lines, b.ID)
		for _, line := range rate.RenderBreakdown(b) {
			lines = append(lines, "  "+line)
		}
	}
	return lines
}

func countLines(counts []Count) []string {
	lines := make([]string, len(counts))
	for i, c := range counts {
		lines[i] = fmt.Sprintf("%s %s", number(c.Count), c.Name)
	}
	return lines
}

func ledgerLines(r Report) []string {
	l := r.Ledger
	if l.Visits == 0 {
		return nil
	}
	lines := []string{fmt.Sprintf("%s requests sent in %s visits and %s reads of robots.txt", number(l.Sent), number(l.Visits), number(l.Robots))}
	switch {
	case l.Unsettled == 0:
	case r.Finished == nil:
		lines = append(lines, fmt.Sprintf("%s requests reserved by visits that are under way, or were cut by a crash", number(l.UnsettledRequests)))
	default:
		lines = append(lines, fmt.Sprintf("%s requests reserved by visits that were cut by a crash (%s of them): they count as spent",
			number(l.UnsettledRequests), number(l.Unsettled)))
	}
	return lines
}

// writeCSV writes one line a rate; what has no number is empty. missing counts units of the frame without a verdict,
// unknown those of the row where its frame is of another unit.
func writeCSV(w io.Writer, r Report) error {
	out := csv.NewWriter(w)
	header := []string{"run", "id", "classifier", "kind", "unit", "x", "n", "excluded", "frame_n", "missing", "unknown", "estimate", "wilson_lo", "wilson_hi",
		"cluster_lo", "cluster_hi", "operators", "n_eff", "publisher_weighted", "publisher_lo", "publisher_hi", "bounds_lo", "bounds_hi", "reading"}
	if err := out.Write(header); err != nil {
		return err
	}
	for _, row := range r.Rates {
		if err := out.Write(csvRecord(r.Run, row)); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

func csvRecord(run string, row rate.Row) []string {
	record := []string{run, row.ID, row.Classifier, row.Kind, row.Unit, integer(row.Numerator.X), integer(row.Denominator.N),
		integer(total(row.Denominator.Excluded)), integer(row.Frame.N), integer(total(row.Frame.Missing)),
		integer(total(row.Denominator.Missing)), float(row.Estimate)}
	var binomial, across, publisher, bounds [2]*float64
	var operators, publisherRate, nEff string
	if row.Binomial != nil {
		binomial = [2]*float64{&row.Binomial.Lo, &row.Binomial.Hi}
	}
	if row.Cluster != nil {
		across = [2]*float64{row.Cluster.Lo, row.Cluster.Hi}
		operators, nEff = integer(row.Cluster.G), float(row.Cluster.NEff)
	}
	if row.Publisher != nil {
		publisher = [2]*float64{row.Publisher.Lo, row.Publisher.Hi}
		publisherRate = float(row.Publisher.Estimate)
	}
	if row.Bounds != nil {
		bounds = [2]*float64{&row.Bounds.Lo, &row.Bounds.Hi}
	}
	return append(record, float(binomial[0]), float(binomial[1]), float(across[0]), float(across[1]), operators, nEff,
		publisherRate, float(publisher[0]), float(publisher[1]), float(bounds[0]), float(bounds[1]), row.Reading)
}

func total(counts map[string]int64) int64 {
	var sum int64
	for _, n := range counts {
		sum += n
	}
	return sum
}

func integer(n int64) string { return strconv.FormatInt(n, 10) }

func float(v *float64) string {
	if v == nil {
		return ""
	}
	return strconv.FormatFloat(*v, 'g', -1, 64)
}

// number writes an integer with thousands separators.
func number(n int64) string {
	s := strconv.FormatInt(n, 10)
	for i := len(s) - 3; i > 0; i -= 3 {
		if s[i-1] == '-' {
			break
		}
		s = s[:i] + "," + s[i:]
	}
	return s
}
