-- The roll-up: revenue and the operator's losses, which requests do not touch, follow the charges.

-- The sequence number up to which every charge is committed. Waits for the batches under way, and only for those.
CREATE OR REPLACE FUNCTION ledger_roll_up_mark() RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(7305001);
  RETURN (SELECT coalesce(max(c.seq), 0) FROM charge c WHERE c.seq >= (SELECT coalesce(min(a.rolled_up_to), 0) FROM ledger_account a WHERE a.rolled_up_to IS NOT NULL));
END $$;

-- Adds the charges up to `mark` (from ledger_roll_up_mark, in a transaction before this one) to the accounts that they do
-- not touch themselves.
CREATE OR REPLACE FUNCTION ledger_roll_up(mark bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM 1 FROM ledger_account a WHERE a.rolled_up_to IS NOT NULL ORDER BY a.id FOR UPDATE;
  UPDATE ledger_account a SET
    posted = a.posted + coalesce((
      SELECT sum(CASE a.id WHEN 'revenue' THEN c.input_cost + c.output_cost + c.operator_loss ELSE -c.operator_loss END)
      FROM charge c WHERE c.seq > a.rolled_up_to AND c.seq <= mark), 0),
    rolled_up_to = greatest(a.rolled_up_to, mark)
  WHERE a.rolled_up_to IS NOT NULL AND a.rolled_up_to < mark;
END $$;
