-- A lone request's hold and charge answer with one value instead of a row of columns, and take scalars instead of a composite: making
-- and reading those cost as much as one of the statements that decide.

-- Inlined wherever it is asked for.
CREATE OR REPLACE FUNCTION ledger_begin_charges() RETURNS void LANGUAGE sql AS $$ SELECT pg_advisory_xact_lock_shared(7305001) $$;

CREATE FUNCTION access_state_of_key(state text, expires_at timestamptz, account_state text, at timestamptz) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE
    WHEN state <> 'active' THEN state
    WHEN expires_at <= at THEN 'expired'
    WHEN account_state <> 'open' THEN account_state
    ELSE 'active'
  END
$$;
CREATE OR REPLACE FUNCTION access_key_states(key_ids text[], at timestamptz)
RETURNS TABLE (key_id text, state text, cap bigint, period text, period_start timestamptz)
LANGUAGE sql STABLE ROWS 20 AS $$
  SELECT k.id, access_state_of_key(k.state, k.expires_at, a.state, at), k.cap_nano_usd, k.cap_period, access_cap_period_start(k.cap_period, at)
  FROM api_key k JOIN account a ON a.id = k.account_id
  WHERE k.id = ANY (key_ids)
$$;
-- One key's, which is found sooner than the only one of a list.
CREATE FUNCTION access_key_state(wanted text, at timestamptz)
RETURNS TABLE (state text, cap bigint, period text, period_start timestamptz)
LANGUAGE sql STABLE ROWS 1 AS $$
  SELECT access_state_of_key(k.state, k.expires_at, a.state, at), k.cap_nano_usd, k.cap_period, access_cap_period_start(k.cap_period, at)
  FROM api_key k JOIN account a ON a.id = k.account_id
  WHERE k.id = wanted
$$;

-- Decides one hold of a key, without an idempotency key. Returns what a hold that is placed counts in, its key's period and when that
-- began, with a space between; '' when the key has no cap. A refusal is a row of gateway_place_holds, from its outcome on, in parentheses.
CREATE FUNCTION gateway_decide_lone_hold(request text, account text, key text, ceiling bigint, at timestamptz, until timestamptz)
RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  key_state text;
  cap bigint;
  period text;
  period_start timestamptz;
  refusal text;
BEGIN
  IF ledger_begin_hold(account, ceiling) IS NOT NULL THEN
    -- Read after the account is locked, since a change of the cap's period locks it too.
    SELECT k.state, k.cap, k.period, k.period_start INTO key_state, cap, period, period_start FROM access_key_state(key, at) k;
    IF key_state = 'active' THEN
      IF ledger_open_hold(request, account, key, ceiling, cap, period, period_start, at, until) THEN
        RETURN coalesce(period || ' ' || period_start, '');
      END IF;
    END IF;
    PERFORM ledger_give_back(account, ceiling);
  END IF;
  SELECT ROW(h.outcome, h.available, h.spent, h.key_state, h.cap, h.period, h.period_start)::text INTO refusal
    FROM gateway_place_holds(ARRAY[request], ARRAY[account], ARRAY[key], ARRAY[ceiling], NULL, NULL, at, until) h;
  RETURN refusal;
END $$;

-- Settles one hold that is charged. `ceiling` is the hold's, `key_period` and `key_period_start` what it counts in. Returns what was paid;
-- when the hold is no more, a row of ledger_settle_hold in parentheses.
CREATE FUNCTION ledger_settle_lone_charge(
  request text, account text, key text, key_period text, key_period_start timestamptz, ceiling bigint, input_cost bigint, output_cost bigint,
  model text, provider text, price_version text, input_tokens bigint, output_tokens bigint, cached_input_tokens bigint,
  reasoning_tokens bigint, outcome text, streamed boolean, estimated boolean, paid_by text, first_token_ms integer, provider_ms integer,
  at timestamptz
) RETURNS text LANGUAGE plpgsql AS $$
#variable_conflict use_variable
DECLARE
  -- Asked for as a value it costs a tenth of a statement.
  has_begun boolean := ledger_begin_charges() IS NOT NULL;
  due bigint := input_cost + output_cost;
  paid bigint := least(due, ceiling);
  input_paid bigint := least(input_cost, paid);
  ended record;
  done record;
BEGIN
  -- The account before the hold, as everywhere. Whoever ends the hold while this waits for the account is seen by what is held, or
  -- by the hold that is gone.
  UPDATE ledger_account a SET posted = a.posted - paid, held = a.held - ceiling WHERE a.id = account AND a.held >= ceiling;
  IF FOUND THEN
    DELETE FROM hold h WHERE h.request_id = request AND h.account_id = account AND h.ceiling = ledger_settle_lone_charge.ceiling
      RETURNING h.key_id, h.period, h.period_start INTO ended;
    IF FOUND THEN
      IF ended.period IS NOT NULL THEN
        UPDATE key_spend s SET spent = s.spent + paid, held = s.held - ceiling
          WHERE s.key_id = ended.key_id AND s.period = ended.period AND s.period_start = ended.period_start;
      END IF;
      INSERT INTO charge (account_id, request_id, key_id, model, provider, price_version, input_tokens, output_tokens, cached_input_tokens,
          reasoning_tokens, input_cost, output_cost, operator_loss, outcome, streamed, estimated, paid_by, first_token_ms, provider_ms, at)
        VALUES (account, request, key, model, provider, price_version, input_tokens, output_tokens, cached_input_tokens,
          reasoning_tokens, input_paid, paid - input_paid, due - paid, outcome, streamed, estimated, paid_by, first_token_ms, provider_ms, at);
      RETURN paid;
    END IF;
    UPDATE ledger_account a SET posted = a.posted + paid, held = a.held + ceiling WHERE a.id = account;
  END IF;
  PERFORM ledger_lock_accounts(ARRAY[account]);
  done := ledger_settle_hold(ROW(1, request, account, key, key_period, key_period_start, input_cost, output_cost, true, model, provider,
    price_version, input_tokens, output_tokens, cached_input_tokens, reasoning_tokens, outcome, streamed, estimated, paid_by,
    first_token_ms, provider_ms)::ledger_settlement, at);
  RETURN ROW(done.outcome, done.input_paid, done.output_paid)::text;
END $$;

-- What processes of the release before ask for, while both run: the same answers, by the functions for batches. ledger_charge_hold stays
-- too, for charges that are under way in this very moment and would not find it.
CREATE OR REPLACE FUNCTION gateway_place_lone_hold(
  request text, account text, key text, ceiling bigint, at timestamptz, until timestamptz,
  OUT outcome text, OUT available bigint, OUT spent bigint, OUT key_state text, OUT cap bigint, OUT period text, OUT period_start timestamptz
) LANGUAGE sql AS $$
  SELECT h.outcome, h.available, h.spent, h.key_state, h.cap, h.period, h.period_start
    FROM gateway_place_holds(ARRAY[request], ARRAY[account], ARRAY[key], ARRAY[ceiling], NULL, NULL, at, until) h
$$;
CREATE OR REPLACE FUNCTION gateway_settle_lone_hold(item ledger_settlement, at timestamptz, OUT outcome text, OUT input_cost bigint, OUT output_cost bigint)
LANGUAGE sql AS $$
  SELECT s.outcome, s.input_cost, s.output_cost
    FROM gateway_settle_holds(json_build_array(item), ARRAY[item.request], ARRAY[item.account], NULL, at) s
$$;
