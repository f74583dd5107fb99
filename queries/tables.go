package queries

// The tables that are written in bulk: columns and values in the order of the model.
var (
	bodyTable = table[Body]{
		name:    "body",
		key:     []string{"sha256"},
		columns: []string{"sha256", "bytes"},
		values: func(v Body) []any {
			return []any{v.Sha256, v.Bytes}
		},
	}
	entryTable = table[Entry]{
		name:    "entry",
		key:     []string{"sha256"},
		columns: []string{"sha256", "bytes"},
		values: func(v Entry) []any {
			return []any{v.Sha256, v.Bytes}
		},
	}
	rowTable = table[Row]{
		name: "row",
		key:  []string{"run_id", "name", "version"},
		columns: []string{
			"run_id", "name", "version", "status", "is_latest", "published_at", "updated_at", "entry_sha256", "pass",
			"page", "position", "anomalies",
		},
		values: func(v Row) []any {
			return []any{
				v.RunID, v.Name, v.Version, v.Status, v.IsLatest, v.PublishedAt, v.UpdatedAt, v.EntrySha256, v.Pass, v.Page,
				v.Position, v.Anomalies,
			}
		},
	}
	badRowTable = table[BadRow]{
		name:    "bad_row",
		key:     []string{"run_id", "pass", "page", "position"},
		columns: []string{"run_id", "pass", "page", "position", "entry_sha256", "reason"},
		values: func(v BadRow) []any {
			return []any{v.RunID, v.Pass, v.Page, v.Position, v.EntrySha256, v.Reason}
		},
	}
	declarationTable = table[Declaration]{
		name: "declaration",
		key:  []string{"run_id", "name", "version", "kind", "position"},
		columns: []string{
			"run_id", "name", "version", "kind", "position", "type", "raw", "key", "key_no_slash", "key_no_query", "host",
			"domain", "host_class", "endpoint_class", "flags",
		},
		values: func(v Declaration) []any {
			return []any{
				v.RunID, v.Name, v.Version, v.Kind, v.Position, v.Type, v.Raw, v.Key, v.KeyNoSlash, v.KeyNoQuery, v.Host,
				v.Domain, v.HostClass, v.EndpointClass, v.Flags,
			}
		},
	}
	targetTable = table[Target]{
		name: "target",
		key:  []string{"run_id", "target_id"},
		columns: []string{
			"run_id", "target_id", "surface", "key", "url", "host", "domain", "publisher", "operator", "types", "names",
			"eligible", "reason", "rule", "sampled", "rank",
		},
		values: func(v Target) []any {
			return []any{
				v.RunID, v.TargetID, v.Surface, v.Key, v.Url, v.Host, v.Domain, v.Publisher, v.Operator, v.Types, v.Names,
				v.Eligible, v.Reason, v.Rule, v.Sampled, v.Rank,
			}
		},
	}
	targetDeclarationTable = table[TargetDeclaration]{
		name:    "target_declaration",
		key:     []string{"run_id", "target_id", "name", "version", "kind", "position"},
		columns: []string{"run_id", "target_id", "name", "version", "kind", "position"},
		values: func(v TargetDeclaration) []any {
			return []any{v.RunID, v.TargetID, v.Name, v.Version, v.Kind, v.Position}
		},
	}
	exchangeTable = table[Exchange]{
		name: "exchange",
		key:  []string{"run_id", "target_id", "purpose", "visit", "seq"},
		columns: []string{
			"run_id", "target_id", "purpose", "visit", "seq", "era", "transport", "step", "page", "try", "follows_of",
			"stream_of", "method", "url", "request_header", "request_sha256", "request_id", "status", "proto",
			"response_header", "body_sha256", "body_length", "declared_length", "truncated", "left_open", "failure",
			"failure_detail", "remote_addr", "tls_version", "started_at", "first_byte_us", "duration_us", "answer_sha256",
		},
		values: func(v Exchange) []any {
			return []any{
				v.RunID, v.TargetID, v.Purpose, v.Visit, v.Seq, v.Era, v.Transport, v.Step, v.Page, v.Try, v.FollowsOf,
				v.StreamOf, v.Method, v.Url, v.RequestHeader, v.RequestSha256, v.RequestID, v.Status, v.Proto,
				v.ResponseHeader, v.BodySha256, v.BodyLength, v.DeclaredLength, v.Truncated, v.LeftOpen, v.Failure,
				v.FailureDetail, v.RemoteAddr, v.TlsVersion, v.StartedAt, v.FirstByteUs, v.DurationUs, v.AnswerSha256,
			}
		},
	}
	toolTable = table[Tool]{
		name: "tool",
		key:  []string{"answer_sha256", "position"},
		columns: []string{
			"answer_sha256", "position", "name", "name_bytes", "description", "read_only_hint", "destructive_hint",
			"idempotent_hint", "open_world_hint", "has_output_schema", "definition", "projection_error",
		},
		values: func(v Tool) []any {
			return []any{
				v.AnswerSha256, v.Position, v.Name, v.NameBytes, v.Description, v.ReadOnlyHint, v.DestructiveHint,
				v.IdempotentHint, v.OpenWorldHint, v.HasOutputSchema, v.Definition, v.ProjectionError,
			}
		},
	}
	findingTable = table[Finding]{
		name: "finding",
		key:  []string{"evidence_sha256", "classifier", "version", "question", "tool"},
		columns: []string{
			"classifier", "version", "evidence_sha256", "question", "tool", "tool_name", "answer", "label", "reason",
			"exchanges",
		},
		values: func(v Finding) []any {
			return []any{
				v.Classifier, v.Version, v.EvidenceSha256, v.Question, v.Tool, v.ToolName, v.Answer, v.Label, v.Reason,
				v.Exchanges,
			}
		},
	}
	evidenceTable = table[Evidence]{
		name:    "evidence",
		key:     []string{"run_id", "target_id", "purpose", "visit", "classifier", "version"},
		columns: []string{"run_id", "target_id", "purpose", "visit", "classifier", "version", "evidence_sha256"},
		values: func(v Evidence) []any {
			return []any{v.RunID, v.TargetID, v.Purpose, v.Visit, v.Classifier, v.Version, v.EvidenceSha256}
		},
	}
)
