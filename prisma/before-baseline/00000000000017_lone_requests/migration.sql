-- A request that comes alone, as most do: its hold and its charge by fewer statements, without arrays, JSON, loops and a lock of its own.
-- These go the straight way only. Where it ends they give back what they took, and the statements for batches decide, and tell why.

-- Sets the money of a hold aside, and so locks the account. Returns what is available then; null, and changes nothing, when it does
-- not fit.
CREATE FUNCTION ledger_begin_hold(account text, amount bigint) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  available bigint;
BEGIN
  UPDATE ledger_account a SET held = a.held + amount WHERE a.id = account AND amount >= 0 AND a.posted - a.held >= amount
    RETURNING a.posted - a.held INTO available;
  RETURN available;
END $$;

-- Opens the hold that was begun. Returns false, and changes nothing, when the key's cap does not cover it, or has no row yet for this
-- period.
CREATE FUNCTION ledger_open_hold(
  request text, account text, key text, amount bigint, key_cap bigint, key_period text, key_period_start timestamptz,
  at timestamptz, until timestamptz
) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  IF key_cap IS NULL THEN
    INSERT INTO hold (request_id, account_id, key_id, ceiling, placed_at, deadline) VALUES (request, account, key, amount, at, until);
    RETURN true;
  END IF;
  UPDATE key_spend s SET held = s.held + amount
    WHERE s.key_id = key AND s.period = key_period AND s.period_start = key_period_start AND s.spent + s.held + amount <= key_cap;
  IF NOT FOUND THEN RETURN false; END IF;
  INSERT INTO hold (request_id, account_id, key_id, ceiling, period, period_start, placed_at, deadline)
    VALUES (request, account, key, amount, key_period, key_period_start, at, until);
  RETURN true;
END $$;

-- Of a hold that was begun and not opened.
CREATE FUNCTION ledger_give_back(account text, amount bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  UPDATE ledger_account a SET held = a.held - amount WHERE a.id = account;
END $$;

-- Decides one hold of a key, without an idempotency key. Outcomes as of gateway_decide_holds.
CREATE FUNCTION gateway_place_lone_hold(
  request text, account text, key text, ceiling bigint, at timestamptz, until timestamptz,
  OUT outcome text, OUT available bigint, OUT spent bigint, OUT key_state text, OUT cap bigint, OUT period text, OUT period_start timestamptz
) LANGUAGE plpgsql AS $$
BEGIN
  available := ledger_begin_hold(account, ceiling);
  IF available IS NOT NULL THEN
    -- Read after the account is locked, since a change of the cap's period locks it too.
    SELECT k.state, k.cap, k.period, k.period_start INTO key_state, cap, period, period_start FROM access_key_states(ARRAY[key], at) k;
    IF key_state = 'active' THEN
      IF ledger_open_hold(request, account, key, ceiling, cap, period, period_start, at, until) THEN
        outcome := 'held';
        RETURN;
      END IF;
    END IF;
    PERFORM ledger_give_back(account, ceiling);
  END IF;
  SELECT h.outcome, h.available, h.spent, h.key_state, h.cap, h.period, h.period_start
    INTO outcome, available, spent, key_state, cap, period, period_start
    FROM gateway_place_holds(ARRAY[request], ARRAY[account], ARRAY[key], ARRAY[ceiling], NULL, NULL, at, until) h;
END $$;

-- Charges an open hold. Returns what was paid; nulls, and changes nothing, when there is no such hold any more. After ledger_begin_charges.
CREATE FUNCTION ledger_charge_hold(item ledger_settlement, at timestamptz, OUT input_paid bigint, OUT output_paid bigint) LANGUAGE plpgsql AS $$
DECLARE
  due bigint := item."inputCost" + item."outputCost";
  ended hold;
  freed bigint;
  paid bigint;
BEGIN
  -- The account before the hold, as everywhere. Whoever ends the hold while this waits for the account is seen by what is held, or
  -- by the hold that is gone.
  UPDATE ledger_account a SET posted = a.posted - least(due, h.ceiling), held = a.held - h.ceiling
    FROM hold h WHERE h.request_id = item.request AND h.account_id = item.account AND a.id = item.account AND a.held >= h.ceiling
    RETURNING h.ceiling INTO freed;
  IF freed IS NULL THEN RETURN; END IF;
  paid := least(due, freed);
  DELETE FROM hold h WHERE h.request_id = item.request AND h.account_id = item.account AND h.ceiling = freed
    RETURNING h.* INTO ended;
  IF ended.request_id IS NULL THEN
    UPDATE ledger_account a SET posted = a.posted + paid, held = a.held + freed WHERE a.id = item.account;
    RETURN;
  END IF;
  IF ended.period IS NOT NULL THEN
    UPDATE key_spend s SET spent = s.spent + paid, held = s.held - freed
      WHERE s.key_id = ended.key_id AND s.period = ended.period AND s.period_start = ended.period_start;
  END IF;
  input_paid := least(item."inputCost", paid);
  output_paid := paid - input_paid;
  INSERT INTO charge (account_id, request_id, key_id, model, provider, price_version, input_tokens, output_tokens, cached_input_tokens,
      reasoning_tokens, input_cost, output_cost, operator_loss, outcome, streamed, estimated, paid_by, first_token_ms, provider_ms, at)
    VALUES (item.account, item.request, item.key, item.model, item.provider, item."priceVersion", item."inputTokens", item."outputTokens",
      item."cachedInputTokens", item."reasoningTokens", input_paid, output_paid, due - paid, item.outcome, item.streamed, item.estimated,
      item."paidBy", item."firstTokenMs", item."providerMs", at);
END $$;

-- Settles one item that is a charge, without an answer to save. Outcomes as of ledger_settle_holds.
CREATE FUNCTION gateway_settle_lone_hold(item ledger_settlement, at timestamptz, OUT outcome text, OUT input_cost bigint, OUT output_cost bigint)
LANGUAGE plpgsql AS $$
DECLARE
  done record;
BEGIN
  PERFORM ledger_begin_charges();
  done := ledger_charge_hold(item, at);
  IF done.input_paid IS NOT NULL THEN
    outcome := 'settled';
  ELSE
    PERFORM ledger_lock_accounts(ARRAY[item.account]);
    done := ledger_settle_hold(item, at);
    outcome := done.outcome;
  END IF;
  input_cost := done.input_paid;
  output_cost := done.output_paid;
END $$;
