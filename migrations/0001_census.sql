-- The census: one run after another over the same content-addressed store.
--
-- Two kinds of tables. Those that belong to a run (what was listed, visited and said, and when) are partitioned by run, so
-- that a run can be dropped as a whole; there is no DEFAULT partition, so that a partition can be detached concurrently.
-- Those that are content-addressed (bodies, entries, tools, findings) are shared by all runs, so that an unchanged world
-- costs only memberships. Partitioned tables have no foreign keys to shared ones: pruning checks references itself.
--
-- Names sort bytewise (COLLATE "C") whatever the locale of the server: registries page in this order, and the same rows
-- must give the same digest everywhere.

CREATE TABLE run (
    run_id           text PRIMARY KEY CHECK (run_id ~ '^(demo-)?[0-9]{4}-[0-9]{2}-[0-9]{2}(\.[1-9][0-9]*)?$'),
    stage            text NOT NULL CHECK (stage IN ('walk', 'frame', 'probe', 'classify', 'estimate', 'closed')),
    goal             text NOT NULL CHECK (goal IN ('frame', 'probe', 'closed')),
    registry_url     text NOT NULL,
    registry_version text,
    settings         jsonb NOT NULL,
    program          text NOT NULL,
    started_at       timestamptz NOT NULL,
    finished_at      timestamptz,
    walk_state       text NOT NULL CHECK (walk_state IN ('running', 'walked', 'closed', 'incomplete')),
    walk_reason      text,
    walk_position    jsonb,
    proof            jsonb,
    frame            jsonb,
    hosts            integer CHECK (hosts >= 0),
    hosts_open       integer CHECK (hosts_open >= 0),
    failure          text,
    CHECK (stage <> 'closed' OR finished_at IS NOT NULL),
    CHECK ((walk_state = 'incomplete') = (walk_reason IS NOT NULL)),
    CHECK (hosts_open <= hosts)
);
COMMENT ON TABLE run IS 'One census. Its id is its UTC start date; a second one that day gets .2, a demo the prefix demo-.';
COMMENT ON COLUMN run.run_id IS 'Id of the run, such as 2026-12-01, 2026-12-01.2 or demo-2026-12-01.';
COMMENT ON COLUMN run.stage IS 'The stage that is being worked on; closed when all are done.';
COMMENT ON COLUMN run.goal IS 'The stage after which the run pauses: frame (crawl only), probe (no classification), closed (everything).';
COMMENT ON COLUMN run.registry_url IS 'Base URL of the registry that is walked.';
COMMENT ON COLUMN run.registry_version IS 'Version that the registry reports of itself; null when it reports none.';
COMMENT ON COLUMN run.settings IS 'What the operator chose: limits, sample, address policy, allowed calls. A resumed run keeps them.';
COMMENT ON COLUMN run.program IS 'Version of mcpcensus that started the run.';
COMMENT ON COLUMN run.started_at IS 'When the run was started (UTC).';
COMMENT ON COLUMN run.finished_at IS 'When the run was closed for the first time (UTC); classifying again does not change it.';
COMMENT ON COLUMN run.walk_state IS 'running; walked (read to the end, but proof says what is not proven); closed (proven complete); incomplete (stopped before the end, with the reason).';
COMMENT ON COLUMN run.walk_reason IS 'Why the walk is incomplete.';
COMMENT ON COLUMN run.walk_position IS 'Where the walk goes on after a stop: pass, page, cursor.';
COMMENT ON COLUMN run.proof IS 'What proves that the walk saw everything: chain, digest, closing passes, reconciliation, spot checks.';
COMMENT ON COLUMN run.frame IS 'Numbers of endpoints, by population of rows (all, not_deleted, …) and by definition of an endpoint (raw, key, host, …).';
COMMENT ON COLUMN run.hosts IS 'Hosts with at least one eligible target; null before the frame is made.';
COMMENT ON COLUMN run.hosts_open IS 'Hosts whose targets have not all been visited; the probe stage ends when it reaches 0.';
COMMENT ON COLUMN run.failure IS 'Why the run cannot go on, in one sentence; null while it can.';

-- Shared, content-addressed ---------------------------------------------------------------------------------------------

CREATE TABLE body (
    sha256 bytea PRIMARY KEY CHECK (length(sha256) = 32),
    bytes  bytea COMPRESSION lz4 NOT NULL
);
COMMENT ON TABLE body IS 'Every byte string that was sent or received: request and response bodies, registry pages. Content-addressed, shared by all runs.';
COMMENT ON COLUMN body.sha256 IS 'SHA-256 of bytes.';
COMMENT ON COLUMN body.bytes IS 'The bytes exactly as sent or received (content coding included), cut at the cap that the referring row records.';

