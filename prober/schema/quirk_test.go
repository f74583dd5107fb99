package schema_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/mcpcensus/mcpcensus/prober/schema"
)

// The published cases of schemas that hurt readers.
func TestQuirks(t *testing.T) {
	t.Parallel()
	dir := quirks(t)
	for file, want := range map[string]map[string]string{
		"061-schema-ref-dangling-or-recursive.json": {
			"dangling": "ref_dangling", "tree": "ok", "selfloop": "ref_loop", "pingpong": "ref_loop", "anyof_loop": "ref_loop", "ok": "ok",
		},
		"062-schema-remote-ref.json": {
			"http": "external_ref", "file": "external_ref", "id_base": "external_ref", "dialect": "unknown_dialect",
		},
		"064-schema-declares-draft-07.json": {"a": "ok"},
		"066-schema-keywords-from-other-worlds.json": {
			"excl": "invalid_for_dialect", "int": "invalid_for_dialect", "typenull": "invalid_for_dialect", "nullable": "ok",
			"reqnull": "invalid_for_dialect", "reqbool": "invalid_for_dialect", "fmt": "ok",
		},
	} {
		got := map[string]string{}
		for name, raw := range outputSchemas(t, filepath.Join(dir, file)) {
			got[name] = schema.Check(raw).Reason
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s: %s", file, d)
		}
	}
}

// outputSchemas returns those of the tools that a case lists.
func outputSchemas(t *testing.T, path string) map[string]json.RawMessage {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Wire struct {
			Steps []struct{ On, Body string }
		}
	}
	if err := json.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	all := map[string]json.RawMessage{}
	for _, step := range file.Wire.Steps {
		if step.On != "tools/list" {
			continue
		}
		var answer struct {
			Result struct {
				Tools []struct {
					Name         string
					OutputSchema json.RawMessage
				}
			}
		}
		if err := json.Unmarshal([]byte(strings.ReplaceAll(step.Body, "{{id}}", "1")), &answer); err != nil {
			t.Fatal(err)
		}
		for _, tool := range answer.Result.Tools {
			all[tool.Name] = tool.OutputSchema
		}
	}
	return all
}

func quirks(t *testing.T) string {
	t.Helper()
	dir := os.Getenv("MCPCENSUS_SHARED")
	for at, err := os.Getwd(); dir == "" && err == nil && at != filepath.Dir(at); at = filepath.Dir(at) {
		if info, statErr := os.Stat(filepath.Join(at, "shared", "reference", "quirks")); statErr == nil && info.IsDir() {
			dir = filepath.Join(at, "shared")
		}
	}
	if dir == "" {
		t.Skip("the folder shared/ with the published cases is not above this one; set MCPCENSUS_SHARED to it")
	}
	return filepath.Join(dir, "reference", "quirks")
}
