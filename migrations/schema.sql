-- Name: add_run_partitions(text); Type: FUNCTION; Schema: public; Owner: -

CREATE FUNCTION public.add_run_partitions(run text) RETURNS void
    LANGUAGE plpgsql
    AS $$
DECLARE
    parent   text;
    parents  text[] := ARRAY['registry_page', 'row', 'bad_row', 'declaration', 'target', 'target_declaration', 'host', 'robots',
                             'probe', 'exchange', 'ledger', 'evidence', 'rate'];
    child    text;
BEGIN
    FOREACH parent IN ARRAY parents LOOP
        child := parent || '_' || translate(run, '-.', '__');
        -- Attaching locks the parent less than creating in place, so a run can start while another one works.
        EXECUTE format('CREATE TABLE %I (LIKE %I INCLUDING ALL)', child, parent);
        EXECUTE format('ALTER TABLE %I ATTACH PARTITION %I FOR VALUES IN (%L)', parent, child, run);
    END LOOP;
END
$$;

-- Name: FUNCTION add_run_partitions(run text); Type: COMMENT; Schema: public; Owner: -

COMMENT ON FUNCTION public.add_run_partitions(run text) IS 'Creates the partitions of a new run.';

-- Name: http_header(bytea, text); Type: FUNCTION; Schema: public; Owner: -

