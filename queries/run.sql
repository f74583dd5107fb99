-- name: CreateRun :exec
insert into run (run_id, stage, goal, registry_url, settings, program, started_at, walk_state)
values (@run_id, 'walk', @goal, @registry_url, @settings, @program, @started_at, 'running');

-- name: AddRunPartitions :exec
select add_run_partitions(@run_id);

-- name: GetRun :one
select run_id, stage, goal, registry_url, registry_version, settings, program, started_at, finished_at,
       walk_state, walk_reason, walk_position, proof, frame, hosts, hosts_open, failure
from run
where run_id = @run_id;

-- name: ListRuns :many
select run_id, stage, goal, registry_url, registry_version, settings, program, started_at, finished_at,
       walk_state, walk_reason, walk_position, proof, frame, hosts, hosts_open, failure
from run
order by started_at desc, run_id desc;

-- name: LatestRun :one
-- Demos count only when there is nothing else.
select run_id
from run
order by run_id like 'demo-%', started_at desc, run_id desc
limit 1;

-- name: UnfinishedRun :one
select run_id
from run
where stage <> 'closed'
  and registry_url = @registry_url
  and run_id not like 'demo-%'
order by started_at desc, run_id desc
limit 1;

-- name: RunIDsOfDay :many
select run_id
from run
where run_id = @day::text or starts_with(run_id, @day::text || '.');

-- name: SetRunStage :execrows
-- Moves a run from one stage to the next; nothing happens when it is not there (any more).
update run set stage = @stage where run_id = @run_id and stage = @from_stage;

-- name: SetRunGoal :exec
update run set goal = @goal where run_id = @run_id;

-- name: SetRegistryVersion :exec
update run set registry_version = @registry_version where run_id = @run_id;

-- name: SetWalk :exec
update run
set walk_state = @walk_state, walk_reason = @walk_reason, walk_position = @walk_position
where run_id = @run_id;

-- name: SetProof :exec
update run set proof = @proof where run_id = @run_id;

-- name: SetRunFailure :exec
update run set failure = @failure where run_id = @run_id;

-- name: StartProbing :execrows
update run set stage = 'probe', hosts = @hosts, hosts_open = @hosts, frame = @frame where run_id = @run_id and stage = 'frame';

-- name: FinishHost :one
-- Counts a host down once, however often it is said to be finished. The row lock on run puts the last hosts in line.
with h as (
    update host set finished_at = @finished_at
    where host.run_id = @run_id and host.host = @host and host.finished_at is null
    returning 1)
update run set hosts_open = hosts_open - (select count(*)::integer from h)
where run.run_id = @run_id
returning hosts_open, (select count(*) from h)::integer as closed;

-- name: CloseRun :execrows
update run set stage = 'closed', finished_at = coalesce(finished_at, @finished_at) where run_id = @run_id and stage = 'estimate';

-- name: ReopenRun :exec
-- Findings and rates are versioned, so a closed run may be classified again.
update run set stage = 'classify', goal = 'closed' where run_id = @run_id and stage = 'closed';

-- name: CountPages :one
select count(*) from registry_page where run_id = @run_id and pass = @pass;

-- name: CountProgress :one
select (select count(*) from registry_page g where g.run_id = @run_id and g.pass = 'walk') as pages,
       (select coalesce(sum(rows), 0) from registry_page g where g.run_id = @run_id and g.pass = 'walk')::bigint as rows,
       (select coalesce(sum(targets), 0) from host h where h.run_id = @run_id)::bigint as targets,
       (select count(*) from probe p where p.run_id = @run_id and p.purpose = 'main' and p.visit = 1) as probes,
       (select coalesce(sum(exchanges), 0) from probe p where p.run_id = @run_id)::bigint as exchanges,
       (select coalesce(sum(bytes), 0) from probe p where p.run_id = @run_id)::bigint as bytes,
       (select count(*) from evidence e where e.run_id = @run_id and e.classifier = @classifier and e.version = @version) as classified;

-- name: ServerStatus :one
select current_setting('server_version')::text as version, pg_size_pretty(pg_database_size(current_database()))::text as size;

-- name: SetWalkState :exec
update run set walk_state = @walk_state, walk_reason = @walk_reason where run_id = @run_id;

-- name: LatestWalked :one
-- The newest run of a registry whose walk was read to the end.
select run_id
from run
where registry_url = @registry_url and walk_state in ('closed', 'walked') and proof is not null and run_id not like 'demo-%'
order by started_at desc, run_id desc
limit 1;
