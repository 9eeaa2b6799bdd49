-- Idempotency keys: a request's claim on a key until its answer is saved, and marks of keys that belong to payments. Every change of a key
-- is made under its account's lock. Claims are made where holds are placed: see holds.sql.

-- Whether a key may have the answer that another key of its account asked for; null: asked for without a key, or before keys were kept. The
-- account itself is its signed-in owner.
CREATE OR REPLACE FUNCTION gateway_may_have_reply(asked_by text, account text, key text) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT asked_by IS NULL OR key IS NULL OR key IN (asked_by, account) OR access_reads_account(key)
$$;

-- Refunds of answers that are kept, and so were delivered: one row per violation.
CREATE OR REPLACE FUNCTION gateway_check_refunds() RETURNS TABLE (invariant text, subject text, expected text, actual text) LANGUAGE sql AS $$
  SELECT 'a refund is for an answer that was not delivered', 'refund_' || r.request_id, '0', ledger_moved('refund_' || r.request_id, r.account_id)::text
    FROM idempotent_reply r WHERE r.status = 200 AND ledger_moved('refund_' || r.request_id, r.account_id) IS NOT NULL
$$;

-- Answers that were kept and are gone before their day is over, an hour spared for requests that take long: one row each. The sender of such a
-- request would be answered, and charged, again.
CREATE OR REPLACE FUNCTION gateway_check_kept(at timestamptz) RETURNS TABLE (invariant text, subject text, expected text, actual text)
LANGUAGE sql AS $$
  SELECT 'an answer that is kept for a day is there', k.request_id, 'its answer', 'none'
    FROM ledger_kept_answers(db_time(at) - interval '23 hours') k
    WHERE NOT EXISTS (SELECT FROM idempotent_reply r WHERE r.request_id = k.request_id AND r.account_id = k.account_id AND r.status IS NOT NULL)
$$;

-- Saves the answers of requests that still have their claim; without a body the claim is given back. The arrays are parallel. Rows are
-- changed by their address: a join was planned for the few rows that exist when statistics are gathered, and read all of them for every batch.
CREATE OR REPLACE FUNCTION gateway_save_replies(endings ledger_settlement[], bodies text[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  UPDATE idempotent_reply r SET status = d.status, body = d.body, streamed = d.streamed
    FROM (
      SELECT e.status, bodies[e.ordinality] AS body, e.streamed, o.row_address
      FROM unnest(endings) WITH ORDINALITY e
      CROSS JOIN LATERAL (
        SELECT c.ctid AS row_address FROM idempotent_reply c
        WHERE c.account_id = e.account AND c.idempotency_key = e.idempotency AND c.request_id = e.request AND c.status IS NULL OFFSET 0
      ) o WHERE e.idempotency IS NOT NULL AND bodies[e.ordinality] IS NOT NULL OFFSET 0
    ) d WHERE r.status IS NULL AND r.ctid = d.row_address;
  -- A failed request stores nothing: its key may be used again.
  IF array_position(bodies, NULL) IS NULL THEN RETURN; END IF;
  DELETE FROM idempotent_reply r WHERE r.status IS NULL AND r.ctid = ANY (ARRAY(
    SELECT o.row_address FROM unnest(endings) WITH ORDINALITY e
    CROSS JOIN LATERAL (
      SELECT c.ctid AS row_address FROM idempotent_reply c
      WHERE c.account_id = e.account AND c.idempotency_key = e.idempotency AND c.request_id = e.request AND c.status IS NULL OFFSET 0
    ) o WHERE e.idempotency IS NOT NULL AND bodies[e.ordinality] IS NULL
  ));
END $$;

-- Marks an Idempotency-Key as a payment's, so that no request paid from the balance takes it. False when another request has it. The mark
-- is an answer that no request can match: its hash is no request's hash. It is committed before its payment is claimed;
-- gateway_free_keys removes a mark that is left without a payment.
CREATE OR REPLACE FUNCTION gateway_mark_key(account text, idempotency text, request text, at timestamptz) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  at := db_time(at);
  -- As for holds: two requests with the same key run one after the other.
  PERFORM ledger_lock_accounts(ARRAY[account]);
  INSERT INTO idempotent_reply AS r (account_id, idempotency_key, request_id, body_hash, claimed_at, expires_at, status, streamed, body)
    VALUES (account, idempotency, request, '\x00', at, at + interval '24 hours', 0, false, '')
    ON CONFLICT (account_id, idempotency_key) DO UPDATE
      SET request_id = excluded.request_id, body_hash = excluded.body_hash, claimed_at = excluded.claimed_at, expires_at = excluded.expires_at,
        status = excluded.status, streamed = excluded.streamed, body = excluded.body
      WHERE r.status = 0 OR (r.status IS NOT NULL AND r.expires_at <= at);
  RETURN FOUND;
END $$;

-- Gives back the marks of requests that died before they claimed a payment, and of payments that failed after their request was gone: those
-- between a minute and four hours old; by then every payment is over. Returns their number.
CREATE OR REPLACE FUNCTION gateway_free_keys(now_at timestamptz) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  freed bigint;
BEGIN
  now_at := db_time(now_at);
  DELETE FROM idempotent_reply r USING (
      SELECT m.account_id, m.idempotency_key FROM idempotent_reply m
      WHERE m.status = 0 AND m.claimed_at BETWEEN now_at - interval '4 hours' AND now_at - interval '1 minute' AND NOT payments_has_key(m.account_id, m.idempotency_key, now_at)
      FOR UPDATE SKIP LOCKED
    ) void
    WHERE r.account_id = void.account_id AND r.idempotency_key = void.idempotency_key;
  GET DIAGNOSTICS freed = ROW_COUNT;
  RETURN freed;
END $$;
