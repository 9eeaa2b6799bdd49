-- A charge that comes alone, with the next hold of its key: in one commit, and the account changed once for both.

-- Settles one hold that is charged, and begins the next. `ceiling` is the hold's, `key_period` and `key_period_start` what it counts in. Returns
-- what was paid; when the hold is no more, a row of ledger_settle_hold in parentheses. `next_ceiling` is set aside in the same change when it
-- fits, and then a plus stands after what was paid; 0 sets nothing aside.
CREATE FUNCTION ledger_settle_and_begin(
  request text, account text, key text, key_period text, key_period_start timestamptz, ceiling bigint, input_cost bigint, output_cost bigint,
  model text, provider text, price_version text, input_tokens bigint, output_tokens bigint, cached_input_tokens bigint,
  reasoning_tokens bigint, outcome text, streamed boolean, estimated boolean, paid_by text, first_token_ms integer, provider_ms integer,
  next_ceiling bigint, at timestamptz
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
  UPDATE ledger_account a SET posted = a.posted - paid, held = a.held - ceiling + next_ceiling
    WHERE a.id = account AND a.held >= ceiling AND next_ceiling >= 0 AND a.posted - paid - (a.held - ceiling) >= next_ceiling;
  IF FOUND THEN
    DELETE FROM hold h WHERE h.request_id = request AND h.account_id = account AND h.ceiling = ledger_settle_and_begin.ceiling
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
      RETURN CASE WHEN next_ceiling > 0 THEN paid || '+' ELSE paid::text END;
    END IF;
    UPDATE ledger_account a SET posted = a.posted + paid, held = a.held + ceiling - next_ceiling WHERE a.id = account;
  END IF;
  IF next_ceiling <> 0 THEN
    RETURN ledger_settle_and_begin(request, account, key, key_period, key_period_start, ceiling, input_cost, output_cost, model, provider,
      price_version, input_tokens, output_tokens, cached_input_tokens, reasoning_tokens, outcome, streamed, estimated, paid_by,
      first_token_ms, provider_ms, 0, at);
  END IF;
  PERFORM ledger_lock_accounts(ARRAY[account]);
  done := ledger_settle_hold(ROW(1, request, account, key, key_period, key_period_start, input_cost, output_cost, true, model, provider,
    price_version, input_tokens, output_tokens, cached_input_tokens, reasoning_tokens, outcome, streamed, estimated, paid_by,
    first_token_ms, provider_ms)::ledger_settlement, at);
  RETURN ROW(done.outcome, done.input_paid, done.output_paid)::text;
END $$;

-- The same without a next. Inlined wherever it is asked for.
CREATE OR REPLACE FUNCTION ledger_settle_lone_charge(
  request text, account text, key text, key_period text, key_period_start timestamptz, ceiling bigint, input_cost bigint, output_cost bigint,
  model text, provider text, price_version text, input_tokens bigint, output_tokens bigint, cached_input_tokens bigint,
  reasoning_tokens bigint, outcome text, streamed boolean, estimated boolean, paid_by text, first_token_ms integer, provider_ms integer,
  at timestamptz
) RETURNS text LANGUAGE sql AS $$
  SELECT ledger_settle_and_begin(request, account, key, key_period, key_period_start, ceiling, input_cost, output_cost, model, provider,
    price_version, input_tokens, output_tokens, cached_input_tokens, reasoning_tokens, outcome, streamed, estimated, paid_by,
    first_token_ms, provider_ms, 0, at)
$$;

-- Settles one hold that is charged, then decides the next hold of its key: what ledger_settle_and_begin returns, without the plus, and in a second line what
-- gateway_decide_lone_hold does.
CREATE FUNCTION gateway_settle_and_hold(
  request text, account text, key text, key_period text, key_period_start timestamptz, ceiling bigint, input_cost bigint, output_cost bigint,
  model text, provider text, price_version text, input_tokens bigint, output_tokens bigint, cached_input_tokens bigint,
  reasoning_tokens bigint, outcome text, streamed boolean, estimated boolean, paid_by text, first_token_ms integer, provider_ms integer,
  next_request text, next_ceiling bigint, at timestamptz, until timestamptz
) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  settled text := ledger_settle_and_begin(request, account, key, key_period, key_period_start, ceiling, input_cost, output_cost, model, provider,
    price_version, input_tokens, output_tokens, cached_input_tokens, reasoning_tokens, outcome, streamed, estimated, paid_by,
    first_token_ms, provider_ms, next_ceiling, at);
  key_state text;
  cap bigint;
  period text;
  period_start timestamptz;
BEGIN
  IF right(settled, 1) = '+' THEN
    settled := rtrim(settled, '+');
    -- Read after the account is locked, since a change of the cap's period locks it too.
    SELECT k.state, k.cap, k.period, k.period_start INTO key_state, cap, period, period_start FROM access_key_state(key, at) k;
    IF key_state = 'active' THEN
      IF ledger_open_hold(next_request, account, key, next_ceiling, cap, period, period_start, at, until) THEN
        RETURN settled || E'\n' || coalesce(period || ' ' || period_start, '');
      END IF;
    END IF;
    PERFORM ledger_give_back(account, next_ceiling);
  END IF;
  RETURN settled || E'\n' || gateway_decide_lone_hold(next_request, account, key, next_ceiling, at, until);
END $$;

-- Makes an open hold smaller, with what its account and key hold. Returns false, and changes nothing, when there is no such hold any more.
CREATE FUNCTION ledger_shrink_hold(request text, account text, ceiling bigint, wanted bigint) RETURNS boolean LANGUAGE plpgsql AS $$
#variable_conflict use_variable
DECLARE
  freed bigint := ceiling - wanted;
  shrunk record;
BEGIN
  IF wanted < 0 OR freed < 0 THEN RAISE EXCEPTION 'the hold of % is to be % instead of %', request, wanted, ceiling; END IF;
  -- The account before the hold, as everywhere.
  PERFORM ledger_lock_accounts(ARRAY[account]);
  UPDATE hold h SET ceiling = wanted WHERE h.request_id = request AND h.account_id = account AND h.ceiling = ledger_shrink_hold.ceiling
    RETURNING h.key_id, h.period, h.period_start INTO shrunk;
  IF NOT FOUND THEN RETURN false; END IF;
  UPDATE ledger_account a SET held = a.held - freed WHERE a.id = account;
  UPDATE key_spend s SET held = s.held - freed
    WHERE s.key_id = shrunk.key_id AND s.period = shrunk.period AND s.period_start = shrunk.period_start;
  RETURN true;
END $$;
