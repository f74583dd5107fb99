-- name: InsertPage :exec
insert into registry_page (run_id, pass, seq, request, asked, cursor_in, cursor_out, status, header, body_sha256, body_length,
                           rows, bad_rows, attempts, fetched_at, anomalies)
values (@run_id, @pass, @seq, @request, @asked, @cursor_in, @cursor_out, @status, @header, @body_sha256, @body_length,
        @rows, @bad_rows, @attempts, @fetched_at, @anomalies);

-- name: GetPage :one
select g.seq, g.request, g.asked, g.cursor_in, g.cursor_out, g.status, g.attempts, g.fetched_at, g.header, b.bytes as body
from registry_page g
join body b on b.sha256 = g.body_sha256
where g.run_id = @run_id and g.pass = @pass and g.seq = @seq;

-- name: HashesOfNames :many
-- What is stored of some names, to see what a page changes.
select name, version, entry_sha256
from row
where run_id = @run_id and name = any(@names::text[]);

-- name: StoredRows :many
-- A stretch of the rows of a run in bytewise order, for readers that stream them all.
select name, version, status, is_latest, updated_at, entry_sha256
from row
where run_id = @run_id and (name, version) > (@after_name::text, @after_version::text)
order by name, version
limit @at_most;

-- name: StoredRowsOfName :many
select name, version, status, is_latest, updated_at, entry_sha256
from row
where run_id = @run_id and name = @name
order by version;

-- name: PageRows :many
-- A stretch of the rows of a run with their entries, in bytewise order.
select r.name, r.version, r.status, r.is_latest, r.published_at, r.updated_at, r.entry_sha256, e.bytes as entry
from row r
join entry e on e.sha256 = r.entry_sha256
where r.run_id = @run_id and (r.name, r.version) > (@after_name::text, @after_version::text)
order by r.name, r.version
limit @at_most;

-- name: CountRows :one
select count(*) as rows,
       count(distinct name) as names,
       count(*) filter (where is_latest) as latest,
       count(*) filter (where status = 'active') as active,
       count(*) filter (where status = 'deprecated') as deprecated,
       count(*) filter (where status = 'deleted') as deleted
from row
where run_id = @run_id;

-- name: CountBadRows :one
select count(*) from bad_row where run_id = @run_id;


-- name: AdoptRows :execrows
-- Begins a run with the rows of an earlier one.
insert into row (run_id, name, version, status, is_latest, published_at, updated_at, entry_sha256, pass, page, position, anomalies)
select @run_id::text, name, version, status, is_latest, published_at, updated_at, entry_sha256, pass, page, position, anomalies
from row
where row.run_id = @base::text;
