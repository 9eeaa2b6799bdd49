-- Debts: the part of a reversal that could not be taken from an account because it was held for requests under way. The operator bears it
-- until the holds have ended; then it is taken, and only the amount missing then stays lost.

-- Takes back `amount` from a customer as far as it is free, records held money as a debt, and leaves the rest lost. The account must be
-- locked. The caller posts the amount taken, with the transfer `reversal`.
CREATE OR REPLACE FUNCTION ledger_reclaim(
  reversal text, customer text, loss text, amount bigint, at timestamptz, OUT taken bigint, OUT owed bigint
) LANGUAGE plpgsql AS $$
DECLARE
  found ledger_account;
BEGIN
  SELECT * INTO found FROM ledger_account a WHERE a.id = customer;
  taken := least(greatest(found.posted - found.held - found.debt, 0), amount);
  -- At most the amount that the holds can free.
  owed := least(amount - taken, greatest(found.held - found.debt, 0));
  IF owed > 0 THEN
    INSERT INTO debt (transfer_id, account_id, loss_id, amount, since) VALUES (reversal, customer, loss, owed, at);
    UPDATE ledger_account a SET debt = a.debt + owed WHERE a.id = customer;
  END IF;
END $$;

-- Takes the money that is now free for an account's debts, the oldest first, and gives it back to the account that bore the loss. Once
-- nothing is held any more, all debts end. Returns the amount of them that stays lost; null while debts remain.
CREATE OR REPLACE FUNCTION ledger_collect_debts(customer text, at timestamptz) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  owed debt;
  account ledger_account;
  taken bigint;
  lost bigint := 0;
BEGIN
  PERFORM ledger_lock_accounts(customer || ARRAY(SELECT DISTINCT d.loss_id FROM debt d WHERE d.account_id = customer));
  FOR owed IN SELECT * FROM debt d WHERE d.account_id = customer ORDER BY d.since, d.transfer_id LOOP
    SELECT * INTO account FROM ledger_account a WHERE a.id = customer;
    taken := least(account.posted - account.held, owed.amount);
    IF taken > 0 THEN
      -- Each part has a unique name: the amount still owed shrinks with each.
      PERFORM ledger_post('debt_' || owed.transfer_id || '_' || customer || '_' || owed.amount, 'debt', json_build_array(
        json_build_object('account', customer, 'amount', -taken), json_build_object('account', owed.loss_id, 'amount', taken)), at);
    END IF;
    IF taken = owed.amount OR account.held = 0 THEN
      DELETE FROM debt d WHERE d.transfer_id = owed.transfer_id AND d.account_id = customer;
      UPDATE ledger_account a SET debt = a.debt - owed.amount WHERE a.id = customer;
      lost := lost + owed.amount - taken;
    ELSIF taken > 0 THEN
      UPDATE debt d SET amount = d.amount - taken WHERE d.transfer_id = owed.transfer_id AND d.account_id = customer;
      UPDATE ledger_account a SET debt = a.debt - taken WHERE a.id = customer;
    END IF;
  END LOOP;
  RETURN CASE WHEN EXISTS (SELECT FROM debt d WHERE d.account_id = customer) THEN NULL ELSE lost END;
END $$;
