-- The outbox: events, written in the commit that makes them true, and numbered for each account once they are committed.

-- Records what happened to an account. `data` has amounts as texts in nano-USD; lib/events/catalogue.ts says what belongs to each type. A
-- time that is not known is now: an event must not fail the commit that it tells of.
CREATE OR REPLACE FUNCTION events_record(account text, event_type text, data jsonb, at timestamptz) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  happened timestamptz := coalesce(events_record.at, clock_timestamp());
BEGIN
  INSERT INTO event (id, account_id, type, at, data)
    VALUES ('evt_' || to_hex((extract(epoch FROM happened) * 1000)::bigint) || left(replace(gen_random_uuid()::text, '-', ''), 20),
      account, event_type, happened, jsonb_strip_nulls(events_record.data));
END $$;

-- Gives committed events their numbers, at most `most` per call: for each account in the order in which they were written, without gaps;
-- and with its number each event gets its deliveries. One caller at a time; nobody else waits for it. Returns how many.
CREATE OR REPLACE FUNCTION events_number(most integer, moment timestamptz) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
  numbered_now integer;
  waiting text[];
BEGIN
  PERFORM pg_advisory_xact_lock(7305002);
  WITH fresh AS (
    SELECT f.place, f.account_id, row_number() OVER (PARTITION BY f.account_id ORDER BY f.place) AS ordinal
    FROM (SELECT e.place, e.account_id FROM event e WHERE e.sequence IS NULL ORDER BY e.place LIMIT most) f
  ), total AS (
    SELECT f.account_id, count(*) AS added FROM fresh f GROUP BY f.account_id
  ), counted AS (
    INSERT INTO event_count AS c (account_id, numbered) SELECT t.account_id, t.added FROM total t
      ON CONFLICT (account_id) DO UPDATE SET numbered = c.numbered + excluded.numbered
      RETURNING c.account_id, c.numbered
  ), numbered AS (
    UPDATE event e SET sequence = c.numbered - t.added + f.ordinal
      FROM fresh f JOIN total t ON t.account_id = f.account_id JOIN counted c ON c.account_id = f.account_id
      WHERE e.place = f.place
      RETURNING e.id, e.account_id, e.type, e.sequence, e.data
  ), addressed AS (
    INSERT INTO delivery (id, endpoint_id, account_id, event_id, sequence, type, state, try_at, tries, attempts, created_at)
      SELECT events_delivery_id(moment), p.id, n.account_id, n.id, n.sequence, n.type, 'pending', moment, '[]', 0, moment
      FROM numbered n JOIN endpoint p ON p.account_id = n.account_id
        -- An event about an endpoint itself reaches it, whatever it wants, also when its owner has switched it off or deleted it.
        AND CASE WHEN n.type = 'endpoint.changed' AND n.data ->> 'endpointId' = p.id THEN p.state = 'active' OR p.disabled_reason = 'owner'
          -- The end of the account reaches every endpoint: it is the last event, and some lists were chosen before there was such a type.
          ELSE p.state = 'active' AND (p.types = '{}' OR n.type = ANY (p.types) OR n.type = 'account.closed') END
      RETURNING endpoint_id
  )
  SELECT (SELECT count(*) FROM numbered), (SELECT array_agg(DISTINCT a.endpoint_id) FROM addressed a) INTO numbered_now, waiting;
  PERFORM events_wake(waiting, moment);
  RETURN numbered_now;
END $$;