CREATE TABLE entry (
    sha256 bytea PRIMARY KEY CHECK (length(sha256) = 32),
    bytes  bytea COMPRESSION lz4 NOT NULL
);
COMMENT ON TABLE entry IS 'The listing rows of the registry (server.json with its _meta), content-addressed, shared by all runs.';
COMMENT ON COLUMN entry.sha256 IS 'SHA-256 of bytes.';
COMMENT ON COLUMN entry.bytes IS 'The element of the servers array exactly as the registry sent it.';

CREATE TABLE tool (
    answer_sha256     bytea NOT NULL CHECK (length(answer_sha256) = 32),
    position          integer NOT NULL CHECK (position >= 1),
    name              text NOT NULL,
    name_bytes        bytea,
    description       text,
    read_only_hint    boolean,
    destructive_hint  boolean,
    idempotent_hint   boolean,
    open_world_hint   boolean,
    has_output_schema boolean NOT NULL,
    definition        jsonb COMPRESSION lz4,
    projection_error  text,
    PRIMARY KEY (answer_sha256, position)
);
COMMENT ON TABLE tool IS 'Projection of the answers to tools/list, one row for each entry of the array. It can be dropped and rebuilt from body.';
COMMENT ON COLUMN tool.answer_sha256 IS 'SHA-256 of the JSON-RPC answer that lists the tool; see exchange.answer_sha256.';
COMMENT ON COLUMN tool.position IS 'Position in the tools array of that answer, from 1.';
COMMENT ON COLUMN tool.name IS 'Name as sent, with NUL and invalid UTF-8 replaced by U+FFFD; empty when there is none.';
COMMENT ON COLUMN tool.name_bytes IS 'The name byte for byte, where name had to be changed.';
COMMENT ON COLUMN tool.description IS 'Description as sent, with NUL and invalid UTF-8 replaced; null when absent or not a string.';
COMMENT ON COLUMN tool.read_only_hint IS 'annotations.readOnlyHint; null when absent or not a boolean.';
COMMENT ON COLUMN tool.destructive_hint IS 'annotations.destructiveHint; null when absent or not a boolean.';
COMMENT ON COLUMN tool.idempotent_hint IS 'annotations.idempotentHint; null when absent or not a boolean.';
COMMENT ON COLUMN tool.open_world_hint IS 'annotations.openWorldHint; null when absent or not a boolean.';
COMMENT ON COLUMN tool.has_output_schema IS 'The member outputSchema is present and not null.';
COMMENT ON COLUMN tool.definition IS 'The entry as jsonb, for ad hoc queries; null when jsonb cannot hold it. Raw bytes are in body.';
COMMENT ON COLUMN tool.projection_error IS 'Why definition is null.';

CREATE TABLE finding (
    classifier      text NOT NULL,
    version         integer NOT NULL CHECK (version >= 1),
    evidence_sha256 bytea NOT NULL CHECK (length(evidence_sha256) = 32),
    question        text NOT NULL,
    tool            integer NOT NULL CHECK (tool >= 0),
    tool_name       text NOT NULL,
    answer          text NOT NULL CHECK (answer IN ('true', 'false', 'not_applicable', 'not_available', 'not_supported', 'error')),
    label           text NOT NULL,
    reason          text NOT NULL,
    exchanges       integer[] NOT NULL,
    PRIMARY KEY (evidence_sha256, classifier, version, question, tool)
);
COMMENT ON TABLE finding IS 'The answer of one classifier version to one question about one unit, for everything that shows the same evidence. Join through evidence.';
COMMENT ON COLUMN finding.classifier IS 'Name of the classifier.';
COMMENT ON COLUMN finding.version IS 'Version of the classifier.';
COMMENT ON COLUMN finding.evidence_sha256 IS 'Hash over the parts of the transcript that the classifier reads, without anything volatile.';
COMMENT ON COLUMN finding.question IS 'Id of the question, from the def.yml of the classifier.';
COMMENT ON COLUMN finding.tool IS 'Position of the tool in the list of record, from 1; 0 when the unit is the endpoint.';
COMMENT ON COLUMN finding.tool_name IS 'Name of the tool as text; empty for endpoints.';
COMMENT ON COLUMN finding.answer IS 'One of six: true, false, not_applicable (outside the denominator), not_available (missing), not_supported, error.';
COMMENT ON COLUMN finding.label IS 'The class or value behind the answer, such as protocol_-32602 or 2025-11-25; may be empty.';
COMMENT ON COLUMN finding.reason IS 'Why there is no true or false; a word from the closed list of def.yml.';
COMMENT ON COLUMN finding.exchanges IS 'Sequence numbers of the exchanges that show it.';

