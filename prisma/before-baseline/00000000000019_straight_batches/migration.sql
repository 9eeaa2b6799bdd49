-- A batch whose every item goes the straight way, as nearly all do: holds that fit, charges and releases of holds that are open. Each
-- account is changed once, for what ends and what begins, and so locked; nothing is read before it is changed. What does not fit raises
-- PP001, which takes back what the batch wrote, and row statements decide it item by item, and tell why. ledger_settle_holds,
-- ledger_place_holds and the functions that ask for them stay for processes of the release before, while both run.

-- sum() makes a numeric of bigints.
CREATE AGGREGATE ledger_total(bigint) (SFUNC = int8pl, STYPE = bigint, INITCOND = '0');

-- What a charge says beside its money, and what its hold counted in; see ledger_settlement. Read sooner than the same as JSON.
CREATE TYPE ledger_charge_details AS (
  model text, provider text, "priceVersion" text, "inputTokens" bigint, "outputTokens" bigint, "cachedInputTokens" bigint,
  "reasoningTokens" bigint, outcome text, streamed boolean, estimated boolean, "paidBy" text, "firstTokenMs" integer, "providerMs" integer,
  period text, "periodStart" timestamptz
);

-- Pays and frees what ends, and sets aside what begins. The arrays of each half are parallel; who is released costs nothing.
-- In id order, as ledger_lock_accounts.
CREATE FUNCTION ledger_begin_batch(
  settled_accounts text[], settled_ceilings bigint[], input_costs bigint[], output_costs bigint[], accounts text[], ceilings bigint[]
) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  begun bigint;
BEGIN
  WITH changed AS (
    UPDATE ledger_account a SET posted = a.posted - d.paid, held = a.held + d.held
    FROM (
      SELECT i.account, ledger_total(i.paid) AS paid, ledger_total(i.held) AS held, count(*) AS items
      FROM (
        SELECT s.account COLLATE "C" AS account, least(s.input_cost + s.output_cost, s.ceiling) AS paid, -s.ceiling AS held
          FROM unnest(settled_accounts, settled_ceilings, input_costs, output_costs) s(account, ceiling, input_cost, output_cost)
        UNION ALL SELECT h.account COLLATE "C", 0, h.ceiling FROM unnest(accounts, ceilings) h(account, ceiling)
      ) i GROUP BY i.account ORDER BY i.account OFFSET 0
    ) d
    WHERE a.id = d.account AND a.held + d.held >= 0 AND a.posted - d.paid >= a.held + d.held
    RETURNING d.items
  )
  SELECT ledger_total(c.items) INTO begun FROM changed c;
  IF begun < cardinality(settled_accounts) + cardinality(accounts) OR 0 > ANY (ceilings) THEN RAISE SQLSTATE 'PP001'; END IF;
END $$;

-- Ends and opens the holds of a batch that was begun, with what the accounts' keys spend and hold, and books the charges. A place of
-- `details` is null for who is released. Returns a line for each hold that ended: what was paid, or
-- (released,,). After ledger_begin_charges.
CREATE FUNCTION ledger_write_batch(
  settled_requests text[], settled_accounts text[], settled_keys text[], settled_ceilings bigint[], input_costs bigint[], output_costs bigint[],
  details ledger_charge_details[], requests text[], accounts text[], keys text[], ceilings bigint[], caps bigint[], periods text[], period_starts timestamptz[],
  at timestamptz, until timestamptz
) RETURNS text LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  settled text;
  fits_all boolean;
