package job

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/mcpcensus/mcpcensus/prober"
	"github.com/mcpcensus/mcpcensus/queries"
)

// Settings are what the operator of a census chose for one run. They are stored with the run, so that a resumed run
// keeps them whatever flags it is resumed with.
type Settings struct {
	RegistryURL  string        `json:"registry_url"`
	Base         string        `json:"base,omitempty"`          // run whose rows are taken over; only what changed since is read
	AllVersions  bool          `json:"all_versions,omitempty"`  // visit endpoints of superseded versions too
	Limit        int           `json:"limit,omitempty"`         // sample this many eligible targets; 0 means all
	Seed         uint64        `json:"seed"`                    // of the sample, and of every other choice by chance
	AllowPrivate bool          `json:"allow_private,omitempty"` // dial private and loopback addresses too
	Gap          time.Duration `json:"gap"`                     // from start to start of requests to one host
	RegistryRate float64       `json:"registry_rate"`           // requests a second to the registry
	RegistryWait time.Duration `json:"registry_wait"`           // how long the registry may fail before the walk pauses
	Contact      string        `json:"contact"`                 // URL in the User-Agent, for operators who want to know
	OptOut       []string      `json:"opt_out,omitempty"`       // patterns beside the shipped list
	Calls        []AllowedCall `json:"calls,omitempty"`         // tool calls that the operator allowed by name
	CloseOverlap time.Duration `json:"close_overlap"`           // how far before its start a closing pass looks back
	SpotChecks   int           `json:"spot_checks"`             // names checked by their version lists
}

// AllowedCall is one real tools/call that the operator of the census takes responsibility for.
type AllowedCall struct {
	Endpoint  string          `json:"endpoint"` // canonical key of the endpoint
	Tool      string          `json:"tool"`
	Arguments json.RawMessage `json:"arguments"`
}

// DefaultSettings are those of a full and polite census.
func DefaultSettings() Settings {
	return Settings{
		RegistryURL:  "https://registry.modelcontextprotocol.io",
		Seed:         1,
		Gap:          500 * time.Millisecond,
		RegistryRate: 5,
		RegistryWait: 30 * time.Minute,
		Contact:      "https://github.com/mcpcensus/mcpcensus",
		CloseOverlap: 30 * time.Minute,
		SpotChecks:   300,
	}
}

// readRun reads a run with its settings.
func readRun(ctx context.Context, q *queries.Queries, run string) (queries.Run, Settings, error) {
	var s Settings
	r, err := q.GetRun(ctx, run)
	if err != nil {
		return r, s, fmt.Errorf("read run %s: %w", run, err)
	}
	if err := json.Unmarshal(r.Settings, &s); err != nil {
		return r, s, fmt.Errorf("read the settings of run %s: %w", run, err)
	}
	return r, s, nil
}

// callsFor returns the calls that are allowed on an endpoint.
func (s Settings) callsFor(key string) []prober.Call {
	var calls []prober.Call
	for _, c := range s.Calls {
		if c.Endpoint == key {
			calls = append(calls, prober.Call{Tool: c.Tool, Arguments: c.Arguments})
		}
	}
	return calls
}
