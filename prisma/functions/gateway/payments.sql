-- Payments that come with a request: the check before a payment is taken, and the commit that books it and places the hold.

-- Whether a proof of `payer`, sent by this caller, may be taken; nothing is changed. Returns 'payable'; otherwise a JSON object with
-- `outcome`: payer_mismatch (the wallet is another account's), or as in gateway_place_hold. A key's cap limits its own account's money:
-- payments from another wallet do not count in it.
CREATE OR REPLACE FUNCTION gateway_check_payment(caller text, key text, payer_chain text, payer text, ceiling bigint, at timestamptz)
RETURNS text LANGUAGE plpgsql STABLE AS $$
DECLARE
  payer_account text := access_owner_of(payer_chain, payer);
  key_state text;
  of_cap ledger_cap;
BEGIN
  at := db_time(at);
  IF payer_account <> caller THEN RETURN json_build_object('outcome', 'payer_mismatch'); END IF;
  IF key IS NULL THEN
    RETURN CASE WHEN access_is_frozen(caller) THEN json_build_object('outcome', 'account_frozen')::text ELSE 'payable' END;
  END IF;
  SELECT c.state, (c.of_cap).cap, (c.of_cap).period, (c.of_cap).period_start INTO key_state, of_cap.cap, of_cap.period, of_cap.period_start
    FROM gateway_counted_cap(caller, key, at) c;
  IF key_state IS DISTINCT FROM 'active' THEN
    RETURN json_build_object('outcome', 'key_unusable', 'keyState', coalesce(key_state, 'unknown'));
  END IF;
  IF payer_account = caller THEN RETURN coalesce(gateway_cap_refusal(of_cap, ledger_cap_left(key, of_cap), ceiling)::text, 'payable'); END IF;
  RETURN 'payable';
END $$;

-- Holds a request's ceiling from the account that its payment was credited to. Returns what gateway_place_hold does, or the outcome served
-- (the payment's request was charged, and its answer is not kept any more).
CREATE OR REPLACE FUNCTION gateway_hold_credited(
  payment text, credited text, request text, caller text, key text, model text, ceiling bigint, hash bytea, process text, at timestamptz,
  until timestamptz
) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  key_state text;
  decision text;
BEGIN
  until := db_time(at) + (until - at);
  at := db_time(at);
  PERFORM ledger_lock_accounts(ARRAY[credited]);
  IF NOT EXISTS (
    SELECT FROM idempotent_reply r WHERE r.account_id = credited AND r.idempotency_key = 'payment ' || payment AND (r.status IS NULL OR r.expires_at > at)
  ) AND payments_is_served(payment) THEN
    RETURN json_build_object('outcome', 'served');
  END IF;
  -- A hold on an address's credit is placed without the key, but the key must be usable all the same.
  IF credited <> caller THEN
    IF key IS NOT NULL THEN
      SELECT coalesce(max(k.state), 'unknown') INTO key_state FROM access_key_state(key, at) k;
      IF key_state <> 'active' THEN RETURN json_build_object('outcome', 'key_unusable', 'keyState', key_state); END IF;
    ELSIF access_is_frozen(caller) THEN
      RETURN json_build_object('outcome', 'account_frozen');
    END IF;
  END IF;
  decision := gateway_place_hold(
    ROW(request, credited, CASE WHEN credited = caller THEN key END, model, ceiling, 'payment ' || payment, hash)::ledger_hold_request,
    process, at, until);
  IF decision = 'held' THEN
    -- The answer belongs to the payment, and not to the key that it came with.
    UPDATE idempotent_reply r SET key_id = NULL WHERE r.account_id = credited AND r.idempotency_key = 'payment ' || payment;
    PERFORM payments_record_request(payment, request);
  END IF;
  RETURN decision;
END $$;

-- Books a payment that its chain shows and holds its request's ceiling, in one commit, so that no other request takes the money in between.
-- Decides like gateway_hold_credited; the payment is booked whatever the decision. Locks are taken in the same order everywhere: first the
-- payment's claim, then accounts in id order.
CREATE OR REPLACE FUNCTION gateway_pay_and_hold(
  payment text, in_transaction text, in_block integer,
  request text, caller text, key text, model text, ceiling bigint, hash bytea, process text, at timestamptz, until timestamptz,
  OUT credited text, OUT decision text
) LANGUAGE plpgsql AS $$
BEGIN
  credited := payments_credit(payment, in_transaction, in_block, db_time(at));
  decision := gateway_hold_credited(payment, credited, request, caller, key, model, ceiling, hash, process, at, until);
END $$;

-- Holds a request's ceiling from credit that its payer already has; then the payment that came with it is not submitted. Decides like
-- gateway_hold_credited; null, with nothing changed, when the credit is not enough or the payment was submitted.
CREATE OR REPLACE FUNCTION gateway_cover_and_hold(
  payment text, request text, caller text, key text, model text, ceiling bigint, hash bytea, process text, at timestamptz, until timestamptz,
  OUT credited text, OUT decision text
) LANGUAGE plpgsql AS $$
BEGIN
  credited := payments_cover(payment);
  IF credited IS NULL THEN RETURN; END IF;
  decision := gateway_hold_credited(payment, credited, request, caller, key, model, ceiling, hash, process, at, until);
  IF decision <> 'held' AND decision::json->>'outcome' = 'insufficient' THEN
    RAISE EXCEPTION 'the credit does not cover %', payment USING ERRCODE = 'PP001';
  END IF;
EXCEPTION WHEN SQLSTATE 'PP001' THEN
  -- The changes of this block are rolled back: the payment is not covered, and may be submitted.
  credited := NULL;
  decision := NULL;
END $$;
