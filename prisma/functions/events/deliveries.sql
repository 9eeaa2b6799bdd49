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
  PERFORM events_wake(ARRAY[endpoint_asked]);
  RETURN made;
END $$;

-- Puts the job of each endpoint with something to send into the queue, for when its next delivery is due; a job that waits there is moved.
-- The queue's tables are made by the first process with the jobs role, in several commits; it then wakes all endpoints.
CREATE OR REPLACE FUNCTION events_wake(endpoints text[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF to_regclass('queue.migrations') IS NULL OR coalesce(cardinality(endpoints), 0) = 0 THEN
    RETURN;
  END IF;
  PERFORM FROM queue.migrations m WHERE m.id >= 18;
  IF NOT FOUND THEN
    RETURN;
  END IF;
  PERFORM queue.add_job('deliver', json_build_object('endpointId', p.id), job_key => p.id,
      run_at => greatest(p.rests_until, (SELECT min(d.try_at) FROM delivery d WHERE d.endpoint_id = p.id AND d.state = 'pending')))
    FROM endpoint p
    WHERE p.id = ANY (endpoints) AND EXISTS (SELECT FROM delivery d WHERE d.endpoint_id = p.id AND d.state = 'pending')
    ORDER BY p.id;
END $$;

-- Lets one process at a time send to an endpoint. The lock waits for a release under way, which reads what there is to send after it: a
-- job that is refused here can be forgotten. Claims, releases and attempts do not wait for the disk: after a crash of the database an event
-- may be sent again, under its id.
CREATE OR REPLACE FUNCTION events_claim(asked text, claimant text) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  server text;
BEGIN
  PERFORM set_config('synchronous_commit', 'off', true);
  SELECT p.served_by INTO server FROM endpoint p WHERE p.id = asked FOR UPDATE;
  IF NOT FOUND OR server <> claimant THEN
    RETURN false;
  END IF;
  UPDATE endpoint SET served_by = claimant WHERE id = asked;
  RETURN true;
END $$;

-- Ends a claim; the job for what is left to send is in the queue with the same commit.
CREATE OR REPLACE FUNCTION events_release(asked text, claimant text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM set_config('synchronous_commit', 'off', true);
  UPDATE endpoint SET served_by = NULL WHERE id = asked AND served_by = claimant;
  PERFORM events_wake(ARRAY[asked]);
END $$;

-- A text that changes with the account's newest event, with its endpoints and with its newest deliveries, which are those under way.
CREATE OR REPLACE FUNCTION events_mark(account text) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT concat_ws('.', (SELECT c.numbered FROM event_count c WHERE c.account_id = account),
    (SELECT sum(hashtextextended(concat_ws('|', p.id, p.types, p.state, p.failing_since, p.rests_until), 0))
      FROM endpoint p WHERE p.account_id = account),
    (SELECT sum(hashtextextended(concat_ws('|', l.id, l.state, l.attempts), 0))
      FROM (SELECT d.id, d.state, d.attempts FROM delivery d WHERE d.account_id = account ORDER BY d.id DESC LIMIT 25) l))
$$;
