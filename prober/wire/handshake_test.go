package wire

import (
	"encoding/json"
	"testing"
)

func TestIsModern(t *testing.T) {
	t.Parallel()
	for revision, want := range map[string]bool{
		"2026-07-28": true, "2026-12-15": true, "2025-11-25": false, "2024-10-07": false, "2026-07-01": false,
		"2026-07-28-RC": false, "2026-99-99": false, "9999": false, "modern": false, "": false,
	} {
		if got := IsModern(revision); got != want {
			t.Errorf("%q: %v", revision, got)
		}
	}
}

func TestNewestModern(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]string{
		`["2026-07-28"]`: "2026-07-28", `["2025-11-25","2024-11-05"]`: "", `["2027-01-01","2026-07-28"]`: "2026-07-28",
		`["2026-12-15","2027-01-01","2025-11-25"]`: "2027-01-01", `["draft","9999","2026-99-99"]`: "", `[7,null]`: "", `[]`: "",
	} {
		if got, isList := NewestModern(json.RawMessage(raw)); got != want || !isList {
			t.Errorf("%s: got %q, %v, want %q", raw, got, isList, want)
		}
	}
	for _, raw := range []string{`"2026-07-28"`, `{"0":"2026-07-28"}`, `null`, ``} {
		if got, isList := NewestModern(json.RawMessage(raw)); got != "" || isList {
			t.Errorf("%s: got %q, %v", raw, got, isList)
		}
	}
}

func TestReadInitialize(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]struct {
		revision string
		complete bool
	}{
		`{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"x","version":"1"}}`: {"2025-11-25", true},
		`{"protocolVersion":"2025-11-25","capabilities":{}}`:                                         {"2025-11-25", true},
		`{"protocolVersion":"9","capabilities":{},"serverInfo":null}`:                                {"9", true},
		`{"protocolVersion":"2025-11-25"}`:                                                           {"2025-11-25", false},
		`{"protocolVersion":"2025-11-25","capabilities":[]}`:                                         {"2025-11-25", false},
		`{"protocolVersion":20251125,"capabilities":{}}`:                                             {"", false},
		`{"capabilities":{},"serverInfo":{"name":"x","version":"1"}}`:                                {"", false},
		`{}`: {"", false},
	} {
		result, _, err := ReadObject([]byte(raw))
		if err != nil {
			t.Fatal(err)
		}
		if revision, complete := ReadInitialize(result); revision != want.revision || complete != want.complete {
			t.Errorf("%s: got %q, %v", raw, revision, complete)
		}
	}
}

func TestReadDiscover(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]struct {
		revision string
		valid    bool
	}{
		`{"resultType":"complete","supportedVersions":["2026-07-28"]}`:       {"2026-07-28", true},
		`{"supportedVersions":["2026-07-28"]}`:                               {"2026-07-28", true},
		`{"supportedVersions":["2025-11-25"]}`:                               {"", true},
		`{"resultType":"input_required","supportedVersions":["2026-07-28"]}`: {"", false},
		`{"resultType":null,"supportedVersions":["2026-07-28"]}`:             {"", false},
		`{"supportedVersions":"2026-07-28"}`:                                 {"", false},
		`{}`:                                                                 {"", false},
	} {
		result, _, err := ReadObject([]byte(raw))
		if err != nil {
			t.Fatal(err)
		}
		if revision, valid := ReadDiscover(result); revision != want.revision || valid != want.valid {
			t.Errorf("%s: got %q, %v", raw, revision, valid)
		}
	}
}
