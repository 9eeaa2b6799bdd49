-- Holds: money set aside for one request. A hold is placed before the provider is called and ends exactly once: settled (charged, the rest
-- freed), released (nothing charged) or expired (it was never settled). These are the rules for one item; batch.sql has those for many at
-- once. Every function that changes one of an account's holds locks the account first.

-- A transaction that books charges holds this lock in shared mode until its commit. The roll-up takes it exclusively for a moment, to learn
-- up to which sequence number every charge is committed.
CREATE OR REPLACE FUNCTION ledger_begin_charges() RETURNS void LANGUAGE sql AS $$ SELECT pg_advisory_xact_lock_shared(7305001) $$;

-- What a customer can spend now.
CREATE OR REPLACE FUNCTION ledger_available(account text) RETURNS bigint LANGUAGE sql STABLE AS $$
  SELECT coalesce((SELECT greatest(a.posted - a.held - a.debt, 0) FROM ledger_account a WHERE a.id = account), 0)
$$;

-- What a customer can spend now and what requests hold, with a text that changes with each charge.
CREATE OR REPLACE FUNCTION ledger_balance(account text) RETURNS TABLE (available bigint, held bigint, charges text) LANGUAGE sql STABLE ROWS 1 AS $$
  SELECT greatest(a.posted - a.held - a.debt, 0), a.held,
    -- The newest request as well: what costs nothing changes no balance.
    concat_ws('.', a.posted, a.low_line, (SELECT max(c.request_id) FROM charge c WHERE c.account_id = a.id))
  FROM ledger_account a WHERE a.id = account
$$;

-- What a key has spent and holds in a period.
CREATE OR REPLACE FUNCTION ledger_key_used(key text, key_period text, key_period_start timestamptz) RETURNS bigint LANGUAGE sql STABLE AS $$
  SELECT coalesce((SELECT s.spent + s.held FROM key_spend s WHERE s.key_id = key AND s.period = key_period AND s.period_start = key_period_start), 0)
$$;

-- Sets an account's money aside, which locks the account; a negative amount gives money back. False, and nothing is changed, when that
-- much is not available.
CREATE OR REPLACE FUNCTION ledger_hold_money(account text, amount bigint) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  UPDATE ledger_account a SET held = a.held + amount
    WHERE a.id = account AND (amount < 0 OR a.posted - a.held - a.debt >= amount);
  RETURN FOUND;
END $$;

-- Opens the hold whose money was set aside. Returns null; or, with nothing changed, what its key has spent and holds when the key's cap
-- does not cover it. A null `key_cap` means no cap.
CREATE OR REPLACE FUNCTION ledger_open_hold(
  request text, account text, key text, of_model text, amount bigint, key_cap bigint, key_period text, key_period_start timestamptz,
  process text, at timestamptz, until timestamptz
) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  used bigint;
BEGIN
  IF key_cap IS NOT NULL THEN
    UPDATE key_spend s SET held = s.held + amount
      WHERE s.key_id = key AND s.period = key_period AND s.period_start = key_period_start AND s.spent + s.held + amount <= key_cap;
    IF NOT FOUND THEN
      used := ledger_key_used(key, key_period, key_period_start);
      IF used + amount > key_cap THEN RETURN used; END IF;
      INSERT INTO key_spend (key_id, period, period_start, spent, held, account_id, cap)
        VALUES (key, key_period, key_period_start, 0, amount, account, key_cap);
    END IF;
  END IF;
  INSERT INTO hold (request_id, account_id, key_id, model, ceiling, period, period_start, process_id, placed_at, deadline)
    VALUES (request, account, key, of_model, amount, CASE WHEN key_cap IS NOT NULL THEN key_period END,
      CASE WHEN key_cap IS NOT NULL THEN key_period_start END, process, at, until);
  RETURN NULL;
END $$;

-- Ends a hold with a charge for its answer, or without `details` by releasing it. Returns what the customer paid: at most the ceiling, and
-- nothing for a lost answer; the operator bears the rest. Without such a hold it returns null and changes nothing, unless the settlement
-- may be late: then it takes what is available, up to the ceiling and to `late_most`, and counts it in the given period of the key, with its
-- cap. A `key` that is the account itself is its sessions (see gateway_place_hold). Call it after ledger_begin_charges.
CREATE OR REPLACE FUNCTION ledger_settle_hold(
  request text, account text, key text, ceiling bigint, input_cost bigint, output_cost bigint, details ledger_charge_details, at timestamptz,
  is_late boolean DEFAULT false, late_most bigint DEFAULT NULL, late_period text DEFAULT NULL, late_period_start timestamptz DEFAULT NULL,
  late_cap bigint DEFAULT NULL
) RETURNS bigint LANGUAGE plpgsql AS $$
#variable_conflict use_variable
DECLARE
  due bigint := input_cost + output_cost;
  paid bigint := CASE WHEN details.outcome <> 'lost' THEN least(due, ceiling) ELSE 0 END;
  ended hold;
