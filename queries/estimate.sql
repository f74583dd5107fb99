-- name: AnswerCounts :many
-- Answers of one classifier version in a run, by question and cluster: integers only, floats are made in Go.
-- Of several main visits of a target the last one counts.
select f.question, t.operator, t.publisher, f.answer, f.reason, f.label, count(*) as units
from evidence e
join finding f on f.evidence_sha256 = e.evidence_sha256 and f.classifier = e.classifier and f.version = e.version
join target t on t.run_id = e.run_id and t.target_id = e.target_id
where e.run_id = @run_id and e.classifier = @classifier and e.version = @version and e.purpose = 'main'
  and not exists (select from probe p where p.run_id = e.run_id and p.target_id = e.target_id and p.purpose = 'main' and p.visit > e.visit)
group by f.question, t.operator, t.publisher, f.answer, f.reason, f.label
order by f.question, t.operator, t.publisher, f.answer, f.reason, f.label;

-- name: UpsertRate :exec
insert into rate (run_id, rate_id, stratum, version, body, created_at)
values (@run_id, @rate_id, @stratum, @version, @body, @created_at)
on conflict (run_id, rate_id, stratum, version) do update set body = excluded.body, created_at = excluded.created_at;

-- name: ListRates :many
select rate_id, stratum, version, body
from rate
where run_id = @run_id
order by rate_id, stratum, version;

-- name: FindingsOfRun :many
-- Every finding of the main visits of a run, with the endpoint it is about.
select t.key, f.classifier, f.version, f.question, f.tool, f.tool_name, f.answer, f.label, f.reason
from evidence e
join finding f on f.evidence_sha256 = e.evidence_sha256 and f.classifier = e.classifier and f.version = e.version
join target t on t.run_id = e.run_id and t.target_id = e.target_id
where e.run_id = @run_id and e.purpose = 'main'
  and not exists (select from probe p where p.run_id = e.run_id and p.target_id = e.target_id and p.purpose = 'main' and p.visit > e.visit)
order by t.key, f.classifier, f.version, f.question, f.tool;
