//go:build unix

package main

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/mcpcensus/mcpcensus/classifier"
	"github.com/mcpcensus/mcpcensus/classifier/check"
	"github.com/mcpcensus/mcpcensus/prober/probertest/peer"
	"github.com/mcpcensus/mcpcensus/prober/wire"
)

// Real servers: the mechanism is the one that was observed of each, and none of them breaks a rule.
func TestCheckRealServers(t *testing.T) {
	t.Parallel()
	for _, family := range peer.Families() {
		t.Run(string(family.Name), func(t *testing.T) {
			t.Parallel()
			running := peer.Start(t, family.Name)
			code, out, stderr := command(t, "check", running.URL, "--json", "--transport", string(family.Transport))
			var got check.Result
			if err := json.Unmarshal([]byte(out), &got); err != nil {
				t.Fatalf("exit code %d, %v\n%s%s", code, err, out, stderr)
			}
			for _, e := range got.Server.Eras {
				want, spoken := family.UnknownTool[e.Era]
				if (e.Spoken == classifier.True) != spoken {
					t.Errorf("%s: spoken is %s (%s)", e.Era, e.Spoken, e.Says)
					continue
				}
				// How a tool error is worded is told by a guess; that it is one is not.
				if mechanism := strings.TrimSuffix(e.UnknownTool, "_wrapped_protocol"); mechanism != want.Label {
					t.Errorf("%s: %q %s, want %q", e.Era, e.UnknownTool, e.UnknownToolWhy, want.Label)
				}
				if family.Transport == wire.StreamableHTTP && spoken && e.UnknownToolStatus != want.Status {
					t.Errorf("%s: HTTP %d, want %d", e.Era, e.UnknownToolStatus, want.Status)
				}
			}
			if code != exitOK || got.Verdict != check.OK {
				t.Errorf("exit code %d, %s %s\n%+v", code, got.Verdict, got.Why, got.Broken)
			}
			if !family.OwnTools && (got.Server.Tools.Count != len(peer.ToolNames()) || got.Server.Tools.WithOutputSchema != 1) {
				t.Errorf("%+v", got.Server.Tools)
			}
		})
	}
}