CREATE FUNCTION public.http_header(header bytea, field text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
    SELECT trim(substr(line, strpos(line, ':') + 1))
    FROM regexp_split_to_table(encode(header, 'escape'), '\n') WITH ORDINALITY AS l (line, n)
    WHERE lower(split_part(line, ':', 1)) = lower(field)
    ORDER BY n
    LIMIT 1
$$;

-- Name: FUNCTION http_header(header bytea, field text); Type: COMMENT; Schema: public; Owner: -

COMMENT ON FUNCTION public.http_header(header bytea, field text) IS 'First value of a header field, compared without case; bytes that are not ASCII are shown as octal escapes.';

-- Name: bad_row; Type: TABLE; Schema: public; Owner: -

CREATE TABLE public.bad_row (
    run_id text NOT NULL,
    pass text NOT NULL,
    page integer NOT NULL,
    "position" integer NOT NULL,
    entry_sha256 bytea NOT NULL,
    reason text NOT NULL,
    CONSTRAINT bad_row_entry_sha256_check CHECK ((length(entry_sha256) = 32))
)
PARTITION BY LIST (run_id);

-- Name: TABLE bad_row; Type: COMMENT; Schema: public; Owner: -

COMMENT ON TABLE public.bad_row IS 'Listing rows that have no usable identity (no object, no name, no version): kept and counted, never dropped.';

-- Name: COLUMN bad_row.run_id; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public.bad_row.run_id IS 'The run.';

-- Name: COLUMN bad_row.pass; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public.bad_row.pass IS 'Pass in which it was seen.';

-- Name: COLUMN bad_row.page; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public.bad_row.page IS 'Page of that pass.';

-- Name: COLUMN bad_row."position"; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public.bad_row."position" IS 'Position on that page, from 0.';

-- Name: COLUMN bad_row.entry_sha256; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public.bad_row.entry_sha256 IS 'The row as sent, in table entry.';

-- Name: COLUMN bad_row.reason; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public.bad_row.reason IS 'Why it cannot be a row.';

-- Name: body; Type: TABLE; Schema: public; Owner: -

CREATE TABLE public.body (
    sha256 bytea NOT NULL,
    bytes bytea NOT NULL,
    CONSTRAINT body_sha256_check CHECK ((length(sha256) = 32))
);
ALTER TABLE ONLY public.body ALTER COLUMN bytes SET COMPRESSION lz4;

-- Name: TABLE body; Type: COMMENT; Schema: public; Owner: -

COMMENT ON TABLE public.body IS 'Every byte string that was sent or received: request and response bodies, registry pages. Content-addressed, shared by all runs.';

-- Name: COLUMN body.sha256; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public.body.sha256 IS 'SHA-256 of bytes.';

-- Name: COLUMN body.bytes; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public.body.bytes IS 'The bytes exactly as sent or received (content coding included), cut at the cap that the referring row records.';

-- Name: declaration; Type: TABLE; Schema: public; Owner: -

CREATE TABLE public.declaration (
    run_id text NOT NULL,
    name text NOT NULL COLLATE pg_catalog."C",
    version text NOT NULL COLLATE pg_catalog."C",
    kind text NOT NULL,
    "position" integer NOT NULL,
    type text NOT NULL,
    raw text NOT NULL,
    key text,
    key_no_slash text,
    key_no_query text,
    host text,
    domain text,
    host_class text,
    port text,
    query_names text[],
    inputs jsonb,
    canonicaliser integer,
    endpoint_class text,
    flags text[] NOT NULL,
    CONSTRAINT declaration_endpoint_class_check CHECK ((endpoint_class = ANY (ARRAY['plain'::text, 'template'::text, 'invalid'::text]))),
    CONSTRAINT declaration_kind_check CHECK ((kind = ANY (ARRAY['remote'::text, 'package'::text]))),
    CONSTRAINT declaration_position_check CHECK (("position" >= 0))
)
PARTITION BY LIST (run_id);

-- Name: TABLE declaration; Type: COMMENT; Schema: public; Owner: -

COMMENT ON TABLE public.declaration IS 'Each remote and each package that a row declares, as declared.';

-- Name: COLUMN declaration.run_id; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public.declaration.run_id IS 'The run.';

-- Name: COLUMN declaration.name; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public.declaration.name IS 'Server name.';

-- Name: COLUMN declaration.version; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public.declaration.version IS 'Version.';

-- Name: COLUMN declaration.kind; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public.declaration.kind IS 'remote or package.';

-- Name: COLUMN declaration."position"; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public.declaration."position" IS 'Position in the remotes or packages array, from 0.';

-- Name: COLUMN declaration.type; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public.declaration.type IS 'Transport type of a remote, registry type of a package, as declared.';

-- Name: COLUMN declaration.raw; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public.declaration.raw IS 'URL of a remote or identifier of a package, as declared. It may hold secrets: publish only through redaction.';

-- Name: COLUMN declaration.key; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public.declaration.key IS 'Canonical key of the endpoint (safe by RFC 3986); for templates with the server name.';

-- Name: COLUMN declaration.key_no_slash; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public.declaration.key_no_slash IS 'The key without a trailing slash.';

-- Name: COLUMN declaration.key_no_query; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public.declaration.key_no_query IS 'The key without trailing slash, query and scheme.';

-- Name: COLUMN declaration.host; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public.declaration.host IS 'Canonical host.';

-- Name: COLUMN declaration.domain; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public.declaration.domain IS 'Registrable domain by the Public Suffix List, private entries included.';

-- Name: COLUMN declaration.host_class; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public.declaration.host_class IS 'public, private, loopback, reserved, …';

-- Name: COLUMN declaration.port; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public.declaration.port IS 'Port as in the key; null for the default one of the scheme.';

-- Name: COLUMN declaration.query_names; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public.declaration.query_names IS 'Names of the query parameters; their values may be secrets.';

-- Name: COLUMN declaration.inputs; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public.declaration.inputs IS 'Headers and variables that somebody has to fill in: name, required, secret, and whether a value, a default or choices are given.';

-- Name: COLUMN declaration.canonicaliser; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public.declaration.canonicaliser IS 'Version of the rules behind key; null for packages.';

-- Name: COLUMN declaration.endpoint_class; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public.declaration.endpoint_class IS 'plain, template or invalid; null for packages.';

-- Name: COLUMN declaration.flags; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public.declaration.flags IS 'What the canonicaliser changed or noticed.';

-- Name: entry; Type: TABLE; Schema: public; Owner: -

CREATE TABLE public.entry (
    sha256 bytea NOT NULL,
    bytes bytea NOT NULL,
    CONSTRAINT entry_sha256_check CHECK ((length(sha256) = 32))
);
ALTER TABLE ONLY public.entry ALTER COLUMN bytes SET COMPRESSION lz4;

-- Name: TABLE entry; Type: COMMENT; Schema: public; Owner: -

COMMENT ON TABLE public.entry IS 'The listing rows of the registry (server.json with its _meta), content-addressed, shared by all runs.';

-- Name: COLUMN entry.sha256; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public.entry.sha256 IS 'SHA-256 of bytes.';

-- Name: COLUMN entry.bytes; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public.entry.bytes IS 'The element of the servers array exactly as the registry sent it.';

-- Name: evidence; Type: TABLE; Schema: public; Owner: -

CREATE TABLE public.evidence (
    run_id text NOT NULL,
    target_id bigint NOT NULL,
    purpose text NOT NULL,
    visit integer NOT NULL,
    classifier text NOT NULL,
    version integer NOT NULL,
    evidence_sha256 bytea NOT NULL,
    CONSTRAINT evidence_evidence_sha256_check CHECK ((length(evidence_sha256) = 32)),
    CONSTRAINT evidence_version_check CHECK ((version >= 1))
)
PARTITION BY LIST (run_id);

-- Name: TABLE evidence; Type: COMMENT; Schema: public; Owner: -

COMMENT ON TABLE public.evidence IS 'Membership: which evidence a probe shows to a classifier version; joins probe and finding.';

-- Name: COLUMN evidence.run_id; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public.evidence.run_id IS 'The run.';

-- Name: COLUMN evidence.target_id; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public.evidence.target_id IS 'The target.';

-- Name: COLUMN evidence.purpose; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public.evidence.purpose IS 'Purpose of the probe.';

-- Name: COLUMN evidence.visit; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public.evidence.visit IS 'Visit of the probe.';

-- Name: COLUMN evidence.classifier; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public.evidence.classifier IS 'Name of the classifier.';

-- Name: COLUMN evidence.version; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public.evidence.version IS 'Version of the classifier.';

-- Name: COLUMN evidence.evidence_sha256; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public.evidence.evidence_sha256 IS 'See finding.evidence_sha256.';

-- Name: exchange; Type: TABLE; Schema: public; Owner: -

CREATE TABLE public.exchange (
    run_id text NOT NULL,
    target_id bigint NOT NULL,
    purpose text NOT NULL,
    visit integer NOT NULL,
    seq integer NOT NULL,
    era text NOT NULL,
    transport text NOT NULL,
    step text NOT NULL,
    page integer NOT NULL,
    try integer NOT NULL,
    follows_of integer NOT NULL,
    stream_of integer NOT NULL,
    method text NOT NULL,
    url text NOT NULL,
    request_header bytea NOT NULL,
    request_sha256 bytea,
    request_id text,
    status integer NOT NULL,
    proto text NOT NULL,
    response_header bytea NOT NULL,
    body_sha256 bytea,
    body_length bigint NOT NULL,
    declared_length bigint NOT NULL,
    truncated boolean NOT NULL,
    left_open boolean NOT NULL,
    failure text NOT NULL,
    failure_detail text NOT NULL,
    remote_addr text NOT NULL,
    tls_version text NOT NULL,
    started_at timestamp with time zone NOT NULL,
    first_byte_us bigint NOT NULL,
    duration_us bigint NOT NULL,
    answer_sha256 bytea,
    CONSTRAINT exchange_answer_sha256_check CHECK ((length(answer_sha256) = 32)),
    CONSTRAINT exchange_body_length_check CHECK ((body_length >= 0)),
    CONSTRAINT exchange_body_sha256_check CHECK ((length(body_sha256) = 32)),
    CONSTRAINT exchange_duration_us_check CHECK ((duration_us >= 0)),
    CONSTRAINT exchange_era_check CHECK ((era = ANY (ARRAY['modern'::text, 'legacy'::text]))),
    CONSTRAINT exchange_first_byte_us_check CHECK ((first_byte_us >= 0)),
    CONSTRAINT exchange_purpose_check CHECK ((purpose = ANY (ARRAY['main'::text, 'confirm'::text, 'control'::text, 'retest'::text]))),
    CONSTRAINT exchange_request_sha256_check CHECK ((length(request_sha256) = 32)),
    CONSTRAINT exchange_seq_check CHECK ((seq >= 1)),
    CONSTRAINT exchange_status_check CHECK (((status >= 0) AND (status <= 999))),
    CONSTRAINT exchange_step_check CHECK ((step = ANY (ARRAY['discover'::text, 'initialize'::text, 'initialized'::text, 'list_tools'::text, 'unknown_tool'::text, 'call'::text, 'open_stream'::text, 'server_reply'::text, 'delete'::text]))),
    CONSTRAINT exchange_transport_check CHECK ((transport = ANY (ARRAY['streamable-http'::text, 'sse'::text, 'stdio'::text]))),
    CONSTRAINT exchange_try_check CHECK ((try >= 1))
)
PARTITION BY LIST (run_id);
ALTER TABLE ONLY public.exchange ALTER COLUMN response_header SET COMPRESSION lz4;

-- Name: TABLE exchange; Type: COMMENT; Schema: public; Owner: -

COMMENT ON TABLE public.exchange IS 'One request and everything that came back. The format is published in prober/FORMAT.md.';

-- Name: COLUMN exchange.run_id; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public.exchange.run_id IS 'The run.';

-- Name: COLUMN exchange.target_id; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public.exchange.target_id IS 'The target.';

-- Name: COLUMN exchange.purpose; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public.exchange.purpose IS 'Purpose of the probe.';

-- Name: COLUMN exchange.visit; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public.exchange.visit IS 'Visit of the probe.';

-- Name: COLUMN exchange.seq; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public.exchange.seq IS 'Position in the transcript, from 1.';

-- Name: COLUMN exchange.era; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public.exchange.era IS 'Era that the request belongs to.';

-- Name: COLUMN exchange.transport; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public.exchange.transport IS 'Transport that carried it.';

-- Name: COLUMN exchange.step; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public.exchange.step IS 'What the request is for.';

-- Name: COLUMN exchange.page; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public.exchange.page IS 'Page of a tools/list, from 1; 0 for other steps.';

-- Name: COLUMN exchange.try; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public.exchange.try IS 'Attempt at the same step and page, from 1.';

-- Name: COLUMN exchange.follows_of; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public.exchange.follows_of IS 'seq of the exchange whose redirect this one follows; 0 if none.';

-- Name: COLUMN exchange.stream_of; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public.exchange.stream_of IS 'seq of the exchange whose event stream carries the answer; 0 if none.';

-- Name: COLUMN exchange.method; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public.exchange.method IS 'HTTP method.';

-- Name: COLUMN exchange.url; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public.exchange.url IS 'URL as requested. Publish only through redaction.';

-- Name: COLUMN exchange.request_header; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public.exchange.request_header IS 'Request header as the census set it, one "Name: value" a line.';

-- Name: COLUMN exchange.request_sha256; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public.exchange.request_sha256 IS 'Request body in table body; null when there was none.';

-- Name: COLUMN exchange.request_id; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public.exchange.request_id IS 'JSON-RPC id as JSON text; null for notifications and requests without a message.';

-- Name: COLUMN exchange.status; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public.exchange.status IS 'HTTP status; 0 when no response header arrived.';

-- Name: COLUMN exchange.proto; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public.exchange.proto IS 'Such as HTTP/1.1; empty when no response header arrived.';

-- Name: COLUMN exchange.response_header; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public.exchange.response_header IS 'Response header, one "Name: value" a line. Read single fields with http_header().';

-- Name: COLUMN exchange.body_sha256; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public.exchange.body_sha256 IS 'Response body in table body; null when no byte arrived.';

-- Name: COLUMN exchange.body_length; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public.exchange.body_length IS 'Bytes received in all, also those beyond the cap.';

-- Name: COLUMN exchange.declared_length; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public.exchange.declared_length IS 'Content-Length; -1 when absent.';

-- Name: COLUMN exchange.truncated; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public.exchange.truncated IS 'The stored body is shorter than body_length.';

-- Name: COLUMN exchange.left_open; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public.exchange.left_open IS 'The answer was complete and the census closed a stream that was still open.';

-- Name: COLUMN exchange.failure; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public.exchange.failure IS 'Why there is no complete response; empty when there is.';

-- Name: COLUMN exchange.failure_detail; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public.exchange.failure_detail IS 'Error text behind failure.';

-- Name: COLUMN exchange.remote_addr; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public.exchange.remote_addr IS 'Address and port that was dialled; empty when none was.';

-- Name: COLUMN exchange.tls_version; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public.exchange.tls_version IS 'Such as TLS 1.3; empty without TLS.';

-- Name: COLUMN exchange.started_at; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public.exchange.started_at IS 'When the request was sent.';

-- Name: COLUMN exchange.first_byte_us; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public.exchange.first_byte_us IS 'Microseconds until the response header; 0 when none arrived.';

-- Name: COLUMN exchange.duration_us; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public.exchange.duration_us IS 'Microseconds until the end of the exchange.';

-- Name: COLUMN exchange.answer_sha256; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public.exchange.answer_sha256 IS 'SHA-256 of the JSON-RPC answer inside the body (projection); null when there is none.';

-- Name: finding; Type: TABLE; Schema: public; Owner: -

CREATE TABLE public.finding (
    classifier text NOT NULL,
    version integer NOT NULL,
    evidence_sha256 bytea NOT NULL,
    question text NOT NULL,
    tool integer NOT NULL,
    tool_name text NOT NULL,
    answer text NOT NULL,
    label text NOT NULL,
    reason text NOT NULL,
    exchanges integer[] NOT NULL,
    CONSTRAINT finding_answer_check CHECK ((answer = ANY (ARRAY['true'::text, 'false'::text, 'not_applicable'::text, 'not_available'::text, 'not_supported'::text, 'error'::text]))),
    CONSTRAINT finding_evidence_sha256_check CHECK ((length(evidence_sha256) = 32)),
    CONSTRAINT finding_tool_check CHECK ((tool >= 0)),
    CONSTRAINT finding_version_check CHECK ((version >= 1))
);

-- Name: TABLE finding; Type: COMMENT; Schema: public; Owner: -

COMMENT ON TABLE public.finding IS 'The answer of one classifier version to one question about one unit, for everything that shows the same evidence. Join through evidence.';

-- Name: COLUMN finding.classifier; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public.finding.classifier IS 'Name of the classifier.';

-- Name: COLUMN finding.version; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public.finding.version IS 'Version of the classifier.';

-- Name: COLUMN finding.evidence_sha256; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public.finding.evidence_sha256 IS 'Hash over the parts of the transcript that the classifier reads, without anything volatile.';

-- Name: COLUMN finding.question; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public.finding.question IS 'Id of the question, from the def.yml of the classifier.';

-- Name: COLUMN finding.tool; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public.finding.tool IS 'Position of the tool in the list of record, from 1; 0 when the unit is the endpoint.';

-- Name: COLUMN finding.tool_name; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public.finding.tool_name IS 'Name of the tool as text; empty for endpoints.';

-- Name: COLUMN finding.answer; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public.finding.answer IS 'One of six: true, false, not_applicable (outside the denominator), not_available (missing), not_supported, error.';

-- Name: COLUMN finding.label; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public.finding.label IS 'The class or value behind the answer, such as protocol_-32602 or 2025-11-25; may be empty.';

-- Name: COLUMN finding.reason; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public.finding.reason IS 'Why there is no true or false; a word from the closed list of def.yml.';

-- Name: COLUMN finding.exchanges; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public.finding.exchanges IS 'Sequence numbers of the exchanges that show it.';

-- Name: host; Type: TABLE; Schema: public; Owner: -

CREATE TABLE public.host (
    run_id text NOT NULL,
    host text NOT NULL COLLATE pg_catalog."C",
    targets integer NOT NULL,
    finished_at timestamp with time zone,
    CONSTRAINT host_targets_check CHECK ((targets >= 1))
)
PARTITION BY LIST (run_id);

-- Name: TABLE host; Type: COMMENT; Schema: public; Owner: -

COMMENT ON TABLE public.host IS 'Hosts with something to visit. A host is visited by one worker at a time.';

-- Name: COLUMN host.run_id; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public.host.run_id IS 'The run.';

-- Name: COLUMN host.host; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public.host.host IS 'Host; the unit of pacing.';

-- Name: COLUMN host.targets; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public.host.targets IS 'Eligible targets in the sample of the run.';

-- Name: COLUMN host.finished_at; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public.host.finished_at IS 'When all of them had been visited; null until then.';

-- Name: ledger; Type: TABLE; Schema: public; Owner: -

CREATE TABLE public.ledger (
    run_id text NOT NULL,
    host text NOT NULL,
    target_id bigint NOT NULL,
    purpose text NOT NULL,
    visit integer NOT NULL,
    attempt integer NOT NULL,
    worker text NOT NULL,
    reserved integer NOT NULL,
    sent integer,
    reserved_at timestamp with time zone NOT NULL,
    settled_at timestamp with time zone,
    CONSTRAINT ledger_attempt_check CHECK ((attempt >= 1)),
    CONSTRAINT ledger_check CHECK (((sent IS NULL) = (settled_at IS NULL))),
    CONSTRAINT ledger_reserved_check CHECK ((reserved >= 1)),
    CONSTRAINT ledger_sent_check CHECK ((sent >= 0))
)
PARTITION BY LIST (run_id);

-- Name: TABLE ledger; Type: COMMENT; Schema: public; Owner: -

COMMENT ON TABLE public.ledger IS 'Requests that were reserved before they were sent. What a crash left unsettled counts as spent in full.';

-- Name: COLUMN ledger.run_id; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public.ledger.run_id IS 'The run.';

-- Name: COLUMN ledger.host; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public.ledger.host IS 'Host that pays.';

-- Name: COLUMN ledger.target_id; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public.ledger.target_id IS 'Target of the visit; 0 for the robots.txt of the host.';

-- Name: COLUMN ledger.purpose; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public.ledger.purpose IS 'Purpose of the visit.';

-- Name: COLUMN ledger.visit; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public.ledger.visit IS 'Number of the visit.';

-- Name: COLUMN ledger.attempt; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public.ledger.attempt IS 'Attempt at the visit, from 1; a later one follows a crash.';

-- Name: COLUMN ledger.worker; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public.ledger.worker IS 'Worker that reserved.';

-- Name: COLUMN ledger.reserved; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public.ledger.reserved IS 'Requests reserved.';

-- Name: COLUMN ledger.sent; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public.ledger.sent IS 'Requests sent; null until settled.';

-- Name: COLUMN ledger.reserved_at; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public.ledger.reserved_at IS 'When they were reserved.';

-- Name: COLUMN ledger.settled_at; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public.ledger.settled_at IS 'When the visit was over and counted.';

-- Name: opt_out; Type: TABLE; Schema: public; Owner: -

CREATE TABLE public.opt_out (
    pattern text NOT NULL,
    reason text NOT NULL,
    added_at timestamp with time zone DEFAULT now() NOT NULL
);

-- Name: TABLE opt_out; Type: COMMENT; Schema: public; Owner: -

COMMENT ON TABLE public.opt_out IS 'Who asked not to be visited, beside the list that the project ships. Read when a frame is made.';

-- Name: COLUMN opt_out.pattern; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public.opt_out.pattern IS 'Host, *.host, URL prefix, registry name, or name prefix ending in /.';

-- Name: COLUMN opt_out.reason; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public.opt_out.reason IS 'Where and when the wish was expressed.';

-- Name: COLUMN opt_out.added_at; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public.opt_out.added_at IS 'When it was entered.';

-- Name: probe; Type: TABLE; Schema: public; Owner: -

CREATE TABLE public.probe (
    run_id text NOT NULL,
    target_id bigint NOT NULL,
    purpose text NOT NULL,
    visit integer NOT NULL,
    eras text[] NOT NULL,
    worker text NOT NULL,
    started_at timestamp with time zone NOT NULL,
    finished_at timestamp with time zone NOT NULL,
    outcome text NOT NULL,
    ended text NOT NULL,
    retry_after_ms bigint,
    unknown_tool text NOT NULL,
    exchanges integer NOT NULL,
    bytes bigint NOT NULL,
    error text,
    CONSTRAINT probe_bytes_check CHECK ((bytes >= 0)),
    CONSTRAINT probe_check CHECK ((finished_at >= started_at)),
    CONSTRAINT probe_ended_check CHECK ((ended = ANY (ARRAY['done'::text, 'deadline'::text, 'budget'::text, 'deferred'::text, 'interrupted'::text]))),
    CONSTRAINT probe_exchanges_check CHECK ((exchanges >= 0)),
    CONSTRAINT probe_purpose_check CHECK ((purpose = ANY (ARRAY['main'::text, 'confirm'::text, 'control'::text, 'retest'::text]))),
    CONSTRAINT probe_retry_after_ms_check CHECK ((retry_after_ms >= 0)),
    CONSTRAINT probe_visit_check CHECK ((visit >= 1))
)
PARTITION BY LIST (run_id);

-- Name: TABLE probe; Type: COMMENT; Schema: public; Owner: -

COMMENT ON TABLE public.probe IS 'One visit of one target. The vocabulary of outcome and ended is in prober/FORMAT.md.';

-- Name: COLUMN probe.run_id; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public.probe.run_id IS 'The run.';

-- Name: COLUMN probe.target_id; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public.probe.target_id IS 'The target.';

-- Name: COLUMN probe.purpose; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public.probe.purpose IS 'main, or a second visit: confirm, control, retest.';

-- Name: COLUMN probe.visit; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public.probe.visit IS 'Number of the visit with this purpose, from 1; later ones follow a deferral.';

-- Name: COLUMN probe.eras; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public.probe.eras IS 'Eras that were asked, in this order.';

-- Name: COLUMN probe.worker; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public.probe.worker IS 'Worker that made the visit.';

-- Name: COLUMN probe.started_at; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public.probe.started_at IS 'Start of the visit.';

-- Name: COLUMN probe.finished_at; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public.probe.finished_at IS 'End of the visit.';

-- Name: COLUMN probe.outcome; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public.probe.outcome IS 'answered when any response header arrived, otherwise the first failure; policy.robots when the operator keeps us out.';

-- Name: COLUMN probe.ended; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public.probe.ended IS 'Why nothing more was sent.';

-- Name: COLUMN probe.retry_after_ms; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public.probe.retry_after_ms IS 'Pause that the server asked for, in milliseconds, when ended is deferred.';

-- Name: COLUMN probe.unknown_tool; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public.probe.unknown_tool IS 'Name of the tool that cannot exist.';

-- Name: COLUMN probe.exchanges; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public.probe.exchanges IS 'Number of exchanges.';

-- Name: COLUMN probe.bytes; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public.probe.bytes IS 'Bytes of bodies received.';

-- Name: COLUMN probe.error; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public.probe.error IS 'Our own fault, when nothing could be tried; null otherwise.';

-- Name: rate; Type: TABLE; Schema: public; Owner: -

CREATE TABLE public.rate (
    run_id text NOT NULL,
    rate_id text NOT NULL,
    stratum text NOT NULL,
    version integer NOT NULL,
    body jsonb NOT NULL,
    created_at timestamp with time zone NOT NULL,
    CONSTRAINT rate_version_check CHECK ((version >= 1))
)
PARTITION BY LIST (run_id);

-- Name: TABLE rate; Type: COMMENT; Schema: public; Owner: -

COMMENT ON TABLE public.rate IS 'Reported numbers, one JSON row each; every rendering is made from these.';

-- Name: COLUMN rate.run_id; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public.rate.run_id IS 'The run.';

-- Name: COLUMN rate.rate_id; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public.rate.rate_id IS 'Id of the rate: the question it answers.';

-- Name: COLUMN rate.stratum; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public.rate.stratum IS 'Stratum, such as era=legacy; empty for all.';

-- Name: COLUMN rate.version; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public.rate.version IS 'Version of the classifier behind it; a later version adds rows and replaces none.';

-- Name: COLUMN rate.body; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public.rate.body IS 'The JSON row, with numerator, denominator, exclusions, frame and intervals.';

-- Name: COLUMN rate.created_at; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public.rate.created_at IS 'When it was computed.';

-- Name: registry_page; Type: TABLE; Schema: public; Owner: -

CREATE TABLE public.registry_page (
    run_id text NOT NULL,
    pass text NOT NULL,
    seq integer NOT NULL,
    request text NOT NULL,
    asked integer NOT NULL,
    cursor_in text NOT NULL,
    cursor_out text NOT NULL,
    status integer NOT NULL,
    header bytea NOT NULL,
    body_sha256 bytea NOT NULL,
    body_length bigint NOT NULL,
    rows integer NOT NULL,
    bad_rows integer NOT NULL,
    attempts integer NOT NULL,
    fetched_at timestamp with time zone NOT NULL,
    anomalies text[] NOT NULL,
    CONSTRAINT registry_page_asked_check CHECK ((asked >= 1)),
    CONSTRAINT registry_page_attempts_check CHECK ((attempts >= 1)),
    CONSTRAINT registry_page_bad_rows_check CHECK ((bad_rows >= 0)),
    CONSTRAINT registry_page_body_length_check CHECK ((body_length >= 0)),
    CONSTRAINT registry_page_body_sha256_check CHECK ((length(body_sha256) = 32)),
    CONSTRAINT registry_page_rows_check CHECK ((rows >= 0)),
    CONSTRAINT registry_page_seq_check CHECK ((seq >= 0))
)
PARTITION BY LIST (run_id);

-- Name: TABLE registry_page; Type: COMMENT; Schema: public; Owner: -

COMMENT ON TABLE public.registry_page IS 'One page of the registry as it was read, stored before it was parsed.';

-- Name: COLUMN registry_page.run_id; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public.registry_page.run_id IS 'The run.';

-- Name: COLUMN registry_page.pass; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public.registry_page.pass IS 'walk (the full walk), closing.N (updated_since passes), latest (the verification walk).';

-- Name: COLUMN registry_page.seq; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public.registry_page.seq IS 'Position of the page in its pass, from 0.';

-- Name: COLUMN registry_page.request; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public.registry_page.request IS 'URL that was requested.';

-- Name: COLUMN registry_page.asked; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public.registry_page.asked IS 'Rows that were asked for; fewer than usual only around a row that the registry cannot serve.';

-- Name: COLUMN registry_page.cursor_in; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public.registry_page.cursor_in IS 'Cursor that was sent; empty on the first page.';

-- Name: COLUMN registry_page.cursor_out; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public.registry_page.cursor_out IS 'Cursor that the page gives for the next one; empty on the last page.';

-- Name: COLUMN registry_page.status; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public.registry_page.status IS 'HTTP status.';

-- Name: COLUMN registry_page.header; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public.registry_page.header IS 'Response header, one "Name: value" a line.';

-- Name: COLUMN registry_page.body_sha256; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public.registry_page.body_sha256 IS 'The page in table body.';

-- Name: COLUMN registry_page.body_length; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public.registry_page.body_length IS 'Length of the page in bytes.';

-- Name: COLUMN registry_page.rows; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public.registry_page.rows IS 'Rows on the page, bad ones included.';

-- Name: COLUMN registry_page.bad_rows; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public.registry_page.bad_rows IS 'Rows on the page that are in bad_row.';

-- Name: COLUMN registry_page.attempts; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public.registry_page.attempts IS 'Requests that it took.';

-- Name: COLUMN registry_page.fetched_at; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public.registry_page.fetched_at IS 'When the page had been read.';

-- Name: COLUMN registry_page.anomalies; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public.registry_page.anomalies IS 'What is odd about the page as a whole.';

-- Name: robots; Type: TABLE; Schema: public; Owner: -

CREATE TABLE public.robots (
    run_id text NOT NULL,
    host text NOT NULL,
    scheme text NOT NULL,
    port text NOT NULL,
    status integer NOT NULL,
    failure text NOT NULL,
    body_sha256 bytea,
    fetched_at timestamp with time zone NOT NULL,
    CONSTRAINT robots_body_sha256_check CHECK ((length(body_sha256) = 32))
)
PARTITION BY LIST (run_id);

-- Name: TABLE robots; Type: COMMENT; Schema: public; Owner: -

COMMENT ON TABLE public.robots IS 'robots.txt of each origin that was visited, read once a run. Only a group that names mcpcensus counts.';

-- Name: COLUMN robots.run_id; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public.robots.run_id IS 'The run.';

-- Name: COLUMN robots.host; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public.robots.host IS 'Host.';

-- Name: COLUMN robots.scheme; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public.robots.scheme IS 'http or https.';

-- Name: COLUMN robots.port; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public.robots.port IS 'Port as in the URL; empty for the default one.';

-- Name: COLUMN robots.status; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public.robots.status IS 'HTTP status; 0 when there was no answer.';

-- Name: COLUMN robots.failure; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public.robots.failure IS 'Why there was no complete answer; empty otherwise.';

-- Name: COLUMN robots.body_sha256; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public.robots.body_sha256 IS 'The file in table body; null when there was none.';

-- Name: COLUMN robots.fetched_at; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public.robots.fetched_at IS 'When it was read.';

-- Name: row; Type: TABLE; Schema: public; Owner: -

CREATE TABLE public."row" (
    run_id text NOT NULL,
    name text NOT NULL COLLATE pg_catalog."C",
    version text NOT NULL COLLATE pg_catalog."C",
    status text NOT NULL,
    is_latest boolean,
    published_at timestamp with time zone,
    updated_at timestamp with time zone,
    entry_sha256 bytea NOT NULL,
    pass text NOT NULL,
    page integer NOT NULL,
    "position" integer NOT NULL,
    anomalies text[] NOT NULL,
    CONSTRAINT row_entry_sha256_check CHECK ((length(entry_sha256) = 32))
)
PARTITION BY LIST (run_id);

-- Name: TABLE "row"; Type: COMMENT; Schema: public; Owner: -

COMMENT ON TABLE public."row" IS 'Membership: one version of one server name, as listed in this run. A row seen again later in the run is replaced by the later one.';

-- Name: COLUMN "row".run_id; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public."row".run_id IS 'The run.';

-- Name: COLUMN "row".name; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public."row".name IS 'Server name as listed (case-sensitive).';

-- Name: COLUMN "row".version; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public."row".version IS 'Version as listed (any text).';

-- Name: COLUMN "row".status; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public."row".status IS 'active, deprecated, deleted, or whatever the registry says; empty when it says nothing.';

-- Name: COLUMN "row".is_latest; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public."row".is_latest IS 'The isLatest flag, reconciled at the end of the walk; null when the registry has no such flag.';

-- Name: COLUMN "row".published_at; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public."row".published_at IS 'publishedAt; null when absent or unreadable.';

-- Name: COLUMN "row".updated_at; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public."row".updated_at IS 'updatedAt; null when absent or unreadable.';

-- Name: COLUMN "row".entry_sha256; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public."row".entry_sha256 IS 'The row as sent, in table entry.';

-- Name: COLUMN "row".pass; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public."row".pass IS 'Pass in which it was last seen.';

-- Name: COLUMN "row".page; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public."row".page IS 'Page of that pass.';

-- Name: COLUMN "row"."position"; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public."row"."position" IS 'Position on that page, from 0.';

-- Name: COLUMN "row".anomalies; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public."row".anomalies IS 'What is odd about the row.';

-- Name: run; Type: TABLE; Schema: public; Owner: -

CREATE TABLE public.run (
    run_id text NOT NULL,
    stage text NOT NULL,
    goal text NOT NULL,
    registry_url text NOT NULL,
    registry_version text,
    settings jsonb NOT NULL,
    program text NOT NULL,
    started_at timestamp with time zone NOT NULL,
    finished_at timestamp with time zone,
    walk_state text NOT NULL,
    walk_reason text,
    walk_position jsonb,
    proof jsonb,
    frame jsonb,
    hosts integer,
    hosts_open integer,
    failure text,
    CONSTRAINT run_check CHECK (((stage <> 'closed'::text) OR (finished_at IS NOT NULL))),
    CONSTRAINT run_check1 CHECK (((walk_state = 'incomplete'::text) = (walk_reason IS NOT NULL))),
    CONSTRAINT run_check2 CHECK ((hosts_open <= hosts)),
    CONSTRAINT run_goal_check CHECK ((goal = ANY (ARRAY['frame'::text, 'probe'::text, 'closed'::text]))),
    CONSTRAINT run_hosts_check CHECK ((hosts >= 0)),
    CONSTRAINT run_hosts_open_check CHECK ((hosts_open >= 0)),
    CONSTRAINT run_run_id_check CHECK ((run_id ~ '^(demo-)?[0-9]{4}-[0-9]{2}-[0-9]{2}(\.[1-9][0-9]*)?$'::text)),
    CONSTRAINT run_stage_check CHECK ((stage = ANY (ARRAY['walk'::text, 'frame'::text, 'probe'::text, 'classify'::text, 'estimate'::text, 'closed'::text]))),
    CONSTRAINT run_walk_state_check CHECK ((walk_state = ANY (ARRAY['running'::text, 'walked'::text, 'closed'::text, 'incomplete'::text])))
);

-- Name: TABLE run; Type: COMMENT; Schema: public; Owner: -

COMMENT ON TABLE public.run IS 'One census. Its id is its UTC start date; a second one that day gets .2, a demo the prefix demo-.';

-- Name: COLUMN run.run_id; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public.run.run_id IS 'Id of the run, such as 2026-12-01, 2026-12-01.2 or demo-2026-12-01.';

-- Name: COLUMN run.stage; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public.run.stage IS 'The stage that is being worked on; closed when all are done.';

-- Name: COLUMN run.goal; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public.run.goal IS 'The stage after which the run pauses: frame (crawl only), probe (no classification), closed (everything).';

-- Name: COLUMN run.registry_url; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public.run.registry_url IS 'Base URL of the registry that is walked.';

-- Name: COLUMN run.registry_version; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public.run.registry_version IS 'Version that the registry reports of itself; null when it reports none.';

-- Name: COLUMN run.settings; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public.run.settings IS 'What the operator chose: limits, sample, address policy, allowed calls. A resumed run keeps them.';

-- Name: COLUMN run.program; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public.run.program IS 'Version of mcpcensus that started the run.';

-- Name: COLUMN run.started_at; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public.run.started_at IS 'When the run was started (UTC).';

-- Name: COLUMN run.finished_at; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public.run.finished_at IS 'When the run was closed for the first time (UTC); classifying again does not change it.';

-- Name: COLUMN run.walk_state; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public.run.walk_state IS 'running; walked (read to the end, but proof says what is not proven); closed (proven complete); incomplete (stopped before the end, with the reason).';

-- Name: COLUMN run.walk_reason; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public.run.walk_reason IS 'Why the walk is incomplete.';

-- Name: COLUMN run.walk_position; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public.run.walk_position IS 'Where the walk goes on after a stop: pass, page, cursor.';

-- Name: COLUMN run.proof; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public.run.proof IS 'What proves that the walk saw everything: chain, digest, closing passes, reconciliation, spot checks.';

-- Name: COLUMN run.frame; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public.run.frame IS 'Numbers of endpoints, by population of rows (all, not_deleted, …) and by definition of an endpoint (raw, key, host, …).';

-- Name: COLUMN run.hosts; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public.run.hosts IS 'Hosts with at least one eligible target; null before the frame is made.';

-- Name: COLUMN run.hosts_open; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public.run.hosts_open IS 'Hosts whose targets have not all been visited; the probe stage ends when it reaches 0.';

-- Name: COLUMN run.failure; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public.run.failure IS 'Why the run cannot go on, in one sentence; null while it can.';

-- Name: schema_migration; Type: TABLE; Schema: public; Owner: -

CREATE TABLE public.schema_migration (
    version integer NOT NULL,
    name text NOT NULL,
    checksum bytea NOT NULL,
    applied_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT schema_migration_checksum_check CHECK ((length(checksum) = 32)),
    CONSTRAINT schema_migration_version_check CHECK ((version > 0))
);

-- Name: TABLE schema_migration; Type: COMMENT; Schema: public; Owner: -

COMMENT ON TABLE public.schema_migration IS 'Migrations of the schema that were applied to this database.';

-- Name: COLUMN schema_migration.version; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public.schema_migration.version IS 'Number of the migration, from 1 without gaps.';

-- Name: COLUMN schema_migration.name; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public.schema_migration.name IS 'Name of its file.';

-- Name: COLUMN schema_migration.checksum; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public.schema_migration.checksum IS 'SHA-256 of its file, with LF line ends.';

-- Name: COLUMN schema_migration.applied_at; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public.schema_migration.applied_at IS 'When the transaction that applied it began.';

-- Name: target; Type: TABLE; Schema: public; Owner: -

CREATE TABLE public.target (
    run_id text NOT NULL,
    target_id bigint NOT NULL,
    surface text NOT NULL,
    key text NOT NULL,
    url text NOT NULL,
    host text NOT NULL COLLATE pg_catalog."C",
    domain text NOT NULL,
    publisher text NOT NULL COLLATE pg_catalog."C",
    operator text NOT NULL COLLATE pg_catalog."C",
    types text[] NOT NULL,
    names integer NOT NULL,
    eligible boolean NOT NULL,
    reason text NOT NULL,
    rule text NOT NULL,
    sampled boolean NOT NULL,
    rank bigint NOT NULL,
    CONSTRAINT target_check CHECK ((eligible = (reason = ''::text))),
    CONSTRAINT target_names_check CHECK ((names >= 0)),
    CONSTRAINT target_surface_check CHECK ((surface = ANY (ARRAY['remote'::text, 'local'::text])))
)
PARTITION BY LIST (run_id);

-- Name: TABLE target; Type: COMMENT; Schema: public; Owner: -

COMMENT ON TABLE public.target IS 'What gets one probe: a canonical endpoint (or a package launch). Ineligible ones stay, with their reason.';

-- Name: COLUMN target.run_id; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public.target.run_id IS 'The run.';

-- Name: COLUMN target.target_id; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public.target.target_id IS 'Derived from surface and key by SHA-256, so that it is the same in every run.';

-- Name: COLUMN target.surface; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public.target.surface IS 'remote (an endpoint) or local (a package).';

-- Name: COLUMN target.key; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public.target.key IS 'Canonical key.';

-- Name: COLUMN target.url; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public.target.url IS 'URL that is requested; empty for templates that need configuration. Publish only through redaction.';

-- Name: COLUMN target.host; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public.target.host IS 'Host; the unit of pacing.';

-- Name: COLUMN target.domain; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public.target.domain IS 'Registrable domain.';

-- Name: COLUMN target.publisher; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public.target.publisher IS 'Namespace that declares it; the first in byte order where several do.';

-- Name: COLUMN target.operator; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public.target.operator IS 'Connected namespaces, repository owners and domains; named after the first in byte order. The cluster of the intervals.';

-- Name: COLUMN target.types; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public.target.types IS 'Transport types that are declared for it, sorted.';

-- Name: COLUMN target.names; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public.target.names IS 'Server names that declare it.';

-- Name: COLUMN target.eligible; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public.target.eligible IS 'It may be visited.';

-- Name: COLUMN target.reason; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public.target.reason IS 'Why it may not; empty when eligible.';

-- Name: COLUMN target.rule; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public.target.rule IS 'The rule or opt-out pattern that matched; empty when there is none.';

-- Name: COLUMN target.sampled; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public.target.sampled IS 'In the sample of this run; true for all when the run has no limit.';

-- Name: COLUMN target.rank; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public.target.rank IS 'Order within the host: a hash, so that no publisher is always first.';

-- Name: target_declaration; Type: TABLE; Schema: public; Owner: -

CREATE TABLE public.target_declaration (
    run_id text NOT NULL,
    target_id bigint NOT NULL,
    name text NOT NULL COLLATE pg_catalog."C",
    version text NOT NULL COLLATE pg_catalog."C",
    kind text NOT NULL,
    "position" integer NOT NULL,
    CONSTRAINT target_declaration_kind_check CHECK ((kind = ANY (ARRAY['remote'::text, 'package'::text])))
)
PARTITION BY LIST (run_id);

-- Name: TABLE target_declaration; Type: COMMENT; Schema: public; Owner: -

COMMENT ON TABLE public.target_declaration IS 'Which declarations stand behind a target.';

-- Name: COLUMN target_declaration.run_id; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public.target_declaration.run_id IS 'The run.';

-- Name: COLUMN target_declaration.target_id; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public.target_declaration.target_id IS 'The target.';

-- Name: COLUMN target_declaration.name; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public.target_declaration.name IS 'Server name.';

-- Name: COLUMN target_declaration.version; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public.target_declaration.version IS 'Version.';

-- Name: COLUMN target_declaration.kind; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public.target_declaration.kind IS 'remote or package.';

-- Name: COLUMN target_declaration."position"; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public.target_declaration."position" IS 'Position in the array of the row.';

-- Name: tool; Type: TABLE; Schema: public; Owner: -

CREATE TABLE public.tool (
    answer_sha256 bytea NOT NULL,
    "position" integer NOT NULL,
    name text NOT NULL,
    name_bytes bytea,
    description text,
    read_only_hint boolean,
    destructive_hint boolean,
    idempotent_hint boolean,
    open_world_hint boolean,
    has_output_schema boolean NOT NULL,
    definition jsonb,
    projection_error text,
    CONSTRAINT tool_answer_sha256_check CHECK ((length(answer_sha256) = 32)),
    CONSTRAINT tool_position_check CHECK (("position" >= 1))
);
ALTER TABLE ONLY public.tool ALTER COLUMN definition SET COMPRESSION lz4;

-- Name: TABLE tool; Type: COMMENT; Schema: public; Owner: -

COMMENT ON TABLE public.tool IS 'Projection of the answers to tools/list, one row for each entry of the array. It can be dropped and rebuilt from body.';

-- Name: COLUMN tool.answer_sha256; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public.tool.answer_sha256 IS 'SHA-256 of the JSON-RPC answer that lists the tool; see exchange.answer_sha256.';

-- Name: COLUMN tool."position"; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public.tool."position" IS 'Position in the tools array of that answer, from 1.';

-- Name: COLUMN tool.name; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public.tool.name IS 'Name as sent, with NUL and invalid UTF-8 replaced by U+FFFD; empty when there is none.';

-- Name: COLUMN tool.name_bytes; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public.tool.name_bytes IS 'The name byte for byte, where name had to be changed.';

-- Name: COLUMN tool.description; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public.tool.description IS 'Description as sent, with NUL and invalid UTF-8 replaced; null when absent or not a string.';

-- Name: COLUMN tool.read_only_hint; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public.tool.read_only_hint IS 'annotations.readOnlyHint; null when absent or not a boolean.';

-- Name: COLUMN tool.destructive_hint; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public.tool.destructive_hint IS 'annotations.destructiveHint; null when absent or not a boolean.';

-- Name: COLUMN tool.idempotent_hint; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public.tool.idempotent_hint IS 'annotations.idempotentHint; null when absent or not a boolean.';

-- Name: COLUMN tool.open_world_hint; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public.tool.open_world_hint IS 'annotations.openWorldHint; null when absent or not a boolean.';

-- Name: COLUMN tool.has_output_schema; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public.tool.has_output_schema IS 'The member outputSchema is present and not null.';

-- Name: COLUMN tool.definition; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public.tool.definition IS 'The entry as jsonb, for ad hoc queries; null when jsonb cannot hold it. Raw bytes are in body.';

-- Name: COLUMN tool.projection_error; Type: COMMENT; Schema: public; Owner: -

COMMENT ON COLUMN public.tool.projection_error IS 'Why definition is null.';

-- Name: bad_row bad_row_pkey; Type: CONSTRAINT; Schema: public; Owner: -

ALTER TABLE ONLY public.bad_row
    ADD CONSTRAINT bad_row_pkey PRIMARY KEY (run_id, pass, page, "position");

-- Name: body body_pkey; Type: CONSTRAINT; Schema: public; Owner: -

ALTER TABLE ONLY public.body
    ADD CONSTRAINT body_pkey PRIMARY KEY (sha256);

-- Name: declaration declaration_pkey; Type: CONSTRAINT; Schema: public; Owner: -

ALTER TABLE ONLY public.declaration
    ADD CONSTRAINT declaration_pkey PRIMARY KEY (run_id, name, version, kind, "position");

-- Name: entry entry_pkey; Type: CONSTRAINT; Schema: public; Owner: -

ALTER TABLE ONLY public.entry
    ADD CONSTRAINT entry_pkey PRIMARY KEY (sha256);

-- Name: evidence evidence_pkey; Type: CONSTRAINT; Schema: public; Owner: -

ALTER TABLE ONLY public.evidence
    ADD CONSTRAINT evidence_pkey PRIMARY KEY (run_id, target_id, purpose, visit, classifier, version);

-- Name: exchange exchange_pkey; Type: CONSTRAINT; Schema: public; Owner: -

ALTER TABLE ONLY public.exchange
    ADD CONSTRAINT exchange_pkey PRIMARY KEY (run_id, target_id, purpose, visit, seq);

-- Name: finding finding_pkey; Type: CONSTRAINT; Schema: public; Owner: -

ALTER TABLE ONLY public.finding
    ADD CONSTRAINT finding_pkey PRIMARY KEY (evidence_sha256, classifier, version, question, tool);

-- Name: host host_pkey; Type: CONSTRAINT; Schema: public; Owner: -

ALTER TABLE ONLY public.host
    ADD CONSTRAINT host_pkey PRIMARY KEY (run_id, host);

-- Name: ledger ledger_pkey; Type: CONSTRAINT; Schema: public; Owner: -

ALTER TABLE ONLY public.ledger
    ADD CONSTRAINT ledger_pkey PRIMARY KEY (run_id, host, target_id, purpose, visit, attempt);

-- Name: opt_out opt_out_pkey; Type: CONSTRAINT; Schema: public; Owner: -

ALTER TABLE ONLY public.opt_out
    ADD CONSTRAINT opt_out_pkey PRIMARY KEY (pattern);

-- Name: probe probe_pkey; Type: CONSTRAINT; Schema: public; Owner: -

ALTER TABLE ONLY public.probe
    ADD CONSTRAINT probe_pkey PRIMARY KEY (run_id, target_id, purpose, visit);

-- Name: rate rate_pkey; Type: CONSTRAINT; Schema: public; Owner: -

ALTER TABLE ONLY public.rate
    ADD CONSTRAINT rate_pkey PRIMARY KEY (run_id, rate_id, stratum, version);

-- Name: registry_page registry_page_pkey; Type: CONSTRAINT; Schema: public; Owner: -

ALTER TABLE ONLY public.registry_page
    ADD CONSTRAINT registry_page_pkey PRIMARY KEY (run_id, pass, seq);

-- Name: robots robots_pkey; Type: CONSTRAINT; Schema: public; Owner: -

ALTER TABLE ONLY public.robots
    ADD CONSTRAINT robots_pkey PRIMARY KEY (run_id, host, scheme, port);

-- Name: row row_pkey; Type: CONSTRAINT; Schema: public; Owner: -

ALTER TABLE ONLY public."row"
    ADD CONSTRAINT row_pkey PRIMARY KEY (run_id, name, version);

-- Name: run run_pkey; Type: CONSTRAINT; Schema: public; Owner: -

ALTER TABLE ONLY public.run
    ADD CONSTRAINT run_pkey PRIMARY KEY (run_id);

-- Name: schema_migration schema_migration_pkey; Type: CONSTRAINT; Schema: public; Owner: -

ALTER TABLE ONLY public.schema_migration
    ADD CONSTRAINT schema_migration_pkey PRIMARY KEY (version);

-- Name: target_declaration target_declaration_pkey; Type: CONSTRAINT; Schema: public; Owner: -

ALTER TABLE ONLY public.target_declaration
    ADD CONSTRAINT target_declaration_pkey PRIMARY KEY (run_id, target_id, name, version, kind, "position");

-- Name: target target_pkey; Type: CONSTRAINT; Schema: public; Owner: -

ALTER TABLE ONLY public.target
    ADD CONSTRAINT target_pkey PRIMARY KEY (run_id, target_id);

-- Name: tool tool_pkey; Type: CONSTRAINT; Schema: public; Owner: -

ALTER TABLE ONLY public.tool
    ADD CONSTRAINT tool_pkey PRIMARY KEY (answer_sha256, "position");

-- Name: evidence_classifier; Type: INDEX; Schema: public; Owner: -

CREATE INDEX evidence_classifier ON ONLY public.evidence USING btree (run_id, classifier, version);

-- Name: target_host; Type: INDEX; Schema: public; Owner: -

CREATE INDEX target_host ON ONLY public.target USING btree (run_id, host) WHERE (eligible AND sampled);
