-- Debts of what came in over a chain and went again.

-- Collects what is free by now for an account's debts, as ledger_collect_debts. An account that has less than it owes when nothing is
-- held any more is frozen in the same commit. Returns what stays lost of them; null while some remain.
CREATE OR REPLACE FUNCTION wallets_collect_debts(customer text, at timestamptz) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  lost bigint := ledger_collect_debts(customer, at);
BEGIN
  IF lost > 0 THEN PERFORM access_freeze_account(customer); END IF;
  RETURN lost;
END $$;