BEGIN
  IF is_late THEN
    paid := least(paid, late_most, ledger_available(account));
    UPDATE ledger_account a SET posted = a.posted - paid WHERE a.id = account;
    IF NOT FOUND THEN RAISE EXCEPTION 'request % names account % that does not exist', request, account; END IF;
    IF late_period IS NOT NULL THEN
      INSERT INTO key_spend AS s (key_id, period, period_start, spent, held, account_id, cap)
        VALUES (key, late_period, late_period_start, paid, 0, account, late_cap)
        ON CONFLICT (key_id, period, period_start) DO UPDATE SET spent = s.spent + excluded.spent;
    END IF;
    ended.period := late_period;
    ended.period_start := late_period_start;
  ELSE
    -- The account is changed, and so locked, before the hold is read: the hold may be gone by then.
    UPDATE ledger_account a SET posted = a.posted - paid, held = a.held - ceiling WHERE a.id = account AND a.held >= ceiling;
    IF NOT FOUND THEN RETURN NULL; END IF;
    DELETE FROM hold h WHERE h.request_id = request AND h.account_id = account RETURNING h.* INTO ended;
    IF NOT FOUND THEN
      UPDATE ledger_account a SET posted = a.posted + paid, held = a.held + ceiling WHERE a.id = account;
      RETURN NULL;
    END IF;
    IF ended.ceiling <> ceiling THEN RAISE EXCEPTION 'the hold of % is % and not %', request, ended.ceiling, ceiling; END IF;
    IF ended.period IS NOT NULL THEN
      UPDATE key_spend s SET spent = s.spent + paid, held = s.held - ceiling
        WHERE s.key_id = ended.key_id AND s.period = ended.period AND s.period_start = ended.period_start;
    END IF;
  END IF;
  IF details IS NULL THEN RETURN 0; END IF;
  INSERT INTO charge (account_id, request_id, key_id, model, provider, provider_request_id, price_version, input_tokens, output_tokens,
      cached_input_tokens, reasoning_tokens, input_cost, output_cost, operator_loss, ceiling, late, period, period_start, outcome, streamed,
      estimated, paid_by, first_token_ms, provider_ms, at, cache_write_tokens, cache_write_1h_tokens, image_tokens, unbilled, kept)
    VALUES (account, request, nullif(key, account), details.model, details.provider, details.provider_request_id, details.price_version, details.input_tokens,
      details.output_tokens, details.cached_input_tokens, details.reasoning_tokens, least(input_cost, paid), paid - least(input_cost, paid),
      due - paid, ceiling, is_late, ended.period, ended.period_start, details.outcome, details.streamed, details.estimated, details.paid_by,
      details.first_token_ms, details.provider_ms, at, details.cache_write_tokens, details.cache_write_1h_tokens, details.image_tokens,
      details.unbilled, details.kept);
  RETURN paid;
END $$;

-- What a request was charged, which is what its customer paid; null when it was not charged.
CREATE OR REPLACE FUNCTION ledger_charged(account text, request text) RETURNS bigint LANGUAGE sql STABLE AS $$
  SELECT c.input_cost + c.output_cost FROM charge c WHERE c.account_id = account AND c.request_id = request
$$;

-- The requests charged since then whose answers were kept.
CREATE OR REPLACE FUNCTION ledger_kept_answers(since timestamptz) RETURNS TABLE (request_id text, account_id text) LANGUAGE sql STABLE AS $$
  SELECT c.request_id, c.account_id FROM charge c WHERE c.kept AND c.at > since
$$;

-- Whether a request's hold is open.
CREATE OR REPLACE FUNCTION ledger_has_hold(request text, account text) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT EXISTS (SELECT FROM hold h WHERE h.request_id = request AND h.account_id = account)
$$;

-- Frees holds that will not be settled: those of a process, or only those of them that are overdue; when `of_process` is null, the overdue
-- ones of all. Its own process ends a hold at its deadline, others half a minute later, whether that process beats or not: nothing stays held
-- for ever. Each leaves a record. Returns what it freed, at most `most` holds per call.
CREATE OR REPLACE FUNCTION ledger_expire_holds(of_process text, only_overdue boolean, most integer, at timestamptz)
RETURNS TABLE (request_id text, account_id text, ceiling bigint) LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  due text[];
BEGIN
  due := ARRAY(
    SELECT h.request_id FROM hold h
    WHERE CASE WHEN of_process IS NULL THEN h.deadline < at - interval '30 seconds'
      ELSE h.process_id = of_process AND (NOT only_overdue OR h.deadline < at) END ORDER BY h.deadline LIMIT most);
  PERFORM ledger_lock_accounts(ARRAY(SELECT DISTINCT h.account_id FROM hold h WHERE h.request_id = ANY (due)));
  RETURN QUERY
  WITH ended AS (
    DELETE FROM hold h WHERE h.request_id = ANY (due) RETURNING h.*
  ), accounts AS (
    UPDATE ledger_account a SET held = a.held - d.ceiling
    FROM (SELECT e.account_id, sum(e.ceiling)::bigint AS ceiling FROM ended e GROUP BY e.account_id) d
    WHERE a.id = d.account_id
  ), spends AS (
    UPDATE key_spend s SET held = s.held - d.ceiling
    FROM (
      SELECT e.key_id, e.period, e.period_start, sum(e.ceiling)::bigint AS ceiling
      FROM ended e WHERE e.period IS NOT NULL GROUP BY e.key_id, e.period, e.period_start
    ) d
    WHERE s.key_id = d.key_id AND s.period = d.period AND s.period_start = d.period_start
  ), records AS (
    INSERT INTO expired_hold (request_id, account_id, key_id, model, ceiling, placed_at, expired_at, reason)
    SELECT e.request_id, e.account_id, nullif(e.key_id, e.account_id), e.model, e.ceiling, e.placed_at, at,
      CASE WHEN only_overdue THEN 'deadline' ELSE 'process_died' END
    FROM ended e ON CONFLICT (request_id) DO NOTHING
  )
  SELECT e.request_id, e.account_id, e.ceiling FROM ended e;
END $$;
