-- Debts of deposits and payments that were reversed.

-- Collects the money that is now free for an account's debts, like ledger_collect_debts. An account that has less than it owes once nothing
-- is held any more is frozen in the same commit. Returns the amount of the debts that stays lost; null while debts remain.
CREATE OR REPLACE FUNCTION wallets_collect_debts(customer text, at timestamptz) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  lost bigint := ledger_collect_debts(customer, at);
BEGIN
  IF lost > 0 THEN PERFORM access_freeze_account(customer); END IF;
  RETURN lost;
END $$;
