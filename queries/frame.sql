-- name: ClearFrame :exec
with d as (delete from declaration where declaration.run_id = @run_id),
     l as (delete from target_declaration where target_declaration.run_id = @run_id),
     h as (delete from host where host.run_id = @run_id)
delete from target where target.run_id = @run_id;

-- name: OptOuts :many
select pattern from opt_out order by pattern;

-- name: MakeHosts :one
with h as (
    insert into host (run_id, host, targets)
    select t.run_id, t.host, count(*)
    from target t
    where t.run_id = @run_id and t.eligible and t.sampled
    group by t.run_id, t.host
    returning 1)
select count(*) from h;

-- name: OpenHosts :many
-- Hosts with a target that has no visit yet, the largest first.
select host, targets
from host
where run_id = @run_id and finished_at is null
order by targets desc, host;

-- name: OpenTargets :many
-- Targets that are to be visited: those without a visit, and once more those that asked for a pause.
select t.target_id, t.key, t.url, t.types, (coalesce(p.visit, 0) + 1)::integer as visit,
       coalesce(p.finished_at + p.retry_after_ms * interval '1 millisecond', 'epoch')::timestamptz as not_before
from target t
left join lateral (select v.visit, v.ended, v.finished_at, v.retry_after_ms
                   from probe v
                   where v.run_id = t.run_id and v.target_id = t.target_id and v.purpose = 'main'
                   order by v.visit desc
                   limit 1) p on true
where t.run_id = @run_id and t.host = @host and t.eligible and t.sampled
  and (p.visit is null or p.ended = 'deferred' and p.visit < @visits::integer)
order by coalesce(p.visit, 0), t.rank, t.target_id;

-- name: CountTargets :many
select surface, reason, sampled, count(*) as targets
from target
where run_id = @run_id
group by surface, reason, sampled
order by surface, reason, sampled;