CREATE TABLE opt_out (
    pattern  text PRIMARY KEY,
    reason   text NOT NULL,
    added_at timestamptz NOT NULL DEFAULT now()
);
COMMENT ON TABLE opt_out IS 'Who asked not to be visited, beside the list that the project ships. Read when a frame is made.';
COMMENT ON COLUMN opt_out.pattern IS 'Host, *.host, URL prefix, registry name, or name prefix ending in /.';
COMMENT ON COLUMN opt_out.reason IS 'Where and when the wish was expressed.';
COMMENT ON COLUMN opt_out.added_at IS 'When it was entered.';

-- By run ------------------------------------------------------------------------------------------------------------------

CREATE TABLE registry_page (
    run_id      text NOT NULL,
    pass        text NOT NULL,
    seq         integer NOT NULL CHECK (seq >= 0),
    request     text NOT NULL,
    asked       integer NOT NULL CHECK (asked >= 1),
    cursor_in   text NOT NULL,
    cursor_out  text NOT NULL,
    status      integer NOT NULL,
    header      bytea NOT NULL,
    body_sha256 bytea NOT NULL CHECK (length(body_sha256) = 32),
    body_length bigint NOT NULL CHECK (body_length >= 0),
    rows        integer NOT NULL CHECK (rows >= 0),
    bad_rows    integer NOT NULL CHECK (bad_rows >= 0),
    attempts    integer NOT NULL CHECK (attempts >= 1),
    fetched_at  timestamptz NOT NULL,
    anomalies   text[] NOT NULL,
    PRIMARY KEY (run_id, pass, seq)
) PARTITION BY LIST (run_id);
COMMENT ON TABLE registry_page IS 'One page of the registry as it was read, stored before it was parsed.';
COMMENT ON COLUMN registry_page.run_id IS 'The run.';
COMMENT ON COLUMN registry_page.pass IS 'walk (the full walk), closing.N (updated_since passes), latest (the verification walk).';
COMMENT ON COLUMN registry_page.seq IS 'Position of the page in its pass, from 0.';
COMMENT ON COLUMN registry_page.request IS 'URL that was requested.';
COMMENT ON COLUMN registry_page.asked IS 'Rows that were asked for; fewer than usual only around a row that the registry cannot serve.';
COMMENT ON COLUMN registry_page.cursor_in IS 'Cursor that was sent; empty on the first page.';
COMMENT ON COLUMN registry_page.cursor_out IS 'Cursor that the page gives for the next one; empty on the last page.';
COMMENT ON COLUMN registry_page.status IS 'HTTP status.';
COMMENT ON COLUMN registry_page.header IS 'Response header, one "Name: value" a line.';
COMMENT ON COLUMN registry_page.body_sha256 IS 'The page in table body.';
COMMENT ON COLUMN registry_page.body_length IS 'Length of the page in bytes.';
COMMENT ON COLUMN registry_page.rows IS 'Rows on the page, bad ones included.';
COMMENT ON COLUMN registry_page.bad_rows IS 'Rows on the page that are in bad_row.';
COMMENT ON COLUMN registry_page.attempts IS 'Requests that it took.';
COMMENT ON COLUMN registry_page.fetched_at IS 'When the page had been read.';
COMMENT ON COLUMN registry_page.anomalies IS 'What is odd about the page as a whole.';

CREATE TABLE row (
    run_id       text NOT NULL,
    name         text COLLATE "C" NOT NULL,
    version      text COLLATE "C" NOT NULL,
    status       text NOT NULL,
    is_latest    boolean,
    published_at timestamptz,
    updated_at   timestamptz,
    entry_sha256 bytea NOT NULL CHECK (length(entry_sha256) = 32),
    pass         text NOT NULL,
    page         integer NOT NULL,
    position     integer NOT NULL,
    anomalies    text[] NOT NULL,
    PRIMARY KEY (run_id, name, version)
) PARTITION BY LIST (run_id);
COMMENT ON TABLE row IS 'Membership: one version of one server name, as listed in this run. A row seen again later in the run is replaced by the later one.';
COMMENT ON COLUMN row.run_id IS 'The run.';
COMMENT ON COLUMN row.name IS 'Server name as listed (case-sensitive).';
COMMENT ON COLUMN row.version IS 'Version as listed (any text).';
COMMENT ON COLUMN row.status IS 'active, deprecated, deleted, or whatever the registry says; empty when it says nothing.';
COMMENT ON COLUMN row.is_latest IS 'The isLatest flag, reconciled at the end of the walk; null when the registry has no such flag.';
COMMENT ON COLUMN row.published_at IS 'publishedAt; null when absent or unreadable.';
COMMENT ON COLUMN row.updated_at IS 'updatedAt; null when absent or unreadable.';
COMMENT ON COLUMN row.entry_sha256 IS 'The row as sent, in table entry.';
COMMENT ON COLUMN row.pass IS 'Pass in which it was last seen.';
COMMENT ON COLUMN row.page IS 'Page of that pass.';
COMMENT ON COLUMN row.position IS 'Position on that page, from 0.';
COMMENT ON COLUMN row.anomalies IS 'What is odd about the row.';

