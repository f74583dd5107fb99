-- name: ReserveLedger :one
insert into ledger (run_id, host, target_id, purpose, visit, attempt, worker, reserved, reserved_at)
select @run_id, @host, @target_id, @purpose, @visit, coalesce(max(l.attempt), 0) + 1, @worker, @reserved, @reserved_at
from ledger l
where l.run_id = @run_id and l.host = @host and l.target_id = @target_id and l.purpose = @purpose and l.visit = @visit
returning attempt;

-- name: SettleLedger :exec
update ledger set sent = @sent, settled_at = @settled_at
where run_id = @run_id and host = @host and target_id = @target_id and purpose = @purpose and visit = @visit
  and attempt = @attempt;

-- name: SpentOnTarget :one
select coalesce(sum(coalesce(sent, reserved)), 0)::bigint as spent
from ledger
where run_id = @run_id and host = @host and target_id = @target_id;

-- name: LedgerTotals :one
-- What the run has cost: visits of targets and reads of robots.txt, and the requests that they sent or may have sent.
select count(distinct (target_id, purpose, visit)) filter (where target_id <> 0) as visits,
       count(*) filter (where target_id = 0) as robots,
       coalesce(sum(reserved), 0)::bigint as reserved,
       coalesce(sum(sent), 0)::bigint as sent,
       count(*) filter (where sent is null) as unsettled,
       coalesce(sum(reserved) filter (where sent is null), 0)::bigint as unsettled_requests
from ledger
where run_id = @run_id;

-- name: GetRobots :one
select r.status, r.failure, b.bytes
from robots r
left join body b on b.sha256 = r.body_sha256
where r.run_id = @run_id and r.host = @host and r.scheme = @scheme and r.port = @port;

-- name: InsertRobots :exec
insert into robots (run_id, host, scheme, port, status, failure, body_sha256, fetched_at)
values (@run_id, @host, @scheme, @port, @status, @failure, @body_sha256, @fetched_at)
on conflict do nothing;

-- name: InsertProbe :exec
insert into probe (run_id, target_id, purpose, visit, eras, worker, started_at, finished_at, outcome, ended,
                   retry_after_ms, unknown_tool, exchanges, bytes, error)
values (@run_id, @target_id, @purpose, @visit, @eras, @worker, @started_at, @finished_at, @outcome, @ended,
        @retry_after_ms, @unknown_tool, @exchanges, @bytes, @error);

-- name: CountProbes :one
select count(*) as probes, coalesce(sum(exchanges), 0)::bigint as exchanges, coalesce(sum(bytes), 0)::bigint as bytes
from probe
where run_id = @run_id;

-- name: CountOutcomes :many
-- Of several main visits of a target the last one counts.
select p.outcome, p.ended, count(*) as probes
from probe p
where p.run_id = @run_id and p.purpose = 'main'
  and not exists (select from probe l where l.run_id = p.run_id and l.target_id = p.target_id and l.purpose = 'main' and l.visit > p.visit)
group by p.outcome, p.ended
order by count(*) desc, p.outcome, p.ended;

-- name: CountEligible :one
select count(*) filter (where eligible) as eligible, count(*) filter (where eligible and sampled) as sampled
from target
where run_id = @run_id;
