-- payments, gateway: an Idempotency-Key that came with a payment is the payment's for 24 hours, and no longer than the payment is anything;
-- claims that came to nothing are not kept for ever.

-- Takes an Idempotency-Key from the payment that had it and has no right to it any more. False when there is none such.
CREATE FUNCTION payments_release_key(account text, idempotency text, now_at timestamptz) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  UPDATE payment_claim c SET idempotency_key = NULL
    WHERE c.account_id = account AND c.idempotency_key = idempotency
      AND (payments_is_open_to_another(c.state) OR c.claimed_at <= now_at - interval '24 hours');
  RETURN FOUND;
END $$;

-- Takes a payment for one request, or finds it taken. Outcomes: claimed; replayed (it was claimed for another request or account);
-- idempotency_mismatch (its Idempotency-Key is another payment's). wanted = the terms, amounts in nano-USD.
CREATE OR REPLACE FUNCTION payments_claim(wanted json, at timestamptz) RETURNS TABLE (outcome text, is_new boolean, claim payment_claim)
LANGUAGE plpgsql ROWS 1 AS $$
DECLARE
  w record;
BEGIN
  SELECT * INTO w FROM json_to_record(wanted) AS t(id text, scheme text, network text, payer text, nonce text, amount bigint, "accountId" text,
    "keyId" text, "idempotencyKey" text, "bodyHash" text, "validUntil" timestamptz, settlement jsonb);
  is_new := false;
  LOOP
    INSERT INTO payment_claim (id, scheme, network, payer, nonce, amount, account_id, key_id, idempotency_key, body_hash, valid_until,
        settlement, state, claimed_at, wanted_at)
      VALUES (w.id, w.scheme, w.network, w.payer, w.nonce, w.amount, w."accountId", w."keyId", w."idempotencyKey", decode(w."bodyHash", 'hex'),
        w."validUntil", w.settlement, 'claimed', at, at)
      ON CONFLICT DO NOTHING RETURNING * INTO claim;
    IF FOUND THEN
      outcome := 'claimed';
      is_new := true;
      RETURN NEXT; RETURN;
    END IF;
    SELECT * INTO claim FROM payment_claim c WHERE c.network = w.network AND c.payer = w.payer AND c.nonce = w.nonce FOR UPDATE;
    EXIT WHEN FOUND;
    -- Of a payment that moved nothing the Idempotency-Key is free again, and of every payment after 24 hours.
    IF NOT payments_release_key(w."accountId", w."idempotencyKey", at) THEN
      outcome := 'idempotency_mismatch';
      RETURN NEXT; RETURN;
    END IF;
  END LOOP;
  -- What came without an account stays its first body's: a transaction that moved nothing shows its payment to everybody.
  IF (claim.scheme, claim.amount, claim.account_id) IS DISTINCT FROM (w.scheme, w.amount, w."accountId")
    OR (claim.body_hash <> decode(w."bodyHash", 'hex') AND (w."accountId" IS NULL OR NOT payments_is_open_to_another(claim.state))) THEN
    outcome := 'replayed';
    RETURN NEXT; RETURN;
  END IF;
  IF w."idempotencyKey" IS DISTINCT FROM claim.idempotency_key AND w."idempotencyKey" IS NOT NULL THEN
    PERFORM payments_release_key(w."accountId", w."idempotencyKey", at);
    IF NOT payments_is_open_to_another(claim.state)
      OR EXISTS (SELECT 1 FROM payment_claim c WHERE c.account_id = w."accountId" AND c.idempotency_key = w."idempotencyKey") THEN
      outcome := 'idempotency_mismatch';
      RETURN NEXT; RETURN;
    END IF;
  END IF;
  IF payments_is_open_to_another(claim.state) THEN
    is_new := true;
    UPDATE payment_claim c SET state = 'claimed', attempt = c.attempt + CASE WHEN c.relayed THEN 1 ELSE 0 END, relayed = false, failure = NULL,
        failure_message = NULL, credited_account = NULL, transaction = NULL, block = NULL, finalized = false, request_id = NULL, paid_at = NULL,
        key_id = w."keyId", idempotency_key = w."idempotencyKey", body_hash = decode(w."bodyHash", 'hex'), settlement = w.settlement,
        valid_until = greatest(c.valid_until, w."validUntil"), claimed_at = at, wanted_at = at
      WHERE c.id = claim.id RETURNING * INTO claim;
  ELSE
    UPDATE payment_claim c SET wanted_at = greatest(c.wanted_at, at) WHERE c.id = claim.id RETURNING * INTO claim;
  END IF;
  outcome := 'claimed';
  RETURN NEXT;
END $$;

-- Whether a payment has this Idempotency-Key now.
CREATE FUNCTION payments_has_key(account text, idempotency text, now_at timestamptz) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT EXISTS (
    SELECT 1 FROM payment_claim c
    WHERE c.account_id = account AND c.idempotency_key = idempotency AND NOT payments_is_open_to_another(c.state)
      AND c.claimed_at > now_at - interval '24 hours'
  )
$$;

-- Gives back what gateway_mark_key kept for a request whose payment came to nothing, unless another request keeps it by now.
CREATE FUNCTION gateway_free_key(account text, idempotency text, request text, now_at timestamptz) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM ledger_lock_accounts(ARRAY[account]);
  DELETE FROM idempotent_reply r
    WHERE r.account_id = account AND r.idempotency_key = idempotency AND r.request_id = request AND r.status = 0
      AND NOT payments_has_key(account, idempotency, now_at);
END $$;

-- The same for requests that died before they did it, and for payments that came to nothing after their request was gone: of marks that
-- are between a minute and four hours old, by when every payment is over. Returns how many.
CREATE FUNCTION gateway_free_keys(now_at timestamptz) RETURNS bigint LANGUAGE plpgsql AS $$
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
CREATE INDEX idempotent_reply_marks_idx ON idempotent_reply (claimed_at) WHERE status = 0;

-- Forgets payments that never had a transaction and never can have one: those that came without an account after a day, others, which their
-- owners may look at, after ninety. Their signatures have run out, so that none can move anything any more. Returns how many.
CREATE FUNCTION payments_delete_void(now_at timestamptz, most integer) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  deleted bigint;
BEGIN
  DELETE FROM payment_claim c USING (
      SELECT v.id FROM payment_claim v
      WHERE v.state = 'failed' AND v.finalized AND NOT v.relayed AND v.attempt = 1 AND v.times_reversed = 0 AND v.credited_account IS NULL
        AND greatest(v.valid_until, v.wanted_at) <= now_at - CASE WHEN v.account_id IS NULL THEN interval '1 day' ELSE interval '90 days' END
      LIMIT most FOR UPDATE SKIP LOCKED
    ) void
    WHERE c.id = void.id;
  GET DIAGNOSTICS deleted = ROW_COUNT;
  RETURN deleted;
END $$;
CREATE INDEX payment_claim_void_idx ON payment_claim (wanted_at) WHERE state = 'failed' AND finalized AND NOT relayed;