CREATE TABLE bad_row (
    run_id       text NOT NULL,
    pass         text NOT NULL,
    page         integer NOT NULL,
    position     integer NOT NULL,
    entry_sha256 bytea NOT NULL CHECK (length(entry_sha256) = 32),
    reason       text NOT NULL,
    PRIMARY KEY (run_id, pass, page, position)
) PARTITION BY LIST (run_id);
COMMENT ON TABLE bad_row IS 'Listing rows that have no usable identity (no object, no name, no version): kept and counted, never dropped.';
COMMENT ON COLUMN bad_row.run_id IS 'The run.';
COMMENT ON COLUMN bad_row.pass IS 'Pass in which it was seen.';
COMMENT ON COLUMN bad_row.page IS 'Page of that pass.';
COMMENT ON COLUMN bad_row.position IS 'Position on that page, from 0.';
COMMENT ON COLUMN bad_row.entry_sha256 IS 'The row as sent, in table entry.';
COMMENT ON COLUMN bad_row.reason IS 'Why it cannot be a row.';

CREATE TABLE declaration (
    run_id         text NOT NULL,
    name           text COLLATE "C" NOT NULL,
    version        text COLLATE "C" NOT NULL,
    kind           text NOT NULL CHECK (kind IN ('remote', 'package')),
    position       integer NOT NULL CHECK (position >= 0),
    type           text NOT NULL,
    raw            text NOT NULL,
    key            text,
    key_no_slash   text,
    key_no_query   text,
    host           text,
    domain         text,
    host_class     text,
    port           text,
    query_names    text[],
    inputs         jsonb,
    canonicaliser  integer,
    endpoint_class text CHECK (endpoint_class IN ('plain', 'template', 'invalid')),
    flags          text[] NOT NULL,
    PRIMARY KEY (run_id, name, version, kind, position)
) PARTITION BY LIST (run_id);
COMMENT ON TABLE declaration IS 'Each remote and each package that a row declares, as declared.';
COMMENT ON COLUMN declaration.run_id IS 'The run.';
COMMENT ON COLUMN declaration.name IS 'Server name.';
COMMENT ON COLUMN declaration.version IS 'Version.';
COMMENT ON COLUMN declaration.kind IS 'remote or package.';
COMMENT ON COLUMN declaration.position IS 'Position in the remotes or packages array, from 0.';
COMMENT ON COLUMN declaration.type IS 'Transport type of a remote, registry type of a package, as declared.';
COMMENT ON COLUMN declaration.raw IS 'URL of a remote or identifier of a package, as declared. It may hold secrets: publish only through redaction.';
COMMENT ON COLUMN declaration.key IS 'Canonical key of the endpoint (safe by RFC 3986); for templates with the server name.';
COMMENT ON COLUMN declaration.key_no_slash IS 'The key without a trailing slash.';
COMMENT ON COLUMN declaration.key_no_query IS 'The key without trailing slash, query and scheme.';
COMMENT ON COLUMN declaration.host IS 'Canonical host.';
COMMENT ON COLUMN declaration.domain IS 'Registrable domain by the Public Suffix List, private entries included.';
COMMENT ON COLUMN declaration.host_class IS 'public, private, loopback, reserved, …';
COMMENT ON COLUMN declaration.port IS 'Port as in the key; null for the default one of the scheme.';
COMMENT ON COLUMN declaration.query_names IS 'Names of the query parameters; their values may be secrets.';
COMMENT ON COLUMN declaration.inputs IS 'Headers and variables that somebody has to fill in: name, required, secret, and whether a value, a default or choices are given.';
COMMENT ON COLUMN declaration.canonicaliser IS 'Version of the rules behind key; null for packages.';
COMMENT ON COLUMN declaration.endpoint_class IS 'plain, template or invalid; null for packages.';
COMMENT ON COLUMN declaration.flags IS 'What the canonicaliser changed or noticed.';

