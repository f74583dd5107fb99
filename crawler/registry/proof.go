package registry

import (
	"fmt"
	"iter"
	"maps"
	"slices"
	"time"
)

// Proof is what shows that a crawl saw everything, as far as that can be shown from outside. What cannot be shown: rows
// that were created and removed for good within the window, and content that was rewritten without a new time of update
// after its page was read.
type Proof struct {
	Registry   string         `json:"registry"`
	Version    string         `json:"version"` // of the registry's program; empty when it does not say
	API        string         `json:"api"`
	Base       string         `json:"base,omitempty"`   // the crawl whose rows this one begins with; empty for a full walk
	Started    time.Time      `json:"started,omitzero"` // of the walk, by the registry's clock
	Finished   time.Time      `json:"finished,omitzero"`
	Extensions Extensions     `json:"extensions"`
	Passes     []PassProof    `json:"passes"`
	Chain      string         `json:"chain"` // what is wrong with the chain of cursors of the walk; empty when nothing is
	Gaps       []Gap          `json:"gaps,omitempty"`
	Closing    string         `json:"closing"` // closed, restless, or skipped with the reason
	Settled    int            `json:"settled"` // names whose versions were asked for because not exactly one was the latest
	Unsettled  []string       `json:"unsettled,omitempty"`
	Latest     LatestProof    `json:"latest"`
	Spot       SpotProof      `json:"spot"`
	Rows       int            `json:"rows"`
	Names      int            `json:"names"`
	Statuses   map[string]int `json:"statuses,omitempty"`
	Digest     string         `json:"digest"`   // see the function Digest
	Replayed   string         `json:"replayed"` // the same digest, derived from the archived pages alone
}

// Extensions says which parameters of the official registry this one understands; it is found out, not assumed.
type Extensions struct {
	UpdatedSince bool `json:"updated_since"`
	Version      bool `json:"version"`
}

// PassProof is the log of one pass.
type PassProof struct {
	Name    string    `json:"name"`
	Since   time.Time `json:"since,omitzero"` // of the rows that were asked for; closing passes only
	Started time.Time `json:"started,omitzero"`
	New     int       `json:"new"`     // rows that were not stored before
	Changed int       `json:"changed"` // rows that differ from the stored ones
	Gaps    []Gap     `json:"gaps,omitempty"`
	Tally
}

// LatestProof is the comparison with the independent list of the latest versions.
type LatestProof struct {
	Skipped     string   `json:"skipped,omitempty"` // why there is none
	Listed      int      `json:"listed"`            // names on the list
	Stored      int      `json:"stored"`            // names with a row that is not deleted
	Different   int      `json:"different"`         // names on one side only, or twice, or with another version
	Explained   int      `json:"explained"`         // of these: changed since the walk began, or without a latest version
	Moved       int      `json:"moved"`             // of these: only the version differed, and the version list settled it
	Unexplained []string `json:"unexplained,omitempty"`
}

// SpotProof is the check of names chosen by chance against the lists of their versions.
type SpotProof struct {
	Seed       uint64   `json:"seed"`
	Wanted     int      `json:"wanted"`
	Checked    int      `json:"checked"`
	Equal      int      `json:"equal"`
	Explained  int      `json:"explained"`            // different, but changed since the last closing pass
	Unanswered int      `json:"unanswered,omitempty"` // a registry without such lists
	Wrong      []string `json:"wrong,omitempty"`
}

// The values of Proof.Closing.
const (
	ClosingDone     = "closed"
	ClosingRestless = "restless"
	ClosingSkipped  = "skipped: the registry does not understand updated_since"
)

// Complete says whether the proof holds, and otherwise every reason why it does not.
func (p *Proof) Complete() (bool, []string) {
	var reasons []string
	fail := func(is bool, format string, args ...any) {
		if is {
			reasons = append(reasons, fmt.Sprintf(format, args...))
		}
	}
	fail(p.Finished.IsZero(), "unfinished")
	for _, pass := range p.Passes {
		fail(len(pass.Gaps) > 0, "gap: %d places of pass %s were jumped over", len(pass.Gaps), pass.Name)
	}
	fail(p.Base != "", "base: the rows were not all read, only what changed since run %s", p.Base)
	fail(p.Chain != "", "chain: %s", p.Chain)
	if len(p.Passes) > 0 && p.Base == "" {
		walk := p.Passes[0]
		fail(walk.Rows > 0 && walk.Bad == walk.Rows, "shape: none of %d rows could be read", walk.Rows)
	}
	fail(p.Closing != ClosingDone, "closing: %s", p.Closing)
	fail(p.Latest.Skipped != "", "latest: skipped: %s", p.Latest.Skipped)
	fail(len(p.Latest.Unexplained) > 0, "latest: %d names differ from the list of latest versions", len(p.Latest.Unexplained))
	fail(len(p.Spot.Wrong) > 0, "spot: %d of %d names differ from their version lists", len(p.Spot.Wrong), p.Spot.Checked)
	fail(p.Base == "" && p.Replayed != p.Digest, "digest: the archived pages do not give the stored rows")
	return len(reasons) == 0, reasons
}

func (p Proof) clone() Proof {
	p.Passes = slices.Clone(p.Passes)
	p.Unsettled = slices.Clone(p.Unsettled)
	p.Latest.Unexplained = slices.Clone(p.Latest.Unexplained)
	p.Spot.Wrong = slices.Clone(p.Spot.Wrong)
	p.Statuses = maps.Clone(p.Statuses)
	return p
}

func sortedRows(rows map[[2]string]Stored) iter.Seq2[Stored, error] {
	return func(yield func(Stored, error) bool) {
		for _, row := range slices.SortedFunc(maps.Values(rows), compareKeys) {
			if !yield(row, nil) {
				return
			}
		}
	}
}
