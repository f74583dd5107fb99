-- name: UnclassifiedProbes :many
-- Probes that lack the evidence of at least one of the given classifiers, written name/version.
select p.target_id, p.purpose, p.visit
from probe p
where p.run_id = @run_id
  and (p.target_id, p.purpose, p.visit) > (@after_target::bigint, @after_purpose::text, @after_visit::integer)
  and (select count(*)
       from evidence e
       where e.classifier || '/' || e.version = any(@classifiers::text[])
         and e.run_id = p.run_id and e.target_id = p.target_id and e.purpose = p.purpose and e.visit = p.visit)
      < cardinality(@classifiers::text[])
order by p.target_id, p.purpose, p.visit
limit @at_most;

-- name: GetProbe :one
select p.purpose, p.visit, p.started_at, p.finished_at, p.outcome, p.ended, p.retry_after_ms, p.unknown_tool, p.error,
       t.key, t.types
from probe p
join target t on t.run_id = p.run_id and t.target_id = p.target_id
where p.run_id = @run_id and p.target_id = @target_id and p.purpose = @purpose and p.visit = @visit;

-- name: GetExchanges :many
select x.seq, x.era, x.transport, x.step, x.page, x.try, x.follows_of, x.stream_of, x.method, x.url, x.request_header,
       q.bytes as request_body, x.request_id, x.status, x.proto, x.response_header, b.bytes as body, x.body_length,
       x.declared_length, x.truncated, x.left_open, x.failure, x.failure_detail, x.remote_addr, x.tls_version,
       x.started_at, x.first_byte_us, x.duration_us, x.answer_sha256
from exchange x
left join body q on q.sha256 = x.request_sha256
left join body b on b.sha256 = x.body_sha256
where x.run_id = @run_id and x.target_id = @target_id and x.purpose = @purpose and x.visit = @visit
order by x.seq;

-- name: KnownEvidence :many
-- Which of the given hashes already have findings of this classifier version.
select distinct evidence_sha256
from finding
where classifier = @classifier and version = @version and evidence_sha256 = any(@hashes::bytea[]);