CREATE TABLE target (
    run_id     text NOT NULL,
    target_id  bigint NOT NULL,
    surface    text NOT NULL CHECK (surface IN ('remote', 'local')),
    key        text NOT NULL,
    url        text NOT NULL,
    host       text COLLATE "C" NOT NULL,
    domain     text NOT NULL,
    publisher  text COLLATE "C" NOT NULL,
    operator   text COLLATE "C" NOT NULL,
    types      text[] NOT NULL,
    names      integer NOT NULL CHECK (names >= 0),
    eligible   boolean NOT NULL,
    reason     text NOT NULL,
    rule       text NOT NULL,
    sampled    boolean NOT NULL,
    rank       bigint NOT NULL,
    PRIMARY KEY (run_id, target_id),
    CHECK (eligible = (reason = ''))
) PARTITION BY LIST (run_id);
CREATE INDEX target_host ON target (run_id, host) WHERE eligible AND sampled;
COMMENT ON TABLE target IS 'What gets one probe: a canonical endpoint (or a package launch). Ineligible ones stay, with their reason.';
COMMENT ON COLUMN target.run_id IS 'The run.';
COMMENT ON COLUMN target.target_id IS 'Derived from surface and key by SHA-256, so that it is the same in every run.';
COMMENT ON COLUMN target.surface IS 'remote (an endpoint) or local (a package).';
COMMENT ON COLUMN target.key IS 'Canonical key.';
COMMENT ON COLUMN target.url IS 'URL that is requested; empty for templates that need configuration. Publish only through redaction.';
COMMENT ON COLUMN target.host IS 'Host; the unit of pacing.';
COMMENT ON COLUMN target.domain IS 'Registrable domain.';
COMMENT ON COLUMN target.publisher IS 'Namespace that declares it; the first in byte order where several do.';
COMMENT ON COLUMN target.operator IS 'Connected namespaces, repository owners and domains; named after the first in byte order. The cluster of the intervals.';
COMMENT ON COLUMN target.types IS 'Transport types that are declared for it, sorted.';
COMMENT ON COLUMN target.names IS 'Server names that declare it.';
COMMENT ON COLUMN target.eligible IS 'It may be visited.';
COMMENT ON COLUMN target.reason IS 'Why it may not; empty when eligible.';
COMMENT ON COLUMN target.rule IS 'The rule or opt-out pattern that matched; empty when there is none.';
COMMENT ON COLUMN target.sampled IS 'In the sample of this run; true for all when the run has no limit.';
COMMENT ON COLUMN target.rank IS 'Order within the host: a hash, so that no publisher is always first.';

CREATE TABLE target_declaration (
    run_id    text NOT NULL,
    target_id bigint NOT NULL,
    name      text COLLATE "C" NOT NULL,
    version   text COLLATE "C" NOT NULL,
    kind      text NOT NULL CHECK (kind IN ('remote', 'package')),
    position  integer NOT NULL,
    PRIMARY KEY (run_id, target_id, name, version, kind, position)
) PARTITION BY LIST (run_id);
COMMENT ON TABLE target_declaration IS 'Which declarations stand behind a target.';
COMMENT ON COLUMN target_declaration.run_id IS 'The run.';
COMMENT ON COLUMN target_declaration.target_id IS 'The target.';
COMMENT ON COLUMN target_declaration.name IS 'Server name.';
COMMENT ON COLUMN target_declaration.version IS 'Version.';
COMMENT ON COLUMN target_declaration.kind IS 'remote or package.';
COMMENT ON COLUMN target_declaration.position IS 'Position in the array of the row.';

CREATE TABLE host (
    run_id      text NOT NULL,
    host        text COLLATE "C" NOT NULL,
    targets     integer NOT NULL CHECK (targets >= 1),
    finished_at timestamptz,
    PRIMARY KEY (run_id, host)
) PARTITION BY LIST (run_id);
COMMENT ON TABLE host IS 'Hosts with something to visit. A host is visited by one worker at a time.';
COMMENT ON COLUMN host.run_id IS 'The run.';
COMMENT ON COLUMN host.host IS 'Host; the unit of pacing.';
COMMENT ON COLUMN host.targets IS 'Eligible targets in the sample of the run.';
COMMENT ON COLUMN host.finished_at IS 'When all of them had been visited; null until then.';

