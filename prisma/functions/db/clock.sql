-- The time by which everything is decided that more than one process decides: the database's. `given` is the time by the caller's own
-- clock, which may be wrong by a day; only the databases of tests believe it (lib/db/testing/clock.ts), so that a test can move the time.
CREATE OR REPLACE FUNCTION db_time(given timestamptz) RETURNS timestamptz LANGUAGE sql AS $$ SELECT clock_timestamp() $$;
