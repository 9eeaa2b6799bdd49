-- Holds: money set aside for one request.

-- Inlined wherever it is asked for.
CREATE OR REPLACE FUNCTION ledger_begin_charges() RETURNS void LANGUAGE sql AS $$ SELECT pg_advisory_xact_lock_shared(7305001) $$;

-- What a key has spent and holds in a period.
CREATE OR REPLACE FUNCTION ledger_key_used(key text, key_period text, key_period_start timestamptz) RETURNS bigint LANGUAGE sql STABLE AS $$
  SELECT coalesce((SELECT s.spent + s.held FROM key_spend s WHERE s.key_id = key AND s.period = key_period AND s.period_start = key_period_start), 0)
$$;

-- Decides one hold with row statements; the account must be locked. `key_cap` null = the key has none.
CREATE OR REPLACE FUNCTION ledger_place_hold(
  request text, account text, key text, amount bigint, key_cap bigint, key_period text, key_period_start timestamptz,
  at timestamptz, until timestamptz, OUT outcome text, OUT available bigint, OUT spent bigint
) LANGUAGE plpgsql AS $$
BEGIN
  IF amount < 0 THEN RAISE EXCEPTION 'request % asks for a hold of %', request, amount; END IF;
  IF key_cap IS NOT NULL THEN
    spent := ledger_key_used(key, key_period, key_period_start);
    IF spent + amount > key_cap THEN
      outcome := 'cap_reached';
      RETURN;
    END IF;
    spent := NULL;
  END IF;
  UPDATE ledger_account a SET held = a.held + amount WHERE a.id = account AND a.posted - a.held >= amount
    RETURNING a.posted - a.held INTO available;
  IF NOT FOUND THEN
    SELECT a.posted - a.held INTO available FROM ledger_account a WHERE a.id = account;
    available := coalesce(available, 0);
    outcome := 'insufficient';
    RETURN;
  END IF;
  INSERT INTO hold (request_id, account_id, key_id, ceiling, period, period_start, placed_at, deadline)
    VALUES (request, account, key, amount, CASE WHEN key_cap IS NULL THEN NULL ELSE key_period END,
      CASE WHEN key_cap IS NULL THEN NULL ELSE key_period_start END, at, until);
  IF key_cap IS NOT NULL THEN
    UPDATE key_spend s SET held = s.held + amount WHERE s.key_id = key AND s.period = key_period AND s.period_start = key_period_start;
    IF NOT FOUND THEN INSERT INTO key_spend (key_id, period, period_start, spent, held) VALUES (key, key_period, key_period_start, 0, amount); END IF;
  END IF;
  outcome := 'held';
END $$;

-- Places many holds with one statement when all of them fit, and returns their places with what is available after each, in
-- arrival order; places none and returns nothing when any does not: ledger_place_hold decides those, one after the other.
-- Accounts must be locked. The arrays are parallel, one place per item; a cap is null where the key has none.
CREATE OR REPLACE FUNCTION ledger_place_holds(
  requests text[], accounts text[], keys text[], ceilings bigint[], caps bigint[], periods text[], period_starts timestamptz[],
  at timestamptz, until timestamptz
) RETURNS TABLE (ord bigint, available bigint) LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY
  WITH asked AS MATERIALIZED (
    SELECT i.ord, i.request, i.account, i.key, i.ceiling, i.cap,
      CASE WHEN i.cap IS NOT NULL THEN i.period END AS period, CASE WHEN i.cap IS NOT NULL THEN i.period_start END AS period_start,
      a.posted - a.held - sum(i.ceiling) OVER (PARTITION BY i.account ORDER BY i.ord) AS free,
      sum(i.ceiling) OVER (PARTITION BY i.key ORDER BY i.ord) + coalesce(s.spent + s.held, 0) AS key_used
    FROM unnest(requests, accounts, keys, ceilings, caps, periods, period_starts) WITH ORDINALITY
      AS i(request, account, key, ceiling, cap, period, period_start, ord)
    LEFT JOIN ledger_account a ON a.id = i.account
    LEFT JOIN key_spend s ON s.key_id = i.key AND s.period = i.period AND s.period_start = i.period_start AND i.cap IS NOT NULL
  ), placed AS MATERIALIZED (
    SELECT * FROM asked
    WHERE (SELECT bool_and(coalesce(x.ceiling >= 0 AND x.free >= 0 AND (x.cap IS NULL OR x.key_used <= x.cap), false)) FROM asked x)
  ), account_changes AS (
    UPDATE ledger_account a SET held = a.held + d.amount
    FROM (SELECT p.account, sum(p.ceiling)::bigint AS amount FROM placed p GROUP BY p.account) d WHERE a.id = d.account
  ), holds AS (
    INSERT INTO hold (request_id, account_id, key_id, ceiling, period, period_start, placed_at, deadline)
    SELECT p.request, p.account, p.key, p.ceiling, p.period, p.period_start, at, until FROM placed p
  ), spends AS (
    INSERT INTO key_spend AS s (key_id, period, period_start, spent, held)
    SELECT p.key, p.period, p.period_start, 0, sum(p.ceiling) FROM placed p WHERE p.cap IS NOT NULL GROUP BY p.key, p.period, p.period_start
    ON CONFLICT (key_id, period, period_start) DO UPDATE SET held = s.held + excluded.held
  )
  SELECT p.ord, p.free::bigint FROM placed p;