CREATE TABLE robots (
    run_id      text NOT NULL,
    host        text NOT NULL,
    scheme      text NOT NULL,
    port        text NOT NULL,
    status      integer NOT NULL,
    failure     text NOT NULL,
    body_sha256 bytea CHECK (length(body_sha256) = 32),
    fetched_at  timestamptz NOT NULL,
    PRIMARY KEY (run_id, host, scheme, port)
) PARTITION BY LIST (run_id);
COMMENT ON TABLE robots IS 'robots.txt of each origin that was visited, read once a run. Only a group that names mcpcensus counts.';
COMMENT ON COLUMN robots.run_id IS 'The run.';
COMMENT ON COLUMN robots.host IS 'Host.';
COMMENT ON COLUMN robots.scheme IS 'http or https.';
COMMENT ON COLUMN robots.port IS 'Port as in the URL; empty for the default one.';
COMMENT ON COLUMN robots.status IS 'HTTP status; 0 when there was no answer.';
COMMENT ON COLUMN robots.failure IS 'Why there was no complete answer; empty otherwise.';
COMMENT ON COLUMN robots.body_sha256 IS 'The file in table body; null when there was none.';
COMMENT ON COLUMN robots.fetched_at IS 'When it was read.';

CREATE TABLE probe (
    run_id         text NOT NULL,
    target_id      bigint NOT NULL,
    purpose        text NOT NULL CHECK (purpose IN ('main', 'confirm', 'control', 'retest')),
    visit          integer NOT NULL CHECK (visit >= 1),
    eras           text[] NOT NULL,
    worker         text NOT NULL,
    started_at     timestamptz NOT NULL,
    finished_at    timestamptz NOT NULL CHECK (finished_at >= started_at),
    outcome        text NOT NULL,
    ended          text NOT NULL CHECK (ended IN ('done', 'deadline', 'budget', 'deferred', 'interrupted')),
    retry_after_ms bigint CHECK (retry_after_ms >= 0),
    unknown_tool   text NOT NULL,
    exchanges      integer NOT NULL CHECK (exchanges >= 0),
    bytes          bigint NOT NULL CHECK (bytes >= 0),
    error          text,
    PRIMARY KEY (run_id, target_id, purpose, visit)
) PARTITION BY LIST (run_id);
COMMENT ON TABLE probe IS 'One visit of one target. The vocabulary of outcome and ended is in prober/FORMAT.md.';
COMMENT ON COLUMN probe.run_id IS 'The run.';
COMMENT ON COLUMN probe.target_id IS 'The target.';
COMMENT ON COLUMN probe.purpose IS 'main, or a second visit: confirm, control, retest.';
COMMENT ON COLUMN probe.visit IS 'Number of the visit with this purpose, from 1; later ones follow a deferral.';
COMMENT ON COLUMN probe.eras IS 'Eras that were asked, in this order.';
COMMENT ON COLUMN probe.worker IS 'Worker that made the visit.';
COMMENT ON COLUMN probe.started_at IS 'Start of the visit.';
COMMENT ON COLUMN probe.finished_at IS 'End of the visit.';
COMMENT ON COLUMN probe.outcome IS 'answered when any response header arrived, otherwise the first failure; policy.robots when the operator keeps us out.';
COMMENT ON COLUMN probe.ended IS 'Why nothing more was sent.';
COMMENT ON COLUMN probe.retry_after_ms IS 'Pause that the server asked for, in milliseconds, when ended is deferred.';
COMMENT ON COLUMN probe.unknown_tool IS 'Name of the tool that cannot exist.';
COMMENT ON COLUMN probe.exchanges IS 'Number of exchanges.';
COMMENT ON COLUMN probe.bytes IS 'Bytes of bodies received.';
COMMENT ON COLUMN probe.error IS 'Our own fault, when nothing could be tried; null otherwise.';

