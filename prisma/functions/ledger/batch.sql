-- Many settlements and holds at once, as sets: the same rules as in holds.sql. A batch is decided as a whole or not at all. In the second
-- case PP001 is raised, with the accounts that sets cannot decide in its detail; these are decided item by item. Each account is changed
-- once, for all its settlements and holds, and that locks it; nothing is read before it is changed.

-- sum() of bigints returns numeric, which costs as much as reading the row.
CREATE OR REPLACE AGGREGATE ledger_total(bigint) (SFUNC = int8pl, STYPE = bigint, INITCOND = '0');

-- Pays and frees the ended holds, and sets money aside for the new ones. The arrays of each half are parallel; a release costs nothing.
-- In id order, like ledger_lock_accounts: two batches that share two accounts would otherwise deadlock.
CREATE OR REPLACE FUNCTION ledger_begin_batch(
  settled_accounts text[], settled_ceilings bigint[], input_costs bigint[], output_costs bigint[], accounts text[], ceilings bigint[]
) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  begun bigint;
  changed_accounts text[];
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
    WHERE a.id = d.account AND a.debt = 0 AND a.held + d.held >= 0 AND a.posted - d.paid >= a.held + d.held
    RETURNING a.id, d.items
  )
  SELECT ledger_total(c.items), array_agg(c.id) INTO begun, changed_accounts FROM changed c;
  IF begun < cardinality(settled_accounts) + cardinality(accounts) OR 0 > ANY (ceilings) THEN
    RAISE SQLSTATE 'PP001' USING DETAIL = array_to_string(ARRAY(
      SELECT i.account FROM unnest(settled_accounts || accounts, array_fill(NULL::bigint, ARRAY[cardinality(settled_accounts)]) || ceilings) i(account, ceiling)
      WHERE i.account <> ALL (coalesce(changed_accounts, '{}')) OR i.ceiling < 0), ',');
  END IF;
END $$;

-- Ends and opens the holds of a batch that was begun, updates what the keys have spent and hold, and books the charges. An element of
-- `details` is null for a release. Returns a line for each ended hold: what was paid. Call it after ledger_begin_charges.
CREATE OR REPLACE FUNCTION ledger_write_batch(
  settled_requests text[], settled_accounts text[], settled_keys text[], settled_ceilings bigint[], input_costs bigint[], output_costs bigint[],
  details ledger_charge_details[], requests text[], accounts text[], keys text[], models text[], ceilings bigint[], caps bigint[], periods text[],
  period_starts timestamptz[], process text, at timestamptz, until timestamptz
) RETURNS text LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  settled text;
  is_whole boolean;
  in_the_way text;
