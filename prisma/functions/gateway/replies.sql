-- Idempotency keys: the claim that a request has to one until its answer is saved, and keys that payments keep. The account of a
-- key is locked whenever one of them changes.

-- What stands in the way of claiming an idempotency key, as gateway_place_hold tells it; null when it is free. One whose answer is
-- older than 24 hours is made free.
CREATE OR REPLACE FUNCTION gateway_find_claim(account text, idempotency text, hash bytea, at timestamptz) RETURNS json LANGUAGE plpgsql AS $$
DECLARE
  claim idempotent_reply;
BEGIN
  SELECT * INTO claim FROM idempotent_reply r WHERE r.account_id = account AND r.idempotency_key = idempotency;
  IF NOT FOUND THEN RETURN NULL; END IF;
  IF claim.expires_at <= at AND claim.status IS NOT NULL THEN
    DELETE FROM idempotent_reply r WHERE r.account_id = account AND r.idempotency_key = idempotency;
    RETURN NULL;
  END IF;
  RETURN json_build_object('outcome',
    CASE WHEN claim.body_hash <> hash THEN 'mismatch' WHEN claim.status IS NULL THEN 'in_progress' ELSE 'replay' END);
END $$;

-- Claims the idempotency keys of a batch; the arrays are parallel, and null where an item has none. Returns the accounts of which one
-- is taken, null when all were free.
CREATE OR REPLACE FUNCTION gateway_take_claims(accounts text[], idempotencies text[], requests text[], hashes bytea[], at timestamptz)
RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  claimed integer;
BEGIN
  INSERT INTO idempotent_reply (account_id, idempotency_key, request_id, body_hash, claimed_at, expires_at)
    SELECT i.account, i.idempotency, i.request, i.hash, at, at + interval '24 hours'
    FROM unnest(accounts, idempotencies, requests, hashes) i(account, idempotency, request, hash) WHERE i.idempotency IS NOT NULL
    ON CONFLICT (account_id, idempotency_key) DO NOTHING;
  GET DIAGNOSTICS claimed = ROW_COUNT;
  IF claimed = cardinality(idempotencies) - cardinality(array_positions(idempotencies, NULL)) THEN RETURN NULL; END IF;
  RETURN (
    SELECT string_agg(DISTINCT i.account, ',') FROM unnest(accounts, idempotencies, requests) i(account, idempotency, request)
    JOIN idempotent_reply r ON r.account_id = i.account AND r.idempotency_key = i.idempotency AND r.request_id <> i.request);
END $$;

-- Saves the answers of requests that have their claim still; one without a body gives its claim back. The arrays are parallel, and
-- null where a request has no idempotency key. Rows are changed by their address: joined, they were planned for the few there are
-- when statistics are gathered, and every batch read all of them.
CREATE OR REPLACE FUNCTION gateway_save_replies(
  accounts text[], idempotencies text[], requests text[], statuses integer[], streams boolean[], bodies text[]
) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  UPDATE idempotent_reply r SET status = d.status, body = d.body, streamed = d.streamed
    FROM (
      SELECT i.status, i.body, i.streamed, o.row_address
      FROM unnest(accounts, idempotencies, requests, statuses, streams, bodies) i(account, idempotency, request, status, streamed, body)
      CROSS JOIN LATERAL (
        SELECT c.ctid AS row_address FROM idempotent_reply c
        WHERE c.account_id = i.account AND c.idempotency_key = i.idempotency AND c.request_id = i.request AND c.status IS NULL OFFSET 0
      ) o WHERE i.idempotency IS NOT NULL AND i.body IS NOT NULL OFFSET 0
    ) d WHERE r.status IS NULL AND r.ctid = d.row_address;
  -- A failed request stores nothing: its key may be used again.
  IF array_position(bodies, NULL) IS NULL THEN RETURN; END IF;
  DELETE FROM idempotent_reply r WHERE r.status IS NULL AND r.ctid = ANY (ARRAY(
    SELECT o.row_address FROM unnest(accounts, idempotencies, requests, bodies) i(account, idempotency, request, body)
    CROSS JOIN LATERAL (
      SELECT c.ctid AS row_address FROM idempotent_reply c
      WHERE c.account_id = i.account AND c.idempotency_key = i.idempotency AND c.request_id = i.request AND c.status IS NULL OFFSET 0
    ) o WHERE i.idempotency IS NOT NULL AND i.body IS NULL
  ));
END $$;

-- Marks an Idempotency-Key as a payment's, so that no request that the balance pays for takes it. False when one has it already. The mark is
-- an answer that no request can ask for: its hash is no request's. It is committed before its payment is claimed; gateway_free_keys removes
-- one that is left without a payment.
CREATE OR REPLACE FUNCTION gateway_mark_key(account text, idempotency text, request text, at timestamptz) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  -- As where holds are placed: two requests under the same key are one after the other.
  PERFORM ledger_lock_accounts(ARRAY[account]);
  INSERT INTO idempotent_reply AS r (account_id, idempotency_key, request_id, body_hash, claimed_at, expires_at, status, streamed, body)
    VALUES (account, idempotency, request, '\x00', at, at + interval '24 hours', 0, false, '')
    ON CONFLICT (account_id, idempotency_key) DO UPDATE
      SET request_id = excluded.request_id, body_hash = excluded.body_hash, claimed_at = excluded.claimed_at, expires_at = excluded.expires_at,
        status = excluded.status, streamed = excluded.streamed, body = excluded.body
      WHERE r.status = 0 OR (r.status IS NOT NULL AND r.expires_at <= at);
  RETURN FOUND;
END $$;

-- Gives back marks for requests that died before they did it, and for payments that came to nothing after their request was gone: of marks
-- that are between a minute and four hours old, by when every payment is over. Returns how many.
CREATE OR REPLACE FUNCTION gateway_free_keys(now_at timestamptz) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  freed bigint;
BEGIN
  DELETE FROM idempotent_reply r USING (
      SELECT m.account_id, m.idempotency_key FROM idempotent_reply m
      WHERE m.status = 0 AND m.claimed_at BETWEEN now_at - interval '4 hours' AND now_at - interval '1 minute' AND NOT payments_has_key(m.account_id, m.idempotency_key, now_at)
      FOR UPDATE SKIP LOCKED
    ) void
    WHERE r.account_id = void.account_id AND r.idempotency_key = void.idempotency_key;
  GET DIAGNOSTICS freed = ROW_COUNT;
  RETURN freed;
END $$;
