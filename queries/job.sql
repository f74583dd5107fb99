-- name: RunningJobs :many
-- Jobs that a worker has taken and not given back, with that worker.
select id, kind, coalesce(attempted_by[array_upper(attempted_by, 1)], '')::text as worker
from river.river_job
where state = 'running'
order by id;

-- name: ReleaseJob :exec
-- Gives a job back whose worker is gone.
update river.river_job
set state = 'available', scheduled_at = now()
where id = @id and state = 'running' and attempted_by[array_upper(attempted_by, 1)] = @worker::text;

-- name: LiveJobs :many
-- Jobs of a run that are waiting or running.
select kind, coalesce(args ->> 'host', '')::text as host
from river.river_job
where args ->> 'run' = @run_id::text and state in ('available', 'pending', 'retryable', 'running', 'scheduled')
order by kind, host;

-- name: WakeJobs :exec
-- Retries of a run that are waiting for a backoff begin at once, because an operator asked to go on. Scheduled jobs are
-- left alone: they wait because a host asked for a pause.
update river.river_job
set state = 'available', scheduled_at = now()
where args ->> 'run' = @run_id::text and state = 'retryable';

-- name: QueueDepth :many
select kind, state::text as state, count(*) as jobs
from river.river_job
where state in ('available', 'pending', 'retryable', 'running', 'scheduled')
group by kind, state
order by kind, state;

-- name: TryAdvisoryLock :one
select pg_try_advisory_lock(hashtextextended(@name::text, 0));

-- name: AdvisoryUnlock :one
select pg_advisory_unlock(hashtextextended(@name::text, 0));

-- name: AdvisoryLockShared :exec
select pg_advisory_lock_shared(hashtextextended(@name::text, 0));

-- name: TryTransactionLock :one
-- Free when the lock could be taken; it ends with the transaction.
select pg_try_advisory_xact_lock(hashtextextended(@name::text, 0));

-- name: TransactionLock :exec
-- Waits for a lock; it ends with the transaction.
select pg_advisory_xact_lock(hashtextextended(@name::text, 0));

-- name: AdvisoryUnlockAll :exec
select pg_advisory_unlock_all();

-- name: CreateQueueSchema :exec
create schema if not exists river;
