-- The roll-up: revenue and the operator's losses, which requests do not touch, follow the charges.

-- The sequence number up to which every charge is committed. Waits for the batches under way, and only for those; under the lock
-- nothing is read but the sequence itself, so that none of those that come meanwhile waits for long.
CREATE OR REPLACE FUNCTION ledger_roll_up_mark() RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(7305001);
  RETURN (SELECT CASE WHEN s.is_called THEN s.last_value ELSE 0 END FROM charge_seq_seq s);
END $$;

-- Adds charges up to `mark` (from ledger_roll_up_mark, in a transaction before this one) to the accounts that they do not touch
-- themselves, `most` sequence numbers at a time. Returns up to which charge all of them are rolled up now.
CREATE OR REPLACE FUNCTION ledger_roll_up(mark bigint, most bigint) RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
  PERFORM 1 FROM ledger_account a WHERE a.rolled_up_to IS NOT NULL ORDER BY a.id FOR UPDATE;
  UPDATE ledger_account a SET
    posted = a.posted + coalesce((
      SELECT sum(CASE a.id WHEN 'revenue' THEN c.input_cost + c.output_cost + c.operator_loss ELSE -c.operator_loss END)
      FROM charge c WHERE c.seq > a.rolled_up_to AND c.seq <= least(mark, a.rolled_up_to + most)), 0),
    rolled_up_to = least(mark, a.rolled_up_to + most)
  WHERE a.rolled_up_to IS NOT NULL AND a.rolled_up_to < mark;
  RETURN (SELECT min(a.rolled_up_to) FROM ledger_account a WHERE a.rolled_up_to IS NOT NULL);
END $$;
