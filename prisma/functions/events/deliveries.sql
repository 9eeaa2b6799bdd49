-- Deliveries: an event's way to an endpoint.

-- An id that sorts by time.
CREATE OR REPLACE FUNCTION events_delivery_id(moment timestamptz) RETURNS text LANGUAGE sql AS $$
  SELECT 'dlv_' || lpad(to_hex((extract(epoch FROM moment) * 1000)::bigint), 12, '0') || left(replace(gen_random_uuid()::text, '-', ''), 20)
$$;

-- Sends an active endpoint a sample of a type, and returns its delivery's id; null when there is no such endpoint, and too_many when the
-- account had ten within an hour.
CREATE OR REPLACE FUNCTION events_send_sample(account text, endpoint_asked text, event_type text, moment timestamptz)
RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  made text;
BEGIN
  PERFORM FROM endpoint p WHERE p.account_id = account ORDER BY p.id FOR NO KEY UPDATE; -- two at once are counted one after the other
  IF (SELECT count(*) FROM delivery d WHERE d.account_id = account AND d.event_id IS NULL AND d.type <> 'confirmation'
      AND d.id > events_delivery_id(moment - interval '1 hour')) >= 10 THEN
    RETURN 'too_many';
  END IF;
  INSERT INTO delivery (id, endpoint_id, account_id, type, state, try_at, tries, attempts, created_at)
    SELECT events_delivery_id(moment), p.id, p.account_id, event_type, 'pending', moment, '[]', 0, moment
    FROM endpoint p WHERE p.id = endpoint_asked AND p.account_id = account AND p.state = 'active'
    RETURNING id INTO made;
  PERFORM events_wake(ARRAY[endpoint_asked], moment);
  RETURN made;
END $$;

-- Says that endpoints have something to send from a moment on. The caller has written the deliveries in the same transaction.
CREATE OR REPLACE FUNCTION events_wake(endpoints text[], moment timestamptz) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM FROM endpoint p WHERE p.id = ANY (endpoints) ORDER BY p.id FOR NO KEY UPDATE; -- always in this order
  UPDATE endpoint p SET due_at = least(p.due_at, greatest(moment, p.rests_until)) WHERE p.id = ANY (endpoints);
END $$;

-- The lane that an endpoint is served in: an endpoint that is slow, or has not answered yet, delays no quick one, and no mail server does.
CREATE OR REPLACE FUNCTION events_lane(kind text, answer_ms integer, quick_ms integer) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN kind = 'email' THEN 'mail' WHEN answer_ms IS NULL THEN 'new' WHEN answer_ms <= quick_ms THEN 'quick' ELSE 'slow' END
$$;

-- Gives a process endpoints that are due and that nobody serves; one process at a time sends to an endpoint. Of each lane as many as it has
-- places; an account has at most so many places of it, and its first endpoint comes before another's second. The arrays are parallel.
-- Claims, releases and attempts do not wait for the disk: after a crash of the database an event may be sent again, under its id.
CREATE OR REPLACE FUNCTION events_claim_lanes(claimant text, lanes text[], places integer[], of_one integer[], quick_ms integer, moment timestamptz)
RETURNS TABLE (id text, lane text) LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
  PERFORM set_config('synchronous_commit', 'off', true);
  RETURN QUERY
    WITH served AS (
      SELECT p.account_id, events_lane(p.kind, p.answer_ms, quick_ms) AS lane, count(*) AS taken
      FROM endpoint p WHERE p.served_by IS NOT NULL GROUP BY 1, 2
    ), waiting AS (
      SELECT p.id, p.account_id, p.due_at, events_lane(p.kind, p.answer_ms, quick_ms) AS lane
      FROM endpoint p WHERE p.served_by IS NULL AND p.due_at <= moment
    ), ranked AS (
      SELECT w.id, w.lane, w.due_at, coalesce(s.taken, 0) + row_number() OVER (PARTITION BY w.account_id, w.lane ORDER BY w.due_at) AS nth
      FROM waiting w LEFT JOIN served s USING (account_id, lane)
    ), chosen AS (
      SELECT r.id, l.places, row_number() OVER (PARTITION BY r.lane ORDER BY r.nth, r.due_at) AS place
      FROM ranked r JOIN unnest(events_claim_lanes.lanes, events_claim_lanes.places, events_claim_lanes.of_one) l(lane, places, of_one) USING (lane)
      WHERE r.nth <= l.of_one
    ), taken AS (
      SELECT p.id FROM endpoint p WHERE p.served_by IS NULL AND p.id IN (SELECT c.id FROM chosen c WHERE c.place <= c.places)
        FOR NO KEY UPDATE SKIP LOCKED
    )
    UPDATE endpoint p SET served_by = claimant FROM taken t WHERE p.id = t.id
      RETURNING p.id, events_lane(p.kind, p.answer_ms, quick_ms);
END $$;

-- Frees the endpoints that a dead process served, unless it has beaten since it was judged (see db_lock_dead_process): they are still due.
CREATE OR REPLACE FUNCTION events_free_dead(dead_process text, judged_beat bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF NOT db_lock_dead_process(dead_process, judged_beat) THEN RETURN; END IF;
  PERFORM FROM endpoint p WHERE p.served_by = dead_process ORDER BY p.id FOR NO KEY UPDATE; -- always in this order
  UPDATE endpoint p SET served_by = NULL WHERE p.served_by = dead_process;
END $$;

-- Ends a process's claims, and says when each endpoint is due next: at the earliest now, behind those that wait. `answers` are the times that
-- they take to answer, in milliseconds; null leaves it as it is.
CREATE OR REPLACE FUNCTION events_release_timed(endpoints text[], answers integer[], claimant text, moment timestamptz) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM set_config('synchronous_commit', 'off', true);
  -- Once it is locked, all deliveries are seen that this endpoint was woken for.
  PERFORM FROM endpoint p WHERE p.id = ANY (endpoints) ORDER BY p.id FOR NO KEY UPDATE;
  UPDATE endpoint p SET served_by = NULL, answer_ms = coalesce(i.answer, p.answer_ms),
      due_at = (SELECT greatest(d.try_at, p.rests_until, moment) FROM delivery d
        WHERE d.endpoint_id = p.id AND d.state = 'pending' ORDER BY d.try_at LIMIT 1)
    FROM unnest(endpoints, answers) i(endpoint, answer) WHERE p.id = i.endpoint AND p.served_by = claimant;
END $$;

-- A text that changes with the account's newest event, with its endpoints and with its newest deliveries, which are those under way.
CREATE OR REPLACE FUNCTION events_mark(account text) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT concat_ws('.', (SELECT c.numbered FROM event_count c WHERE c.account_id = account),
    (SELECT sum(hashtextextended(concat_ws('|', p.id, p.types, p.state, p.failing_since, p.rests_until), 0))
      FROM endpoint p WHERE p.account_id = account),
    (SELECT sum(hashtextextended(concat_ws('|', l.id, l.state, l.attempts), 0))
      FROM (SELECT d.id, d.state, d.attempts FROM delivery d WHERE d.account_id = account ORDER BY d.id DESC LIMIT 25) l))
$$;

-- For the release before this one, while both run: a process that could not release its claims would leave its endpoints served by nobody.
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
