package report

import (
	"time"

	"github.com/mcpcensus/mcpcensus/classifier/rate"
)

// Report is everything that is said of one run.
type Report struct {
	Run             string           `json:"run"`
	Simulated       bool             `json:"simulated"` // a demo: the world and its servers are made up
	Stage           string           `json:"stage"`     // closed, or the stage that is being worked on
	Registry        string           `json:"registry"`
	RegistryVersion string           `json:"registry_version,omitempty"`
	Program         string           `json:"program"`
	Started         time.Time        `json:"started_at"`
	Finished        *time.Time       `json:"finished_at"`
	Walk            Walk             `json:"walk"`
	Frame           Frame            `json:"frame"`
	Funnel          []Step           `json:"funnel"`
	Outcomes        []Count          `json:"outcomes"` // of main visits; see prober/FORMAT.md
	Ledger          Ledger           `json:"ledger"`
	Rates           []rate.Row       `json:"rates"`
	Breakdowns      []rate.Breakdown `json:"breakdowns"`
}

// Walk is what the registry listed.
type Walk struct {
	State      string   `json:"state"` // running, walked, closed, incomplete
	Reason     string   `json:"reason,omitempty"`
	Unproven   []string `json:"unproven,omitempty"` // what keeps the walk from being proven complete
	Pages      int64    `json:"pages"`
	Rows       int64    `json:"rows"` // registry entry versions
	BadRows    int64    `json:"bad_rows"`
	Names      int64    `json:"names"` // distinct server names
	Latest     int64    `json:"latest"`
	Active     int64    `json:"active"`
	Deprecated int64    `json:"deprecated"`
	Deleted    int64    `json:"deleted"`
}

// Frame is what the rows declare, under both definitions of an endpoint, and what of it may be visited.
type Frame struct {
	Declarations    int64   `json:"remote_declarations"`
	RawAll          int64   `json:"endpoints_raw_all_rows"`            // distinct raw spellings, every row
	RawPlain        int64   `json:"endpoints_raw_plain"`               // of these, without templates and what is no URL
	CanonicalLatest int64   `json:"endpoints_canonical_active_latest"` // distinct canonical keys, active latest rows
	Targets         int64   `json:"targets"`                           // canonical endpoints in the frame, ineligible ones included
	Ineligible      []Count `json:"ineligible"`                        // by reason
	Eligible        int64   `json:"eligible"`
	Sampled         int64   `json:"sampled"` // eligible and in the sample of this run
}

// Step is one step of the funnel: endpoints that got this far.
type Step struct {
	Name  string `json:"name"`
	Count int64  `json:"count"`
}

// Count is a number of units under a name.
type Count struct {
	Name  string `json:"name"`
	Count int64  `json:"count"`
}

// Ledger is what the run cost the operators of the endpoints.
type Ledger struct {
	Visits            int64 `json:"visits"`       // of endpoints
	Robots            int64 `json:"robots_reads"` // of robots.txt
	Reserved          int64 `json:"requests_reserved"`
	Sent              int64 `json:"requests_sent"`
	Unsettled         int64 `json:"unsettled"`          // attempts cut by a crash
	UnsettledRequests int64 `json:"requests_unsettled"` // what these had reserved, which counts as spent
}

// Format is a rendering.
type Format string

// The formats.
const (
	Text     Format = "text"
	JSON     Format = "json"
	CSV      Format = "csv"
	Markdown Format = "markdown"
)

// Formats lists the formats for help and completion.
func Formats() []string { return []string{string(Text), string(JSON), string(CSV), string(Markdown)} }
