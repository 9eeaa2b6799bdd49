-- Holds: money set aside for one request. A hold is placed before the provider is called and ends exactly once: settled (charged, the rest
-- freed), released (nothing charged) or expired (it was never settled). These are the rules for one item; batch.sql has those for many at
-- once. Every function that changes one of an account's holds locks the account first.

-- A transaction that books charges holds this lock in shared mode until its commit. The roll-up takes it exclusively for a moment, to learn
-- up to which sequence number every charge is committed.
CREATE OR REPLACE FUNCTION ledger_begin_charges() RETURNS void LANGUAGE sql AS $$ SELECT pg_advisory_xact_lock_shared(7305001) $$;

-- The money that a customer can spend now.
CREATE OR REPLACE FUNCTION ledger_available(account text) RETURNS bigint LANGUAGE sql STABLE AS $$
  SELECT coalesce((SELECT greatest(a.posted - a.held - a.debt, 0) FROM ledger_account a WHERE a.id = account), 0)
$$;

-- The money that a customer can spend now and the money that requests hold, with a text that changes with each charge.
CREATE OR REPLACE FUNCTION ledger_balance(account text) RETURNS TABLE (available bigint, held bigint, charges text) LANGUAGE sql STABLE ROWS 1 AS $$
  SELECT greatest(a.posted - a.held - a.debt, 0), a.held,
    -- The newest request as well: a request that costs nothing changes no balance.
    concat_ws('.', a.posted, a.low_line, (SELECT max(c.request_id) FROM charge c WHERE c.account_id = a.id))
  FROM ledger_account a WHERE a.id = account
$$;

-- The rest of a key's cap, after its spending and holds; negative when the cap was lowered below that; null without a cap.
-- ledger_write_batch has the same rule for a set.
CREATE OR REPLACE FUNCTION ledger_cap_left(key text, of_cap ledger_cap) RETURNS bigint LANGUAGE sql STABLE AS $$
  SELECT of_cap.cap - coalesce((
    SELECT s.spent + s.held FROM key_spend s WHERE s.key_id = key AND s.period = of_cap.period AND s.period_start = of_cap.period_start), 0)
$$;

-- Sets an account's money aside, which locks the account; a negative amount gives money back. False, and nothing is changed, when that
-- much is not available.
CREATE OR REPLACE FUNCTION ledger_hold_money(account text, amount bigint) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  UPDATE ledger_account a SET held = a.held + amount
    WHERE a.id = account AND (amount < 0 OR a.posted - a.held - a.debt >= amount);
  RETURN FOUND;
END $$;

-- Opens the hold whose money was set aside. Returns null; or, with nothing changed, the rest of its key's cap when that does not cover it.
CREATE OR REPLACE FUNCTION ledger_open_hold(asked ledger_hold_request, of_cap ledger_cap, process text, at timestamptz, until timestamptz)
RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  cap_left bigint;
BEGIN
  IF of_cap.cap IS NOT NULL THEN
    UPDATE key_spend s SET held = s.held + asked.ceiling
      WHERE s.key_id = asked.key AND s.period = of_cap.period AND s.period_start = of_cap.period_start
        AND s.spent + s.held + asked.ceiling <= of_cap.cap;
    IF NOT FOUND THEN
      cap_left := ledger_cap_left(asked.key, of_cap);
      IF asked.ceiling > cap_left THEN RETURN cap_left; END IF;
      INSERT INTO key_spend (key_id, period, period_start, spent, held, account_id, cap)
        VALUES (asked.key, of_cap.period, of_cap.period_start, 0, asked.ceiling, asked.account, of_cap.cap);
    END IF;
  ELSE
    of_cap := NULL;
  END IF;
  INSERT INTO hold (request_id, account_id, key_id, model, ceiling, period, period_start, process_id, placed_at, deadline)
    VALUES (asked.request, asked.account, asked.key, asked.model, asked.ceiling, of_cap.period, of_cap.period_start, process, at, until);
  RETURN NULL;
END $$;

