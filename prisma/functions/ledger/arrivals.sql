-- Arrivals: money that came in with a transaction on a chain, and that a reorganisation may undo until its block is final.

-- ledger_post for money that came in over a chain, in a block that is not final yet.
CREATE OR REPLACE FUNCTION ledger_post_arrival(
  transfer text, transfer_kind text, account text, funding text, amount bigint, in_block integer, at timestamptz
) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  IF NOT ledger_post(transfer, transfer_kind, json_build_array(
    json_build_object('account', account, 'amount', amount), json_build_object('account', funding, 'amount', -amount)), at) THEN
    RETURN false;
  END IF;
  INSERT INTO arrival (transfer_id, account_id, funding_id, amount, block) VALUES (transfer, account, funding, amount, in_block);
  RETURN true;
END $$;

-- Records the arrival's present block. An arrival that is final stays final. False when there is no such arrival, or it was taken back.
CREATE OR REPLACE FUNCTION ledger_note_arrival(transfer text, in_block integer, is_final boolean) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  -- Wait for a transaction that is moving it: the next statement then sees where it went.
  PERFORM 1 FROM arrival a WHERE a.transfer_id = transfer ORDER BY a.account_id FOR UPDATE;
  UPDATE arrival a SET block = in_block, finalized = is_final
    WHERE a.transfer_id = transfer AND NOT a.finalized AND (a.block, a.finalized) IS DISTINCT FROM (in_block, is_final);
  RETURN EXISTS (SELECT 1 FROM arrival a WHERE a.transfer_id = transfer);
END $$;

-- Money of an account, spent or not, that came in and is not final. It must not leave.
CREATE OR REPLACE FUNCTION ledger_unfinal(account text) RETURNS bigint LANGUAGE sql STABLE AS $$
  SELECT coalesce(sum(a.amount), 0)::bigint FROM arrival a WHERE a.account_id = account AND NOT a.finalized
$$;

-- The block is the same for every account that has a part of the arrival.
CREATE OR REPLACE FUNCTION ledger_find_arrival(transfer text) RETURNS TABLE (block integer, finalized boolean) LANGUAGE sql STABLE ROWS 1 AS $$
  SELECT min(a.block), bool_and(a.finalized) FROM arrival a WHERE a.transfer_id = transfer HAVING count(*) > 0
$$;

-- Money that came in over a chain in final blocks above `height`.
CREATE OR REPLACE FUNCTION ledger_arrived_above(funding text, height integer) RETURNS bigint LANGUAGE sql STABLE AS $$
  SELECT coalesce(sum(a.amount), 0)::bigint FROM arrival a WHERE a.funding_id = funding AND a.finalized AND a.block > height
$$;

