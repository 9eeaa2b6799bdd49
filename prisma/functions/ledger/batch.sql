-- Many settlements and holds at once, as sets: the same rules as in holds.sql. A batch is decided as a whole or not at all. In the second
-- case PP001 is raised, with the accounts that sets cannot decide in its detail; these are decided item by item. Each account is changed
-- once, for all its settlements and holds, and that locks it; nothing is read before it is changed.

-- sum() of bigints returns numeric, which costs as much as reading the row.
CREATE OR REPLACE AGGREGATE ledger_total(bigint) (SFUNC = int8pl, STYPE = bigint, INITCOND = '0');

-- Pays and frees the ended holds, and sets money aside for the new ones; a release costs nothing. In id order, like ledger_lock_accounts:
-- two batches that share two accounts would otherwise deadlock.
CREATE OR REPLACE FUNCTION ledger_begin_batch(endings ledger_settlement[], asked ledger_hold_request[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  begun bigint;
  changed_accounts text[];
BEGIN
  WITH changed AS (
    UPDATE ledger_account a SET posted = a.posted - d.paid, held = a.held + d.held
    FROM (
      SELECT i.account, ledger_total(i.paid) AS paid, ledger_total(i.held) AS held, count(*) AS items
      FROM (
        SELECT s.account COLLATE "C" AS account, least(s.input_cost + s.output_cost, s.ceiling) AS paid, -s.ceiling AS held FROM unnest(endings) s
        UNION ALL SELECT h.account COLLATE "C", 0, h.ceiling FROM unnest(asked) h
      ) i GROUP BY i.account ORDER BY i.account OFFSET 0
    ) d
    WHERE a.id = d.account AND a.debt = 0 AND a.held + d.held >= 0 AND a.posted - d.paid >= a.held + d.held
    RETURNING a.id, d.items
  )
  SELECT ledger_total(c.items), array_agg(c.id) INTO begun, changed_accounts FROM changed c;
  IF begun < cardinality(endings) + cardinality(asked) OR EXISTS (SELECT FROM unnest(asked) h WHERE h.ceiling < 0) THEN
    RAISE SQLSTATE 'PP001' USING DETAIL = array_to_string(ARRAY(
      SELECT i.account FROM (
        SELECT s.account, NULL::bigint AS ceiling FROM unnest(endings) s UNION ALL SELECT h.account, h.ceiling FROM unnest(asked) h
      ) i WHERE i.account <> ALL (coalesce(changed_accounts, '{}')) OR i.ceiling < 0), ',');
  END IF;
END $$;

-- Ends and opens the holds of a batch that was begun, updates what the keys have spent and hold, and books the charges. `caps` is parallel
-- to `asked`; a hold without a cap has null. Returns a line for each ended hold: the amount paid. Call it after ledger_begin_charges.
CREATE OR REPLACE FUNCTION ledger_write_batch(
  endings ledger_settlement[], asked ledger_hold_request[], caps ledger_cap[], process text, at timestamptz, until timestamptz
) RETURNS text LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  amounts bigint[];
  periods text[];
  period_starts timestamptz[];
  is_whole boolean;
  in_the_way text;
BEGIN
  WITH item AS MATERIALIZED (
    SELECT i.account, i.ceiling, i.ordinality, o.*, least(i.input_cost + i.output_cost, i.ceiling) AS paid
    FROM unnest(endings) WITH ORDINALITY AS i
    -- Deleted below by their row's address: a join is planned as if few holds were open, and may read all of them for one batch.
    -- A lost answer costs its customer nothing; only the function for one item has that rule.
    LEFT JOIN LATERAL (
      SELECT h.ctid AS row_address, h.key_id AS hold_key, h.period AS hold_period, h.period_start AS hold_start
      FROM hold h WHERE h.request_id = i.request AND h.account_id = i.account AND h.ceiling = i.ceiling AND i.outcome IS DISTINCT FROM 'lost' OFFSET 0
    ) o ON true
  ), ended AS (
    DELETE FROM hold h WHERE h.ctid = ANY (ARRAY(SELECT i.row_address FROM item i)) RETURNING h.period
  ), wanted AS MATERIALIZED (
    SELECT h.* FROM unnest(asked, caps) h
  ), spent AS (
    -- The rule of ledger_cap_left, for all keys at once.
    UPDATE key_spend s SET spent = s.spent + d.paid, held = s.held + d.held
    FROM (
      SELECT i.key, i.period, i.period_start, ledger_total(i.paid) AS paid, ledger_total(i.held) AS held, max(i.cap) AS cap, count(*) AS items
      FROM (
        SELECT i.hold_key AS key, i.hold_period AS period, i.hold_start AS period_start, i.paid, -i.ceiling AS held, NULL::bigint AS cap
          FROM item i WHERE i.hold_period IS NOT NULL
        UNION ALL
        SELECT w.key, w.period, w.period_start, 0, w.ceiling, w.cap FROM wanted w WHERE w.cap IS NOT NULL
      ) i GROUP BY i.key, i.period, i.period_start OFFSET 0
    ) d
    WHERE s.key_id = d.key AND s.period = d.period AND s.period_start = d.period_start
      AND (d.cap IS NULL OR s.spent + d.paid + s.held + d.held <= d.cap)
    RETURNING s.key_id, d.items
  ), fits AS MATERIALIZED (
    -- Checked before the inserts, which would leave dead rows behind.
    SELECT (SELECT count(*) FROM ended) = cardinality(endings)
      AND (SELECT ledger_total(s.items) FROM spent s)
        = (SELECT count(*) FROM ended e WHERE e.period IS NOT NULL) + (SELECT count(*) FROM wanted w WHERE w.cap IS NOT NULL) AS all_of_it
  ), holds AS (
    INSERT INTO hold (request_id, account_id, key_id, model, ceiling, period, period_start, process_id, placed_at, deadline)
    SELECT w.request, w.account, w.key, w.model, w.ceiling, w.period, w.period_start, process, at, until
    FROM wanted w WHERE (SELECT f.all_of_it FROM fits f)
  )
  SELECT i.amounts, i.periods, i.starts, f.all_of_it,
      CASE WHEN NOT f.all_of_it THEN (
        SELECT string_agg(o.account, ',') FROM (
          SELECT i.account FROM item i WHERE i.row_address IS NULL
          UNION SELECT w.account FROM wanted w WHERE w.cap IS NOT NULL AND NOT EXISTS (SELECT FROM spent s WHERE s.key_id = w.key)
        ) o) END
    INTO amounts, periods, period_starts, is_whole, in_the_way
    FROM fits f CROSS JOIN (
      SELECT array_agg(i.paid ORDER BY i.ordinality) AS amounts, array_agg(i.hold_period ORDER BY i.ordinality) AS periods,
        array_agg(i.hold_start ORDER BY i.ordinality) AS starts
      FROM item i
    ) i;
  IF NOT is_whole THEN RAISE SQLSTATE 'PP001' USING DETAIL = coalesce(in_the_way, ''); END IF;
  IF cardinality(endings) > 0 THEN PERFORM ledger_book_charges(endings, amounts, periods, period_starts, false, at); END IF;
  RETURN array_to_string(amounts, E'\n');
END $$;