BEGIN
  WITH item AS MATERIALIZED (
    SELECT i.*, i.input_cost + i.output_cost AS due, least(i.input_cost + i.output_cost, i.ceiling) AS paid
    FROM ROWS FROM (
      unnest(settled_requests), unnest(settled_accounts), unnest(settled_keys), unnest(settled_ceilings), unnest(input_costs), unnest(output_costs),
      unnest(details)
    ) WITH ORDINALITY AS i (
      request, account, key, ceiling, input_cost, output_cost, model, provider, price_version, input_tokens, output_tokens, cached_input_tokens,
      reasoning_tokens, outcome, streamed, estimated, paid_by, first_token_ms, provider_ms, period, period_start, ord
    )
  ), ended AS (
    DELETE FROM hold h USING item i WHERE h.request_id = i.request AND h.account_id = i.account AND h.ceiling = i.ceiling
    RETURNING h.key_id, h.period, h.period_start, i.paid, i.ceiling
  ), spent AS (
    UPDATE key_spend s SET spent = s.spent + d.paid, held = s.held + d.held
    FROM (
      SELECT i.key, i.period, i.period_start, ledger_total(i.paid) AS paid, ledger_total(i.held) AS held, max(i.cap) AS cap, count(*) AS items
      FROM (
        SELECT e.key_id AS key, e.period, e.period_start, e.paid, -e.ceiling AS held, NULL::bigint AS cap FROM ended e WHERE e.period IS NOT NULL
        UNION ALL
        SELECT h.key, h.period, h.period_start, 0, h.ceiling, h.cap
          FROM unnest(keys, periods, period_starts, ceilings, caps) h(key, period, period_start, ceiling, cap) WHERE h.cap IS NOT NULL
      ) i GROUP BY i.key, i.period, i.period_start OFFSET 0
    ) d
    WHERE s.key_id = d.key AND s.period = d.period AND s.period_start = d.period_start
      AND (d.cap IS NULL OR s.spent + d.paid + s.held + d.held <= d.cap)
    RETURNING d.items
  ), fits AS MATERIALIZED (
    -- Before anything is inserted that would be left behind as dead rows.
    SELECT (SELECT count(*) FROM ended) = cardinality(settled_requests)
      AND (SELECT ledger_total(s.items) FROM spent s)
        = (SELECT count(*) FROM ended e WHERE e.period IS NOT NULL) + cardinality(caps) - cardinality(array_positions(caps, NULL))
      AND NOT EXISTS (SELECT FROM item i WHERE i.model IS NULL AND i.due <> 0) AS all_of_it
  ), charges AS (
    INSERT INTO charge (account_id, request_id, key_id, model, provider, price_version, input_tokens, output_tokens, cached_input_tokens,
      reasoning_tokens, input_cost, output_cost, operator_loss, outcome, streamed, estimated, paid_by, first_token_ms, provider_ms, at)
    SELECT i.account, i.request, i.key, i.model, i.provider, i.price_version, i.input_tokens, i.output_tokens, i.cached_input_tokens,
      i.reasoning_tokens, least(i.input_cost, i.paid), i.paid - least(i.input_cost, i.paid), i.due - i.paid, i.outcome, i.streamed, i.estimated,
      i.paid_by, i.first_token_ms, i.provider_ms, at
    FROM item i WHERE i.model IS NOT NULL AND (SELECT f.all_of_it FROM fits f)
  ), holds AS (
    INSERT INTO hold (request_id, account_id, key_id, ceiling, period, period_start, placed_at, deadline)
    SELECT h.request, h.account, h.key, h.ceiling, CASE WHEN h.cap IS NOT NULL THEN h.period END,
      CASE WHEN h.cap IS NOT NULL THEN h.period_start END, at, until
    FROM unnest(requests, accounts, keys, ceilings, caps, periods, period_starts) h(request, account, key, ceiling, cap, period, period_start)
    WHERE (SELECT f.all_of_it FROM fits f)
  )
  SELECT (SELECT string_agg(CASE WHEN i.model IS NULL THEN '(released,,)' ELSE i.paid::text END, E'\n' ORDER BY i.ord) FROM item i),
      f.all_of_it
    INTO settled, fits_all FROM fits f;
  IF NOT fits_all THEN RAISE SQLSTATE 'PP001'; END IF;
  RETURN settled;
END $$;