CREATE TABLE exchange (
    run_id          text NOT NULL,
    target_id       bigint NOT NULL,
    purpose         text NOT NULL CHECK (purpose IN ('main', 'confirm', 'control', 'retest')),
    visit           integer NOT NULL,
    seq             integer NOT NULL CHECK (seq >= 1),
    era             text NOT NULL CHECK (era IN ('modern', 'legacy')),
    transport       text NOT NULL CHECK (transport IN ('streamable-http', 'sse', 'stdio')),
    step            text NOT NULL CHECK (step IN ('discover', 'initialize', 'initialized', 'list_tools', 'unknown_tool', 'call', 'open_stream',
                                                  'server_reply', 'delete')),
    page            integer NOT NULL,
    try             integer NOT NULL CHECK (try >= 1),
    follows_of      integer NOT NULL,
    stream_of       integer NOT NULL,
    method          text NOT NULL,
    url             text NOT NULL,
    request_header  bytea NOT NULL,
    request_sha256  bytea CHECK (length(request_sha256) = 32),
    request_id      text,
    status          integer NOT NULL CHECK (status BETWEEN 0 AND 999),
    proto           text NOT NULL,
    response_header bytea COMPRESSION lz4 NOT NULL,
    body_sha256     bytea CHECK (length(body_sha256) = 32),
    body_length     bigint NOT NULL CHECK (body_length >= 0),
    declared_length bigint NOT NULL,
    truncated       boolean NOT NULL,
    left_open       boolean NOT NULL,
    failure         text NOT NULL,
    failure_detail  text NOT NULL,
    remote_addr     text NOT NULL,
    tls_version     text NOT NULL,
    started_at      timestamptz NOT NULL,
    first_byte_us   bigint NOT NULL CHECK (first_byte_us >= 0),
    duration_us     bigint NOT NULL CHECK (duration_us >= 0),
    answer_sha256   bytea CHECK (length(answer_sha256) = 32),
    PRIMARY KEY (run_id, target_id, purpose, visit, seq)
) PARTITION BY LIST (run_id);
COMMENT ON TABLE exchange IS 'One request and everything that came back. The format is published in prober/FORMAT.md.';
COMMENT ON COLUMN exchange.run_id IS 'The run.';
COMMENT ON COLUMN exchange.target_id IS 'The target.';
COMMENT ON COLUMN exchange.purpose IS 'Purpose of the probe.';
COMMENT ON COLUMN exchange.visit IS 'Visit of the probe.';
COMMENT ON COLUMN exchange.seq IS 'Position in the transcript, from 1.';
COMMENT ON COLUMN exchange.era IS 'Era that the request belongs to.';
COMMENT ON COLUMN exchange.transport IS 'Transport that carried it.';
COMMENT ON COLUMN exchange.step IS 'What the request is for.';
COMMENT ON COLUMN exchange.page IS 'Page of a tools/list, from 1; 0 for other steps.';
COMMENT ON COLUMN exchange.try IS 'Attempt at the same step and page, from 1.';
COMMENT ON COLUMN exchange.follows_of IS 'seq of the exchange whose redirect this one follows; 0 if none.';
COMMENT ON COLUMN exchange.stream_of IS 'seq of the exchange whose event stream carries the answer; 0 if none.';
COMMENT ON COLUMN exchange.method IS 'HTTP method.';
COMMENT ON COLUMN exchange.url IS 'URL as requested. Publish only through redaction.';
COMMENT ON COLUMN exchange.request_header IS 'Request header as the census set it, one "Name: value" a line.';
COMMENT ON COLUMN exchange.request_sha256 IS 'Request body in table body; null when there was none.';
COMMENT ON COLUMN exchange.request_id IS 'JSON-RPC id as JSON text; null for notifications and requests without a message.';
COMMENT ON COLUMN exchange.status IS 'HTTP status; 0 when no response header arrived.';
COMMENT ON COLUMN exchange.proto IS 'Such as HTTP/1.1; empty when no response header arrived.';
COMMENT ON COLUMN exchange.response_header IS 'Response header, one "Name: value" a line. Read single fields with http_header().';
COMMENT ON COLUMN exchange.body_sha256 IS 'Response body in table body; null when no byte arrived.';
COMMENT ON COLUMN exchange.body_length IS 'Bytes received in all, also those beyond the cap.';
COMMENT ON COLUMN exchange.declared_length IS 'Content-Length; -1 when absent.';
COMMENT ON COLUMN exchange.truncated IS 'The stored body is shorter than body_length.';
COMMENT ON COLUMN exchange.left_open IS 'The answer was complete and the census closed a stream that was still open.';
COMMENT ON COLUMN exchange.failure IS 'Why there is no complete response; empty when there is.';
COMMENT ON COLUMN exchange.failure_detail IS 'Error text behind failure.';
COMMENT ON COLUMN exchange.remote_addr IS 'Address and port that was dialled; empty when none was.';
COMMENT ON COLUMN exchange.tls_version IS 'Such as TLS 1.3; empty without TLS.';
COMMENT ON COLUMN exchange.started_at IS 'When the request was sent.';
COMMENT ON COLUMN exchange.first_byte_us IS 'Microseconds until the response header; 0 when none arrived.';
COMMENT ON COLUMN exchange.duration_us IS 'Microseconds until the end of the exchange.';
COMMENT ON COLUMN exchange.answer_sha256 IS 'SHA-256 of the JSON-RPC answer inside the body (projection); null when there is none.';

