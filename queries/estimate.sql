-- name: AnswerCounts :many
-- Answers to one question in a run, by cluster: integers only, floats are made in Go.
-- Of several main visits of a target the last one counts.
select t.operator, t.publisher, f.answer, count(*) as units
from evidence e
join finding f on f.evidence_sha256 = e.evidence_sha256 and f.classifier = e.classifier and f.version = e.version
join target t on t.run_id = e.run_id and t.target_id = e.target_id
where e.run_id = @run_id and e.classifier = @classifier and e.version = @version and f.question = @question
  and e.purpose = 'main'
  and not exists (select from probe p where p.run_id = e.run_id and p.target_id = e.target_id and p.purpose = 'main' and p.visit > e.visit)
group by t.operator, t.publisher, f.answer
order by t.operator, t.publisher, f.answer;

-- name: CauseCounts :many
select f.answer, f.reason, f.label, count(*) as units
from evidence e
join finding f on f.evidence_sha256 = e.evidence_sha256 and f.classifier = e.classifier and f.version = e.version
where e.run_id = @run_id and e.classifier = @classifier and e.version = @version and f.question = @question
  and e.purpose = 'main'
  and not exists (select from probe p where p.run_id = e.run_id and p.target_id = e.target_id and p.purpose = 'main' and p.visit > e.visit)
group by f.answer, f.reason, f.label
order by f.answer, f.reason, f.label;

-- name: UpsertRate :exec
insert into rate (run_id, rate_id, stratum, body, created_at)
values (@run_id, @rate_id, @stratum, @body, @created_at)
on conflict (run_id, rate_id, stratum) do update set body = excluded.body, created_at = excluded.created_at;

-- name: ListRates :many
select rate_id, stratum, body
from rate
where run_id = @run_id
order by rate_id, stratum;

-- name: FindingsOfRun :many
-- Every finding of the main visits of a run, with the endpoint it is about.
select t.key, f.classifier, f.version, f.question, f.tool, f.tool_name, f.answer, f.label, f.reason
from evidence e
join finding f on f.evidence_sha256 = e.evidence_sha256 and f.classifier = e.classifier and f.version = e.version
join target t on t.run_id = e.run_id and t.target_id = e.target_id
where e.run_id = @run_id and e.purpose = 'main'
  and not exists (select from probe p where p.run_id = e.run_id and p.target_id = e.target_id and p.purpose = 'main' and p.visit > e.visit)
order by t.key, f.classifier, f.version, f.question, f.tool;
