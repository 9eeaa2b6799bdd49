-- ledger_write_batch reads the holds that end once, by their request's id, and ends them by their place. Joined to the batch's items, the
-- delete was planned as if few holds were open (mostly none is when statistics are gathered), and read all of them for every batch.

-- Ends and opens the holds of a batch that was begun, with what the accounts' keys spend and hold, and books the charges. A place of
-- `details` is null for who is released. Returns a line for each hold that ended: what was paid, or
-- (released,,). After ledger_begin_charges.
CREATE OR REPLACE FUNCTION ledger_write_batch(
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
    SELECT i.*, o.*, i.input_cost + i.output_cost AS due, least(i.input_cost + i.output_cost, i.ceiling) AS paid
    FROM ROWS FROM (
      unnest(settled_requests), unnest(settled_accounts), unnest(settled_keys), unnest(settled_ceilings), unnest(input_costs), unnest(output_costs),
      unnest(details)
    ) WITH ORDINALITY AS i (
      request, account, key, ceiling, input_cost, output_cost, model, provider, price_version, input_tokens, output_tokens, cached_input_tokens,
      reasoning_tokens, outcome, streamed, estimated, paid_by, first_token_ms, provider_ms, period, period_start, ord
    )
    -- By its place afterwards: a join is planned as if few holds were open, and may read them all for one batch.
    LEFT JOIN LATERAL (
      SELECT h.ctid AS place, h.key_id AS hold_key, h.period AS hold_period, h.period_start AS hold_start
      FROM hold h WHERE h.request_id = i.request AND h.account_id = i.account AND h.ceiling = i.ceiling OFFSET 0
    ) o ON true
  ), ended AS (
    DELETE FROM hold h WHERE h.ctid = ANY (ARRAY(SELECT i.place FROM item i)) RETURNING h.period
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
