-- The spending of a key in the period that its cap counts.

-- Opens the spend row of a key's period, under the account's lock: for a cap that is set, or whose period is changed, after the key was
-- used. `counted` is the sum of its charges since `new_start`, up to the sequence number `known_up_to` (from ledger_roll_up_mark): the sum
-- may take a second, and is computed before, without the lock. The key's open holds count in the new period.
CREATE OR REPLACE FUNCTION ledger_open_key_spend(
  account text, key text, new_period text, new_start timestamptz, counted bigint, known_up_to bigint
) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  -- Once the account is locked, all its charges are committed; uncommitted ones belong to other accounts.
  up_to bigint;
BEGIN
  PERFORM ledger_lock_accounts(ARRAY[account]);
  up_to := (SELECT CASE WHEN s.is_called THEN s.last_value ELSE 0 END FROM charge_seq_seq s);
  UPDATE key_spend s SET held = 0 WHERE s.key_id = key AND s.held > 0;
  UPDATE hold h SET period = new_period, period_start = new_start WHERE h.account_id = account AND h.key_id = key;
  INSERT INTO key_spend AS s (key_id, period, period_start, spent, held, counted_up_to)
    SELECT key, new_period, new_start,
      -- Not by the account's index, which would read all of its charges: by sequence number, only those since `known_up_to` are read.
      counted + coalesce((
        SELECT sum(c.input_cost + c.output_cost) FROM charge c
        WHERE c.seq > known_up_to AND c.account_id || '' = account AND c.key_id = key AND c.at >= new_start), 0),
      coalesce((SELECT sum(h.ceiling) FROM hold h WHERE h.account_id = account AND h.key_id = key), 0), up_to
    ON CONFLICT (key_id, period, period_start) DO UPDATE
      SET spent = excluded.spent, held = excluded.held, counted_up_to = excluded.counted_up_to;
END $$;
