-- When the database, or the newest process of the service, started: a backup was restored no later than that.
CREATE OR REPLACE FUNCTION db_last_start() RETURNS timestamptz LANGUAGE sql STABLE AS $$
  SELECT greatest(pg_postmaster_start_time(), (SELECT max(p.started_at) FROM process p))
$$;
