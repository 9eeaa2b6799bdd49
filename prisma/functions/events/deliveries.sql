-- Deliveries: an event's way to an endpoint.

-- An id that sorts by time.
CREATE OR REPLACE FUNCTION events_delivery_id(moment timestamptz) RETURNS text LANGUAGE sql AS $$
  SELECT 'dlv_' || lpad(to_hex((extract(epoch FROM moment) * 1000)::bigint), 12, '0') || left(replace(gen_random_uuid()::text, '-', ''), 20)
$$;

-- Sends an active endpoint a sample of a type, and returns its delivery's id; null when there is no such endpoint.
CREATE OR REPLACE FUNCTION events_send_sample(account text, endpoint_asked text, event_type text, moment timestamptz)
RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  made text;
BEGIN
  INSERT INTO delivery (id, endpoint_id, account_id, type, state, try_at, tries, attempts, created_at)
    SELECT events_delivery_id(moment), p.id, p.account_id, event_type, 'pending', moment, '[]', 0, moment
    FROM endpoint p WHERE p.id = endpoint_asked AND p.account_id = account AND p.state = 'active'
    RETURNING id INTO made;
  PERFORM events_wake(ARRAY[endpoint_asked], moment);
  RETURN made;
END $$;

-- Says that endpoints have something to send from a moment on. Whoever calls it has written the deliveries in the same transaction.
CREATE OR REPLACE FUNCTION events_wake(endpoints text[], moment timestamptz) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM FROM endpoint p WHERE p.id = ANY (endpoints) ORDER BY p.id FOR NO KEY UPDATE; -- always in this order
  UPDATE endpoint p SET due_at = least(p.due_at, greatest(moment, p.rests_until)) WHERE p.id = ANY (endpoints);
END $$;

-- Gives a process up to `most` endpoints that are due and that nobody serves, and `most_mails` e-mail addresses beside them, so that a slow
-- mail server delays no webhook; one process at a time sends to an endpoint. Claims, releases and attempts do not wait for the disk: after a
-- crash of the database an event may be sent again, under its id.
CREATE OR REPLACE FUNCTION events_claim(claimant text, most integer, most_mails integer, moment timestamptz)
RETURNS TABLE (id text) LANGUAGE plpgsql AS $$
BEGIN
  PERFORM set_config('synchronous_commit', 'off', true);
  RETURN QUERY
    WITH due AS (
      SELECT p.id FROM endpoint p WHERE p.served_by IS NULL AND p.due_at <= moment AND p.kind <> 'email'
        ORDER BY p.due_at LIMIT most FOR NO KEY UPDATE SKIP LOCKED
    ), due_mails AS (
      SELECT p.id FROM endpoint p WHERE p.served_by IS NULL AND p.due_at <= moment AND p.kind = 'email'
        ORDER BY p.due_at LIMIT most_mails FOR NO KEY UPDATE SKIP LOCKED
    ), both_kinds AS (
      SELECT due.id FROM due UNION ALL SELECT due_mails.id FROM due_mails
    )
    UPDATE endpoint p SET served_by = claimant FROM both_kinds b WHERE p.id = b.id RETURNING p.id;
END $$;

-- Frees the endpoints that a dead process served, unless it has beaten since it was judged (see db_lock_dead_process): they are still due.
CREATE OR REPLACE FUNCTION events_free_dead(dead_process text, judged_beat bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF NOT db_lock_dead_process(dead_process, judged_beat) THEN RETURN; END IF;
  PERFORM FROM endpoint p WHERE p.served_by = dead_process ORDER BY p.id FOR NO KEY UPDATE; -- always in this order
  UPDATE endpoint p SET served_by = NULL WHERE p.served_by = dead_process;
END $$;

-- Ends a process's claims, and says when each endpoint is due next.
CREATE OR REPLACE FUNCTION events_release(endpoints text[], claimant text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM set_config('synchronous_commit', 'off', true);
  -- Once it is locked, all deliveries are seen that this endpoint was woken for.
  PERFORM FROM endpoint p WHERE p.id = ANY (endpoints) ORDER BY p.id FOR NO KEY UPDATE;
  UPDATE endpoint p SET served_by = NULL,
      due_at = (SELECT greatest(d.try_at, p.rests_until) FROM delivery d
        WHERE d.endpoint_id = p.id AND d.state = 'pending' ORDER BY d.try_at LIMIT 1)
    WHERE p.id = ANY (endpoints) AND p.served_by = claimant;
END $$;

-- A text that changes with the account's newest event, with its endpoints and with its newest deliveries, which are those under way.
CREATE OR REPLACE FUNCTION events_mark(account text) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT concat_ws('.', (SELECT c.numbered FROM event_count c WHERE c.account_id = account),
    (SELECT sum(hashtextextended(concat_ws('|', p.id, p.types, p.state, p.failing_since, p.rests_until), 0))
      FROM endpoint p WHERE p.account_id = account),
    (SELECT sum(hashtextextended(concat_ws('|', l.id, l.state, l.attempts), 0))
      FROM (SELECT d.id, d.state, d.attempts FROM delivery d WHERE d.account_id = account ORDER BY d.id DESC LIMIT 25) l))
$$;