BEGIN
  WITH item AS MATERIALIZED (
    SELECT i.*, o.*, i.input_cost + i.output_cost AS due, least(i.input_cost + i.output_cost, i.ceiling) AS paid
    FROM ROWS FROM (
      unnest(settled_requests), unnest(settled_accounts), unnest(settled_keys), unnest(settled_ceilings), unnest(input_costs), unnest(output_costs),
      unnest(details)
    ) WITH ORDINALITY AS i (
      request, account, key, ceiling, input_cost, output_cost, model, provider, provider_request_id, price_version, input_tokens, output_tokens,
      cached_input_tokens, reasoning_tokens, outcome, streamed, estimated, paid_by, first_token_ms, provider_ms, cache_write_tokens,
      cache_write_1h_tokens, image_tokens, unbilled, kept, ord
    )
    -- Deleted below by their row's address: a join is planned as if few holds were open, and may read all of them for one batch.
    -- A lost answer costs its customer nothing; only the function for one item has that rule.
    LEFT JOIN LATERAL (
      SELECT h.ctid AS row_address, h.key_id AS hold_key, h.period AS hold_period, h.period_start AS hold_start
      FROM hold h WHERE h.request_id = i.request AND h.account_id = i.account AND h.ceiling = i.ceiling AND i.outcome IS DISTINCT FROM 'lost' OFFSET 0
    ) o ON true
  ), ended AS (
    DELETE FROM hold h WHERE h.ctid = ANY (ARRAY(SELECT i.row_address FROM item i)) RETURNING h.period
  ), spent AS (
    UPDATE key_spend s SET spent = s.spent + d.paid, held = s.held + d.held
    FROM (
      SELECT i.key, i.period, i.period_start, ledger_total(i.paid) AS paid, ledger_total(i.held) AS held, max(i.cap) AS cap, count(*) AS items
      FROM (
        SELECT i.hold_key AS key, i.hold_period AS period, i.hold_start AS period_start, i.paid, -i.ceiling AS held, NULL::bigint AS cap
          FROM item i WHERE i.hold_period IS NOT NULL
        UNION ALL
        SELECT h.key, h.period, h.period_start, 0, h.ceiling, h.cap
          FROM unnest(keys, periods, period_starts, ceilings, caps) h(key, period, period_start, ceiling, cap) WHERE h.cap IS NOT NULL
      ) i GROUP BY i.key, i.period, i.period_start OFFSET 0
    ) d
    WHERE s.key_id = d.key AND s.period = d.period AND s.period_start = d.period_start
      AND (d.cap IS NULL OR s.spent + d.paid + s.held + d.held <= d.cap)
    RETURNING s.key_id, d.items
  ), fits AS MATERIALIZED (
    -- Checked before the inserts, which would leave dead rows behind.
    SELECT (SELECT count(*) FROM ended) = cardinality(settled_requests)
      AND (SELECT ledger_total(s.items) FROM spent s)
        = (SELECT count(*) FROM ended e WHERE e.period IS NOT NULL) + cardinality(caps) - cardinality(array_positions(caps, NULL)) AS all_of_it
  ), charges AS (
    INSERT INTO charge (account_id, request_id, key_id, model, provider, provider_request_id, price_version, input_tokens, output_tokens,
      cached_input_tokens, reasoning_tokens, input_cost, output_cost, operator_loss, ceiling, late, period, period_start, outcome, streamed,
      estimated, paid_by, first_token_ms, provider_ms, at, cache_write_tokens, cache_write_1h_tokens, image_tokens, unbilled, kept)
    SELECT i.account, i.request, nullif(i.key, i.account), i.model, i.provider, i.provider_request_id, i.price_version, i.input_tokens, i.output_tokens,
      i.cached_input_tokens, i.reasoning_tokens, least(i.input_cost, i.paid), i.paid - least(i.input_cost, i.paid), i.due - i.paid, i.ceiling,
      false, i.hold_period, i.hold_start, i.outcome, i.streamed, i.estimated, i.paid_by, i.first_token_ms, i.provider_ms, at,
      i.cache_write_tokens, i.cache_write_1h_tokens, i.image_tokens, i.unbilled, i.kept
    FROM item i WHERE i.model IS NOT NULL AND (SELECT f.all_of_it FROM fits f)
  ), holds AS (
    INSERT INTO hold (request_id, account_id, key_id, model, ceiling, period, period_start, process_id, placed_at, deadline)
    SELECT h.request, h.account, h.key, h.model, h.ceiling, CASE WHEN h.cap IS NOT NULL THEN h.period END,
      CASE WHEN h.cap IS NOT NULL THEN h.period_start END, process, at, until
    FROM unnest(requests, accounts, keys, models, ceilings, caps, periods, period_starts)
      h(request, account, key, model, ceiling, cap, period, period_start)
    WHERE (SELECT f.all_of_it FROM fits f)
  )
  SELECT (SELECT string_agg(i.paid::text, E'\n' ORDER BY i.ord) FROM item i), f.all_of_it,
      CASE WHEN NOT f.all_of_it THEN (
        SELECT string_agg(o.account, ',') FROM (
          SELECT i.account FROM item i WHERE i.row_address IS NULL
          UNION SELECT h.account FROM unnest(accounts, keys, caps) h(account, key, cap)
            WHERE h.cap IS NOT NULL AND NOT EXISTS (SELECT FROM spent s WHERE s.key_id = h.key)
        ) o) END
    INTO settled, is_whole, in_the_way FROM fits f;
  IF NOT is_whole THEN RAISE SQLSTATE 'PP001' USING DETAIL = coalesce(in_the_way, ''); END IF;
  RETURN settled;
END $$;