-- Decides a batch in one commit: settlements first, so that the money they free is there for the holds, then holds. The arrays of each half
-- are parallel, one place per item. `details` as in ledger_write_batch; `replies` as in gateway_save_replies; `idempotencies` and `hashes`
-- are null when no hold has an idempotency key. Returns a line for each item, in order. Straight ones: what was paid, and for a hold what
-- gateway_decide_lone_hold returns. Others are rows in parentheses: outcome, input_cost, output_cost of ledger_settle_hold, or outcome,
-- available, spent, key_state, cap, period, period_start of gateway_place_hold.
CREATE FUNCTION gateway_decide_batch(
  settled_requests text[], settled_accounts text[], settled_keys text[], settled_ceilings bigint[], input_costs bigint[], output_costs bigint[],
  details ledger_charge_details[], replies json,
  requests text[], accounts text[], keys text[], ceilings bigint[], idempotencies text[], hashes bytea[], at timestamptz, until timestamptz
) RETURNS text LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  -- Holds alone book nothing, and wait for no roll-up.
  has_begun boolean := CASE WHEN cardinality(settled_requests) > 0 THEN ledger_begin_charges() IS NOT NULL END;
  are_usable boolean;
  caps bigint[];
  periods text[];
  starts timestamptz[];
  settled text;
  held text;
  says ledger_charge_details;
  done record;
  lines text[] := '{}';
BEGIN
  -- One or two items are decided sooner one after the other.
  IF cardinality(settled_requests) + cardinality(requests) > 2 THEN
    BEGIN
      PERFORM ledger_begin_batch(settled_accounts, settled_ceilings, input_costs, output_costs, accounts, ceilings);
      -- Read after the accounts are locked, since a change of a cap's period locks them too.
      SELECT bool_and(CASE WHEN i.key IS NULL THEN NOT access_is_frozen(i.account) ELSE coalesce(i.state = 'active', false) END),
          array_agg(i.cap), array_agg(i.period), array_agg(i.period_start), string_agg(coalesce(i.period || ' ' || i.period_start, ''), E'\n')
        INTO are_usable, caps, periods, starts, held
        FROM (
          SELECT i.account, i.key, k.state, k.cap, k.period, k.period_start FROM unnest(accounts, keys) WITH ORDINALITY AS i(account, key, ord)
          LEFT JOIN LATERAL access_key_state(i.key, at) k ON true ORDER BY i.ord
        ) i;
      IF NOT are_usable THEN RAISE SQLSTATE 'PP001'; END IF;
      IF idempotencies IS NOT NULL THEN
        INSERT INTO idempotent_reply (account_id, idempotency_key, request_id, body_hash, claimed_at, expires_at)
          SELECT i.account, i.idempotency, i.request, i.hash, at, at + interval '24 hours'
          FROM unnest(accounts, idempotencies, requests, hashes) i(account, idempotency, request, hash) WHERE i.idempotency IS NOT NULL;
      END IF;
      settled := ledger_write_batch(settled_requests, settled_accounts, settled_keys, settled_ceilings, input_costs, output_costs, details,
        requests, accounts, keys, ceilings, coalesce(caps, '{}'), periods, starts, at, until);
      IF replies IS NOT NULL THEN PERFORM gateway_save_replies(replies); END IF;
      RETURN concat_ws(E'\n', settled, held);
    EXCEPTION WHEN SQLSTATE 'PP001' OR unique_violation THEN
      NULL;
    END;
  END IF;
  PERFORM ledger_lock_accounts(settled_accounts || accounts);
  FOR place IN 1 .. cardinality(settled_requests) LOOP
    says := details[place];
    done := ledger_settle_hold(ROW(place, settled_requests[place], settled_accounts[place], settled_keys[place], says.period, says."periodStart",
      input_costs[place], output_costs[place], says.model IS NOT NULL, says.model, says.provider, says."priceVersion", says."inputTokens",
      says."outputTokens", says."cachedInputTokens", says."reasoningTokens", says.outcome, says.streamed, says.estimated, says."paidBy",
      says."firstTokenMs", says."providerMs")::ledger_settlement, at);
    lines := lines || ROW(done.outcome, done.input_paid, done.output_paid)::text;
  END LOOP;
  IF replies IS NOT NULL THEN PERFORM gateway_save_replies(replies); END IF;
  FOR place IN 1 .. cardinality(requests) LOOP
    done := gateway_place_hold(requests[place], accounts[place], keys[place], ceilings[place], until, idempotencies[place], hashes[place], at);
    lines := lines || ROW(done.outcome, done.available, done.spent, done.key_state, done.cap, done.period, done.period_start)::text;
  END LOOP;
  RETURN array_to_string(lines, E'\n');
END $$;