-- Moves everything that one customer has available to another, and with it the latest arrivals: while an arrival may still be undone, it
-- must be found where its money is. Returns the amount; zero, and nothing is written, when nothing is available.
CREATE OR REPLACE FUNCTION ledger_move_available(transfer text, transfer_kind text, from_account text, to_account text, at timestamptz)
RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  moved bigint;
BEGIN
  -- Most have nothing available: then no account is locked.
  IF NOT EXISTS (SELECT 1 FROM ledger_account a WHERE a.id = from_account AND a.posted - a.held - a.debt > 0) THEN RETURN 0; END IF;
  PERFORM ledger_lock_accounts(ARRAY[from_account, to_account]);
  SELECT a.posted - a.held - a.debt INTO moved FROM ledger_account a WHERE a.id = from_account;
  IF coalesce(moved, 0) <= 0 THEN RETURN 0; END IF;
  IF NOT ledger_post(transfer, transfer_kind, json_build_array(
    json_build_object('account', from_account, 'amount', -moved), json_build_object('account', to_account, 'amount', moved)), at) THEN
    RETURN 0;
  END IF;
  PERFORM 1 FROM arrival a WHERE a.account_id = from_account ORDER BY a.transfer_id FOR UPDATE;
  -- From the least certain on: so at every height of the chain, the moved money includes as much as possible of the money from above it.
  WITH share AS (
    SELECT l.transfer_id, least(l.amount, moved - l.before) AS amount FROM (
      SELECT a.transfer_id, a.amount,
        coalesce(sum(a.amount) OVER (ORDER BY a.finalized, a.block DESC, a.transfer_id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) AS before
      FROM arrival a WHERE a.account_id = from_account
    ) l WHERE l.before < moved
  ), whole AS (
    DELETE FROM arrival a USING share s WHERE a.transfer_id = s.transfer_id AND a.account_id = from_account AND a.amount = s.amount
  ), part AS (
    UPDATE arrival a SET amount = a.amount - s.amount FROM share s
      WHERE a.transfer_id = s.transfer_id AND a.account_id = from_account AND a.amount > s.amount
  )
  INSERT INTO arrival AS has (transfer_id, account_id, funding_id, amount, block, finalized)
    SELECT a.transfer_id, to_account, a.funding_id, s.amount, a.block, a.finalized
    FROM arrival a JOIN share s ON s.transfer_id = a.transfer_id WHERE a.account_id = from_account
    ON CONFLICT (transfer_id, account_id) DO UPDATE SET amount = has.amount + excluded.amount;
  RETURN moved;
END $$;

-- Takes back an arrival whose transaction is not on its chain and cannot be included any more. From every account that has a part of it:
-- the available money now, held money as soon as it is free again, and the rest from `loss`. Returns a row for each account that had a
-- part, with the amount lost for good, not counting debts; no row, and nothing is changed, when it was taken back before.
CREATE OR REPLACE FUNCTION ledger_take_back_arrival(reversal text, transfer text, loss text, at timestamptz)
RETURNS TABLE (account_id text, lost bigint) LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  funding text := (SELECT min(a.funding_id) FROM arrival a WHERE a.transfer_id = transfer);
  holders text[];
  amount bigint;
  taken bigint;
  owed bigint;
  total bigint := 0;
  all_lost bigint := 0;
  legs jsonb := '[]';
BEGIN
  LOOP
    holders := ARRAY(SELECT a.account_id FROM arrival a WHERE a.transfer_id = transfer ORDER BY a.account_id);
    IF cardinality(holders) = 0 THEN RETURN; END IF;
    BEGIN
      PERFORM ledger_lock_accounts(holders || ARRAY[funding, loss]);
      EXIT WHEN holders = ARRAY(SELECT a.account_id FROM arrival a WHERE a.transfer_id = transfer ORDER BY a.account_id);
      RAISE serialization_failure;
    EXCEPTION WHEN serialization_failure THEN
      -- It moved to another account. The locks are released, to be taken in order with the new ones.
      NULL;
    END;
  END LOOP;
  IF EXISTS (SELECT 1 FROM arrival a WHERE a.transfer_id = transfer AND a.finalized) THEN
    RAISE EXCEPTION 'arrival % is final: it can not be taken back', transfer;
  END IF;
  FOR account_id, amount IN SELECT a.account_id, a.amount FROM arrival a WHERE a.transfer_id = transfer ORDER BY a.account_id LOOP
    SELECT r.taken, r.owed INTO taken, owed FROM ledger_reclaim(reversal, account_id, loss, amount, at) r;
    legs := legs || jsonb_build_object('account', account_id, 'amount', -taken);
    total := total + amount;
    all_lost := all_lost + amount - taken;
    lost := amount - taken - owed;
    RETURN NEXT;
  END LOOP;
  legs := legs || jsonb_build_object('account', funding, 'amount', total) || jsonb_build_object('account', loss, 'amount', -all_lost);
  IF NOT ledger_post(reversal, 'reversal', (SELECT json_agg(leg) FROM jsonb_array_elements(legs) leg WHERE leg->>'amount' <> '0'), at) THEN
    RAISE EXCEPTION 'arrival % was taken back already', transfer;
  END IF;
  DELETE FROM arrival a WHERE a.transfer_id = transfer;
END $$;