END $$;

-- Sets the money of a hold aside, and so locks the account. Returns what is available then; null, and changes nothing, when it does
-- not fit.
CREATE OR REPLACE FUNCTION ledger_begin_hold(account text, amount bigint) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  available bigint;
BEGIN
  UPDATE ledger_account a SET held = a.held + amount WHERE a.id = account AND amount >= 0 AND a.posted - a.held >= amount
    RETURNING a.posted - a.held INTO available;
  RETURN available;
END $$;

-- Opens the hold that was begun. Returns false, and changes nothing, when the key's cap does not cover it, or has no row yet for this
-- period.
CREATE OR REPLACE FUNCTION ledger_open_hold(
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
CREATE OR REPLACE FUNCTION ledger_give_back(account text, amount bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  UPDATE ledger_account a SET held = a.held - amount WHERE a.id = account;
END $$;

-- Settles one item with row statements; its account is locked. See ledger_settle_holds for the outcomes.
CREATE OR REPLACE FUNCTION ledger_settle_hold(item ledger_settlement, at timestamptz, OUT outcome text, OUT input_paid bigint, OUT output_paid bigint)
LANGUAGE plpgsql AS $$
DECLARE
  ended hold;
  paid bigint := 0;
  due bigint := item."inputCost" + item."outputCost";
BEGIN
  DELETE FROM hold h WHERE h.request_id = item.request AND h.account_id = item.account RETURNING h.* INTO ended;
  IF ended.request_id IS NOT NULL THEN
    IF item.charged THEN
      outcome := 'settled';
      paid := least(due, ended.ceiling);
    ELSE
      outcome := 'released';
    END IF;
    UPDATE ledger_account a SET posted = a.posted - paid, held = a.held - ended.ceiling WHERE a.id = item.account;
    IF ended.period IS NOT NULL THEN
      UPDATE key_spend s SET spent = s.spent + paid, held = s.held - ended.ceiling
        WHERE s.key_id = ended.key_id AND s.period = ended.period AND s.period_start = ended.period_start;
    END IF;
  ELSE
    IF NOT item.charged OR EXISTS (SELECT 1 FROM charge c WHERE c.account_id = item.account AND c.request_id = item.request) THEN
      outcome := 'already';
      SELECT c.input_cost, c.output_cost INTO input_paid, output_paid
        FROM charge c WHERE c.account_id = item.account AND c.request_id = item.request;
      RETURN;
    END IF;
    outcome := 'late';
    SELECT least(due, greatest(a.posted - a.held, 0)) INTO paid FROM ledger_account a WHERE a.id = item.account;
    IF paid IS NULL THEN RAISE EXCEPTION 'request % names account % that does not exist', item.request, item.account; END IF;
    UPDATE ledger_account a SET posted = a.posted - paid WHERE a.id = item.account;
    IF item.period IS NOT NULL THEN
      UPDATE key_spend s SET spent = s.spent + paid
        WHERE s.key_id = item.key AND s.period = item.period AND s.period_start = item."periodStart";
    END IF;
  END IF;
  IF NOT item.charged THEN RETURN; END IF;
  input_paid := least(item."inputCost", paid);
  output_paid := paid - input_paid;
  INSERT INTO charge (account_id, request_id, key_id, model, provider, price_version, input_tokens, output_tokens, cached_input_tokens,
      reasoning_tokens, input_cost, output_cost, operator_loss, outcome, streamed, estimated, paid_by, first_token_ms, provider_ms, at)
    VALUES (item.account, item.request, item.key, item.model, item.provider, item."priceVersion", item."inputTokens", item."outputTokens",
      item."cachedInputTokens", item."reasoningTokens", input_paid, output_paid, due - paid, item.outcome, item.streamed, item.estimated,
      item."paidBy", item."firstTokenMs", item."providerMs", at);
END $$;

-- Ends holds. Outcomes: settled (charged up to the hold; what the answer cost beyond it is the operator's loss), released,
-- late (the hold had expired: what is available is charged, the rest is the operator's loss), already (this request was
-- settled or released before; the costs are those of its charge, if it has one). Accounts must be locked, after
-- ledger_begin_charges. items = [ledger_settlement as JSON]; `requests` and `accounts` name the same items.
CREATE OR REPLACE FUNCTION ledger_settle_holds(items json, requests text[], accounts text[], at timestamptz)
RETURNS TABLE (ord integer, outcome text, input_cost bigint, output_cost bigint) LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  item ledger_settlement;
  done record;
  total integer := array_length(requests, 1);
BEGIN
  IF total > 2 THEN
    RETURN QUERY
    WITH due AS MATERIALIZED (
      SELECT i.*, h.ceiling, h.key_id AS held_key, h.period AS held_period, h.period_start AS held_start, i."inputCost" + i."outputCost" AS total_due,
        CASE WHEN i.charged THEN least(i."inputCost" + i."outputCost", h.ceiling) ELSE 0 END AS paid
      FROM json_populate_recordset(NULL::ledger_settlement, items) i JOIN hold h ON h.request_id = i.request
      -- A late or repeated item depends on the items before it, and takes the batch to the row statements below.
      WHERE total = (SELECT count(DISTINCT x.request_id) FROM unnest(requests, accounts) AS l(request, account)
        JOIN hold x ON x.request_id = l.request AND x.account_id = l.account)
    ), ended AS (
      DELETE FROM hold h USING due d WHERE h.request_id = d.request
    ), account_changes AS (
      UPDATE ledger_account a SET posted = a.posted - d.paid, held = a.held - d.ceiling
      FROM (SELECT x.account, sum(x.paid)::bigint AS paid, sum(x.ceiling)::bigint AS ceiling FROM due x GROUP BY x.account) d
      WHERE a.id = d.account
    ), spends AS (
      UPDATE key_spend s SET spent = s.spent + d.paid, held = s.held - d.ceiling
      FROM (
        SELECT x.held_key, x.held_period, x.held_start, sum(x.paid)::bigint AS paid, sum(x.ceiling)::bigint AS ceiling
        FROM due x WHERE x.held_period IS NOT NULL GROUP BY x.held_key, x.held_period, x.held_start
      ) d
      WHERE s.key_id = d.held_key AND s.period = d.held_period AND s.period_start = d.held_start
    ), charges AS (
      INSERT INTO charge (account_id, request_id, key_id, model, provider, price_version, input_tokens, output_tokens, cached_input_tokens,
        reasoning_tokens, input_cost, output_cost, operator_loss, outcome, streamed, estimated, paid_by, first_token_ms, provider_ms, at)
      SELECT d.account, d.request, d.held_key, d.model, d.provider, d."priceVersion", d."inputTokens", d."outputTokens", d."cachedInputTokens",
        d."reasoningTokens", least(d."inputCost", d.paid), d.paid - least(d."inputCost", d.paid), d.total_due - d.paid, d.outcome, d.streamed,
        d.estimated, d."paidBy", d."firstTokenMs", d."providerMs", at
      FROM due d WHERE d.charged
    )
    SELECT d.ord, CASE WHEN d.charged THEN 'settled' ELSE 'released' END,
      CASE WHEN d.charged THEN least(d."inputCost", d.paid) END,
      CASE WHEN d.charged THEN d.paid - least(d."inputCost", d.paid) END
    FROM due d;
    IF FOUND THEN RETURN; END IF;
  END IF;
  FOR item IN SELECT * FROM json_populate_recordset(NULL::ledger_settlement, items) i ORDER BY i.ord LOOP
    done := ledger_settle_hold(item, at);
    ord := item.ord;
    outcome := done.outcome;
    input_cost := done.input_paid;
    output_cost := done.output_paid;
    RETURN NEXT;
  END LOOP;
END $$;

-- Settles one hold that is charged, and begins the next. `ceiling` is the hold's, `key_period` and `key_period_start` what it counts in. Returns
-- what was paid; when the hold is no more, a row of ledger_settle_hold in parentheses. `next_ceiling` is set aside in the same change when it
-- fits, and then a plus stands after what was paid; 0 sets nothing aside.
CREATE OR REPLACE FUNCTION ledger_settle_and_begin(
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

-- Makes an open hold smaller, with what its account and key hold. Returns false, and changes nothing, when there is no such hold any more.
CREATE OR REPLACE FUNCTION ledger_shrink_hold(request text, account text, ceiling bigint, wanted bigint) RETURNS boolean LANGUAGE plpgsql AS $$
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

-- Frees holds whose deadline has passed: their process died, or their settle never came. Returns what it freed.
CREATE OR REPLACE FUNCTION ledger_expire_holds(at timestamptz, most integer)
RETURNS TABLE (request_id text, account_id text, ceiling bigint) LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  due text[];
BEGIN
  due := ARRAY(SELECT h.request_id FROM hold h WHERE h.deadline < at ORDER BY h.deadline LIMIT most);
  PERFORM ledger_lock_accounts(ARRAY(SELECT DISTINCT h.account_id FROM hold h WHERE h.request_id = ANY (due)));
  RETURN QUERY
  WITH ended AS (
    DELETE FROM hold h WHERE h.request_id = ANY (due)
    RETURNING h.request_id, h.account_id, h.key_id, h.ceiling, h.period, h.period_start
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
  )
  SELECT e.request_id, e.account_id, e.ceiling FROM ended e;
END $$;

-- Opens the spend row of a key's period from what the ledger holds, under the account's lock: for a cap that is set, or
-- whose period is changed, after the key was used. Its open holds count in the new period from then on.
CREATE OR REPLACE FUNCTION ledger_open_key_spend(account text, key text, new_period text, new_start timestamptz) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM ledger_lock_accounts(ARRAY[account]);
  UPDATE key_spend s SET held = 0 WHERE s.key_id = key AND s.held > 0;
  UPDATE hold h SET period = new_period, period_start = new_start WHERE h.account_id = account AND h.key_id = key;
  INSERT INTO key_spend AS s (key_id, period, period_start, spent, held)
    SELECT key, new_period, new_start,
      coalesce((SELECT sum(c.input_cost + c.output_cost) FROM charge c WHERE c.account_id = account AND c.key_id = key AND c.at >= new_start), 0),
      coalesce((SELECT sum(h.ceiling) FROM hold h WHERE h.account_id = account AND h.key_id = key), 0)
    ON CONFLICT (key_id, period, period_start) DO UPDATE SET spent = excluded.spent, held = excluded.held;
END $$;

CREATE OR REPLACE FUNCTION ledger_is_charged(account text, request text) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT EXISTS (SELECT 1 FROM charge c WHERE c.account_id = account AND c.request_id = request)
$$;
