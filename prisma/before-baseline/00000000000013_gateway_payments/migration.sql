-- gateway: payments that come with a request. What is decided before one is taken, and the commit that books it and holds it.

-- Whether a proof of `payer` that came with this caller may be taken; nothing is changed. Outcomes: payable, payer_mismatch (the wallet is
-- another account's), key_unusable (see key_state), account_frozen, cap_reached. A key's cap is about its account's own money: it does
-- not count what a stranger's wallet pays.
CREATE FUNCTION gateway_check_payment(
  caller text, key text, payer_chain text, payer text, ceiling bigint, at timestamptz,
  OUT outcome text, OUT spent bigint, OUT key_state text, OUT cap bigint, OUT period text, OUT period_start timestamptz
) LANGUAGE plpgsql STABLE AS $$
DECLARE
  payer_account text := access_owner_of(payer_chain, payer);
BEGIN
  outcome := CASE WHEN payer_account <> caller THEN 'payer_mismatch' ELSE 'payable' END;
  IF outcome = 'payer_mismatch' THEN RETURN; END IF;
  IF key IS NULL THEN
    IF access_is_frozen(caller) THEN outcome := 'account_frozen'; END IF;
    RETURN;
  END IF;
  SELECT k.state, k.cap, k.period, k.period_start INTO key_state, cap, period, period_start FROM access_key_states(ARRAY[key], at) k;
  IF key_state IS DISTINCT FROM 'active' THEN
    outcome := 'key_unusable';
    key_state := coalesce(key_state, 'unknown');
  ELSIF payer_account = caller AND cap IS NOT NULL THEN
    spent := ledger_key_used(key, period, period_start);
    IF spent + ceiling > cap THEN outcome := 'cap_reached'; END IF;
  END IF;
END $$;

-- Marks an Idempotency-Key as a payment's, so that no request that the balance pays for takes it. False when one has it already. The mark is
-- an answer that no request can ask for: its hash is no request's.
CREATE FUNCTION gateway_mark_key(account text, idempotency text, request text, at timestamptz) RETURNS boolean LANGUAGE plpgsql AS $$
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

-- Holds a request's ceiling from what its payment was credited to. Outcomes: those of gateway_place_hold, and served (the payment's request
-- was charged, and its answer is not kept any more).
CREATE FUNCTION gateway_hold_credited(
  payment text, credited text, request text, caller text, key text, ceiling bigint, hash bytea, at timestamptz, until timestamptz,
  OUT outcome text, OUT available bigint, OUT spent bigint, OUT key_state text, OUT cap bigint, OUT period text, OUT period_start timestamptz
) LANGUAGE plpgsql AS $$
BEGIN
  PERFORM ledger_lock_accounts(ARRAY[credited]);
  IF NOT EXISTS (
    SELECT FROM idempotent_reply r WHERE r.account_id = credited AND r.idempotency_key = 'payment ' || payment AND (r.status IS NULL OR r.expires_at > at)
  ) AND payments_is_served(payment) THEN
    outcome := 'served';
    RETURN;
  END IF;
  -- An address's credit is held without the key, which must be good all the same.
  IF credited <> caller THEN
    IF key IS NOT NULL THEN
      SELECT coalesce(max(k.state), 'unknown') INTO key_state FROM access_key_states(ARRAY[key], at) k;
      IF key_state <> 'active' THEN outcome := 'key_unusable'; END IF;
    ELSIF access_is_frozen(caller) THEN
      outcome := 'account_frozen';
    END IF;
    IF outcome IS NOT NULL THEN RETURN; END IF;
  END IF;
  SELECT h.* INTO outcome, available, spent, key_state, cap, period, period_start
    FROM gateway_place_hold(request, credited, CASE WHEN credited = caller THEN key END, ceiling, until, 'payment ' || payment, hash, at) h;
  IF outcome = 'held' THEN PERFORM payments_note_request(payment, request); END IF;
END $$;

-- Books a payment that its chain shows and holds its request's ceiling, in one commit, so that no other request takes the money in between.
-- Outcomes as in gateway_hold_credited; the payment is booked whatever they are. Locks go the way that they go everywhere: the claim of
-- the payment, then accounts in order.
CREATE FUNCTION gateway_pay_and_hold(
  payment text, in_transaction text, in_block integer,
  request text, caller text, key text, ceiling bigint, hash bytea, at timestamptz, until timestamptz,
  OUT credited text, OUT outcome text, OUT available bigint, OUT spent bigint, OUT key_state text, OUT cap bigint, OUT period text, OUT period_start timestamptz
) LANGUAGE plpgsql AS $$
BEGIN
  credited := payments_credit(payment, in_transaction, in_block, at);
  SELECT h.* INTO outcome, available, spent, key_state, cap, period, period_start
    FROM gateway_hold_credited(payment, credited, request, caller, key, ceiling, hash, at, until) h;
END $$;

-- Holds a request's ceiling from the credit that its payer has already; the payment that came with it is not submitted then. Outcomes as in
-- gateway_hold_credited, and uncovered: the credit is not enough, or the payment was submitted; nothing is changed.
CREATE FUNCTION gateway_cover_and_hold(
  payment text, request text, caller text, key text, ceiling bigint, hash bytea, at timestamptz, until timestamptz,
  OUT credited text, OUT outcome text, OUT available bigint, OUT spent bigint, OUT key_state text, OUT cap bigint, OUT period text, OUT period_start timestamptz
) LANGUAGE plpgsql AS $$
BEGIN
  credited := payments_cover(payment);
  IF credited IS NULL THEN
    outcome := 'uncovered';
    RETURN;
  END IF;
  SELECT h.* INTO outcome, available, spent, key_state, cap, period, period_start
    FROM gateway_hold_credited(payment, credited, request, caller, key, ceiling, hash, at, until) h;
  IF outcome = 'insufficient' THEN RAISE EXCEPTION 'the credit does not cover %', payment USING ERRCODE = 'PP001'; END IF;
EXCEPTION WHEN SQLSTATE 'PP001' THEN
  -- What this block did is undone: the payment is not covered, and may be submitted.
  credited := NULL;
  outcome := 'uncovered';
END $$;
