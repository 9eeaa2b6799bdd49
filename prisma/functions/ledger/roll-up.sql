-- The roll-up adds charges to revenue and to the operator's losses, accounts that requests do not touch.

-- The sequence number up to which every charge is committed. Waits only for the batches under way. Under the lock it reads nothing but the
-- sequence, so that batches that arrive meanwhile do not wait for long.
CREATE OR REPLACE FUNCTION ledger_roll_up_mark() RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(7305001);
  RETURN (SELECT CASE WHEN s.is_called THEN s.last_value ELSE 0 END FROM charge_seq_seq s);
END $$;

-- Adds charges up to `mark` (from ledger_roll_up_mark, in an earlier transaction) to the accounts that charges do not touch themselves, at
-- most `most` sequence numbers per call. Returns the sequence number up to which all of them are rolled up now.
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
