-- What the queries know of River's table, for sqlc alone. River's own migrations create it.
CREATE SCHEMA river;
CREATE TYPE river.river_job_state AS ENUM ('available', 'cancelled', 'completed', 'discarded', 'pending', 'retryable', 'running', 'scheduled');
CREATE TABLE river.river_job (
    id           bigint PRIMARY KEY,
    state        river.river_job_state NOT NULL,
    attempt      smallint NOT NULL,
    attempted_by text[],
    scheduled_at timestamptz NOT NULL,
    args         jsonb NOT NULL,
    kind         text NOT NULL
);
