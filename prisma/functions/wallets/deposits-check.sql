-- The proof that deposits and the books agree.

-- Returns one row per violation, none when they agree. `ledger_check` proves the ledger itself. A deposit's transfers are found by their
-- names; `seq IS NULL` excludes the charges, which are far more.
CREATE OR REPLACE FUNCTION wallets_check_deposits()
RETURNS TABLE (invariant text, subject text, expected numeric, actual numeric) LANGUAGE sql AS $$
  WITH booked AS (
    SELECT d.id, d.state, d.amount, d.times_reversed,
      coalesce(sum(e.amount) FILTER (WHERE e.account_id = d.account_id), 0) AS of_customer,
      coalesce(sum(e.amount) FILTER (WHERE e.account_id = 'deposit_losses'), 0) AS of_operator,
      coalesce(sum(e.amount) FILTER (WHERE e.account_id = 'uncredited_deposits'), 0) AS uncredited,
      coalesce(sum(e.amount) FILTER (WHERE e.account_id = d.chain || '_chain'), 0) AS from_chain
    FROM deposit d
    CROSS JOIN LATERAL generate_series(0, d.times_reversed) AS life(number)
    CROSS JOIN LATERAL (SELECT d.id || CASE life.number WHEN 0 THEN '' ELSE '_again_' || life.number END AS credit) AS named
    CROSS JOIN LATERAL (VALUES (named.credit), ('small_' || named.credit), ('reversal_' || d.id || '_' || life.number)) AS own(transfer)
    LEFT JOIN ledger_entry e ON e.transfer_id = own.transfer AND e.seq IS NULL
    GROUP BY d.id
  )
  SELECT 'a deposit is its customer''s while it is credited, and only then', b.id,
      CASE b.state WHEN 'credited' THEN b.amount ELSE 0 END, b.of_customer + b.of_operator
    FROM booked b WHERE b.of_customer + b.of_operator <> CASE b.state WHEN 'credited' THEN b.amount ELSE 0 END
  UNION ALL
  SELECT 'a deposit is in uncredited_deposits while it is below the minimum, and only then', b.id,
      CASE b.state WHEN 'below_minimum' THEN b.amount ELSE 0 END, b.uncredited
    FROM booked b WHERE b.uncredited <> CASE b.state WHEN 'below_minimum' THEN b.amount ELSE 0 END
  UNION ALL
  SELECT 'a deposit came from its chain while it is booked, and only then', b.id,
      CASE WHEN b.state IN ('credited', 'below_minimum') THEN -b.amount ELSE 0 END, b.from_chain
    FROM booked b WHERE b.from_chain <> CASE WHEN b.state IN ('credited', 'below_minimum') THEN -b.amount ELSE 0 END
  UNION ALL
  SELECT 'of a deposit the operator bears what was spent before it was reversed, and no more', b.id,
      greatest(least(b.of_operator, 0), -b.amount * b.times_reversed), b.of_operator
    FROM booked b WHERE b.of_operator NOT BETWEEN -b.amount * b.times_reversed AND 0
  UNION ALL
  SELECT 'what a chain brought in is its deposits and payments', chain.name, -coalesce(d.total, 0) - p.total, coalesce(e.total, 0)
    FROM (VALUES ('base'), ('solana')) AS chain(name)
    LEFT JOIN (
      SELECT chain, sum(amount * (times_reversed + CASE WHEN state IN ('credited', 'below_minimum') THEN 1 ELSE 0 END)) AS total
      FROM deposit GROUP BY chain
    ) d ON d.chain = chain.name
    LEFT JOIN (
      SELECT account_id, sum(amount) AS total FROM ledger_entry
      WHERE account_id IN ('base_chain', 'solana_chain') AND amount < 0 AND seq IS NULL GROUP BY account_id
    ) e ON e.account_id = chain.name || '_chain'
    -- The payments prove themselves.
    CROSS JOIN LATERAL (SELECT ledger_came_in(chain.name || '_chain', 'payment') AS total) p
    WHERE -coalesce(d.total, 0) - p.total <> coalesce(e.total, 0)
  UNION ALL
  -- Of two servers behind one address one may be some blocks behind the other.
  SELECT 'a deposit on Base is final only in a block that is', d.id, s.finalized, d.block
    FROM deposit d JOIN chain_scan s ON s.chain = d.chain WHERE d.chain = 'base' AND d.finalized AND d.block > s.finalized + 64
  UNION ALL
  SELECT 'uncredited_deposits is all that is below the minimum', 'uncredited_deposits', d.total, e.total
    FROM (SELECT coalesce(sum(amount), 0) AS total FROM deposit WHERE state = 'below_minimum') d,
      (SELECT coalesce(sum(amount), 0) AS total FROM ledger_entry WHERE account_id = 'uncredited_deposits' AND seq IS NULL) e
    WHERE d.total <> e.total
$$;