-- Ends a hold with a charge for its answer, or without a model by releasing it. Returns the amount that the customer paid: at most the
-- ceiling, and nothing for a lost answer; the operator bears the rest. Without such a hold it returns null and changes nothing, unless the
-- settlement may be late: then it takes the available money, up to the ceiling and to `late_most`, and counts it in the given period of the
-- key's cap. A key that is the account itself is its sessions (see gateway_place_hold). Call it after ledger_begin_charges.
CREATE OR REPLACE FUNCTION ledger_settle_hold(ending ledger_settlement, at timestamptz, late_most bigint DEFAULT NULL, late_cap ledger_cap DEFAULT NULL)
RETURNS bigint LANGUAGE plpgsql AS $$
#variable_conflict use_variable
DECLARE
  is_late boolean := late_most IS NOT NULL;
  due bigint := ending.input_cost + ending.output_cost;
  paid bigint := CASE WHEN ending.outcome <> 'lost' THEN least(due, ending.ceiling) ELSE 0 END;
  ended hold;
BEGIN
  IF is_late THEN
    paid := least(paid, late_most, ledger_available(ending.account));
    UPDATE ledger_account a SET posted = a.posted - paid WHERE a.id = ending.account;
    IF NOT FOUND THEN RAISE EXCEPTION 'request % names account % that does not exist', ending.request, ending.account; END IF;
    IF late_cap.period IS NOT NULL THEN
      INSERT INTO key_spend AS s (key_id, period, period_start, spent, held, account_id, cap)
        VALUES (ending.key, late_cap.period, late_cap.period_start, paid, 0, ending.account, late_cap.cap)
        ON CONFLICT (key_id, period, period_start) DO UPDATE SET spent = s.spent + excluded.spent;
    END IF;
    ended.period := late_cap.period;
    ended.period_start := late_cap.period_start;
  ELSE
    -- The account is changed, and so locked, before the hold is read: the hold may be gone by then.
    UPDATE ledger_account a SET posted = a.posted - paid, held = a.held - ending.ceiling
      WHERE a.id = ending.account AND a.held >= ending.ceiling;
    IF NOT FOUND THEN RETURN NULL; END IF;
    DELETE FROM hold h WHERE h.request_id = ending.request AND h.account_id = ending.account RETURNING h.* INTO ended;
    IF NOT FOUND THEN
      UPDATE ledger_account a SET posted = a.posted + paid, held = a.held + ending.ceiling WHERE a.id = ending.account;
      RETURN NULL;
    END IF;
    IF ended.ceiling <> ending.ceiling THEN
      RAISE EXCEPTION 'the hold of % is % and not %', ending.request, ended.ceiling, ending.ceiling;
    END IF;
    IF ended.period IS NOT NULL THEN
      UPDATE key_spend s SET spent = s.spent + paid, held = s.held - ending.ceiling
        WHERE s.key_id = ended.key_id AND s.period = ended.period AND s.period_start = ended.period_start;
    END IF;
  END IF;
  IF ending.model IS NULL THEN RETURN 0; END IF;
  PERFORM ledger_book_charges(ARRAY[ending], ARRAY[paid], ARRAY[ended.period], ARRAY[ended.period_start], is_late, at);
  RETURN paid;
END $$;

-- Books the charges of settlements that have a model. The arrays are parallel: the amount that each customer paid, and the period of its
-- key's cap.
CREATE OR REPLACE FUNCTION ledger_book_charges(
  endings ledger_settlement[], paid bigint[], periods text[], period_starts timestamptz[], is_late boolean, at timestamptz
) RETURNS void LANGUAGE plpgsql AS $$
#variable_conflict use_variable
BEGIN
  INSERT INTO charge (account_id, request_id, key_id, model, provider, provider_request_id, price_version, tokens, input_cost, output_cost,
      operator_loss, ceiling, late, period, period_start, outcome, streamed, estimated, paid_by, first_token_ms, provider_ms, at, unbilled,
      kept, tag, end_user)
    SELECT e.account, e.request, nullif(e.key, e.account), e.model, e.provider, e.provider_request_id, e.price_version, e.tokens,
      least(e.input_cost, p.amount), p.amount - least(e.input_cost, p.amount), e.input_cost + e.output_cost - p.amount, e.ceiling, is_late,
      periods[e.ordinality], period_starts[e.ordinality], e.outcome, e.streamed, e.estimated, e.paid_by, e.first_token_ms, e.provider_ms, at,
      e.unbilled, e.kept, e.tag, e.end_user
    FROM unnest(endings) WITH ORDINALITY e CROSS JOIN LATERAL (SELECT paid[e.ordinality] AS amount) p
    WHERE e.model IS NOT NULL;
END $$;

-- The charge for a request, which is the amount that its customer paid; null when it was not charged.
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
-- ones of all. Its own process ends a hold at its deadline, others half a minute later, whether that process beats or not: nothing stays
-- held for ever. Each leaves a record. Returns the freed holds, at most `most` per call.
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