CREATE TABLE ledger (
    run_id      text NOT NULL,
    host        text NOT NULL,
    target_id   bigint NOT NULL,
    purpose     text NOT NULL,
    visit       integer NOT NULL,
    attempt     integer NOT NULL CHECK (attempt >= 1),
    worker      text NOT NULL,
    reserved    integer NOT NULL CHECK (reserved >= 1),
    sent        integer CHECK (sent >= 0),
    reserved_at timestamptz NOT NULL,
    settled_at  timestamptz,
    PRIMARY KEY (run_id, host, target_id, purpose, visit, attempt),
    CHECK ((sent IS NULL) = (settled_at IS NULL))
) PARTITION BY LIST (run_id);
COMMENT ON TABLE ledger IS 'Requests that were reserved before they were sent. What a crash left unsettled counts as spent in full.';
COMMENT ON COLUMN ledger.run_id IS 'The run.';
COMMENT ON COLUMN ledger.host IS 'Host that pays.';
COMMENT ON COLUMN ledger.target_id IS 'Target of the visit; 0 for the robots.txt of the host.';
COMMENT ON COLUMN ledger.purpose IS 'Purpose of the visit.';
COMMENT ON COLUMN ledger.visit IS 'Number of the visit.';
COMMENT ON COLUMN ledger.attempt IS 'Attempt at the visit, from 1; a later one follows a crash.';
COMMENT ON COLUMN ledger.worker IS 'Worker that reserved.';
COMMENT ON COLUMN ledger.reserved IS 'Requests reserved.';
COMMENT ON COLUMN ledger.sent IS 'Requests sent; null until settled.';
COMMENT ON COLUMN ledger.reserved_at IS 'When they were reserved.';
COMMENT ON COLUMN ledger.settled_at IS 'When the visit was over and counted.';

CREATE TABLE evidence (
    run_id          text NOT NULL,
    target_id       bigint NOT NULL,
    purpose         text NOT NULL,
    visit           integer NOT NULL,
    classifier      text NOT NULL,
    version         integer NOT NULL CHECK (version >= 1),
    evidence_sha256 bytea NOT NULL CHECK (length(evidence_sha256) = 32),
    PRIMARY KEY (run_id, target_id, purpose, visit, classifier, version)
) PARTITION BY LIST (run_id);
CREATE INDEX evidence_classifier ON evidence (run_id, classifier, version);
COMMENT ON TABLE evidence IS 'Membership: which evidence a probe shows to a classifier version; joins probe and finding.';
COMMENT ON COLUMN evidence.run_id IS 'The run.';
COMMENT ON COLUMN evidence.target_id IS 'The target.';
COMMENT ON COLUMN evidence.purpose IS 'Purpose of the probe.';
COMMENT ON COLUMN evidence.visit IS 'Visit of the probe.';
COMMENT ON COLUMN evidence.classifier IS 'Name of the classifier.';
COMMENT ON COLUMN evidence.version IS 'Version of the classifier.';
COMMENT ON COLUMN evidence.evidence_sha256 IS 'See finding.evidence_sha256.';

CREATE TABLE rate (
    run_id     text NOT NULL,
    rate_id    text NOT NULL,
    stratum    text NOT NULL,
    version    integer NOT NULL CHECK (version >= 1),
    body       jsonb NOT NULL,
    created_at timestamptz NOT NULL,
    PRIMARY KEY (run_id, rate_id, stratum, version)
) PARTITION BY LIST (run_id);
COMMENT ON TABLE rate IS 'Reported numbers, one JSON row each; every rendering is made from these.';
COMMENT ON COLUMN rate.run_id IS 'The run.';
COMMENT ON COLUMN rate.rate_id IS 'Id of the rate: the question it answers.';
COMMENT ON COLUMN rate.stratum IS 'Stratum, such as era=legacy; empty for all.';
COMMENT ON COLUMN rate.version IS 'Version of the classifier behind it; a later version adds rows and replaces none.';
COMMENT ON COLUMN rate.body IS 'The JSON row, with numerator, denominator, exclusions, frame and intervals.';
COMMENT ON COLUMN rate.created_at IS 'When it was computed.';

CREATE FUNCTION add_run_partitions(run text) RETURNS void LANGUAGE plpgsql AS $$
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
COMMENT ON FUNCTION add_run_partitions(text) IS 'Creates the partitions of a new run.';

CREATE FUNCTION http_header(header bytea, field text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT trim(substr(line, strpos(line, ':') + 1))
    FROM regexp_split_to_table(encode(header, 'escape'), '\n') WITH ORDINALITY AS l (line, n)
    WHERE lower(split_part(line, ':', 1)) = lower(field)
    ORDER BY n
    LIMIT 1
$$;
COMMENT ON FUNCTION http_header(bytea, text) IS 'First value of a header field, compared without case; bytes that are not ASCII are shown as octal escapes.';
