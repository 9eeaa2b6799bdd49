-- Solana: how far each token account is read.

-- Moves cursors, and credits what was found on the way, which is final. Returns how many deposits were credited, or kept as too
-- small; null when one of the cursors is not where it was: the caller's transaction must not be committed then.
-- readings = [{"tokenAccount", "afterSignature", "signature", "slot", "units", "checkedSignature", "checkedSlot", "checkedUnits",
--   "checkAt", "passed": [signatures]}], transfers as for wallets_add_deposits
CREATE OR REPLACE FUNCTION wallets_record_solana(readings json, transfers json, least_amount bigint, at timestamptz) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
  found text[] := ARRAY(SELECT f->>'id' FROM json_array_elements(transfers) AS f);
  moved integer;
  credited integer;
BEGIN
  INSERT INTO solana_cursor AS c
    (token_account, signature, slot, units, checked_signature, checked_slot, checked_units, check_at)
    SELECT r."tokenAccount", r.signature, r.slot, r.units, r."checkedSignature", r."checkedSlot", r."checkedUnits", r."checkAt"
    FROM json_to_recordset(readings) AS r("tokenAccount" text, "afterSignature" text, signature text, slot integer, units bigint,
      "checkedSignature" text, "checkedSlot" integer, "checkedUnits" bigint, "checkAt" timestamptz)
  ON CONFLICT (token_account) DO UPDATE SET
    signature = excluded.signature, slot = excluded.slot, units = excluded.units, checked_signature = excluded.checked_signature,
    checked_slot = excluded.checked_slot, checked_units = excluded.checked_units, check_at = excluded.check_at
  WHERE c.signature IS NOT DISTINCT FROM (
    SELECT r->>'afterSignature' FROM json_array_elements(readings) AS r WHERE r->>'tokenAccount' = excluded.token_account);
  GET DIAGNOSTICS moved = ROW_COUNT;
  IF moved <> json_array_length(readings) THEN RETURN NULL; END IF;
  -- What was seen before it was final may have run otherwise, as an exchange does, or not at all.
  UPDATE deposit d SET amount = f.amount
    FROM json_to_recordset(transfers) AS f(id text, amount bigint)
    WHERE d.id = f.id AND d.amount <> f.amount AND d.state NOT IN ('credited', 'below_minimum');
  UPDATE deposit d SET missing_since = at
    FROM json_to_recordset(readings) AS r(address text, passed json)
    WHERE d.chain = 'solana' AND d.finalized = false AND d.address = r.address AND d.missing_since IS NULL
      AND d.transaction IN (SELECT json_array_elements_text(r.passed)) AND d.id <> ALL (found);
  PERFORM wallets_add_deposits('solana', transfers, at);
  credited := wallets_credit_deposits('solana', found, least_amount, at);
  UPDATE deposit d SET finalized = true WHERE d.id = ANY (found) AND d.finalized = false AND d.state IN ('credited', 'below_minimum');
  RETURN credited;
END $$;

-- Writes down what is confirmed and not final yet, to be shown. What is booked stays as it is; what was given up stays so as long
-- as it comes with the slot that it had.
CREATE OR REPLACE FUNCTION wallets_see_on_solana(transfers json, at timestamptz) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM wallets_add_deposits('solana', (
    SELECT coalesce(json_agg(f), '[]') FROM json_array_elements(transfers) AS f
    WHERE NOT EXISTS (
      SELECT 1 FROM deposit d
      WHERE d.id = f->>'id' AND (d.state IN ('credited', 'below_minimum') OR (d.state = 'reversed' AND d.block_hash = f->>'blockHash')))
  ), at);
END $$;

-- Ends a round: what was confirmed and is `lost` is given up, the head is written down, and how far all accounts were read.
-- Returns how many deposits were given up.
CREATE OR REPLACE FUNCTION wallets_end_solana_round(latest_slot integer, final_slot integer, read_slot integer, lost text[], at timestamptz)
RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
  given_up integer;
BEGIN
  UPDATE deposit d SET missing_since = at
    WHERE d.id = ANY (lost) AND d.state IN ('seen', 'confirming') AND d.missing_since IS NULL;
  -- Only what was never booked is missing here: what is final stays.
  SELECT count(*) INTO given_up FROM wallets_reverse_missing('solana', final_slot, at);
  UPDATE chain_scan s SET block = read_slot, block_hash = read_slot::text WHERE s.chain = 'solana' AND s.block < read_slot;
  PERFORM wallets_note_head('solana', latest_slot, final_slot, final_slot, final_slot);
  RETURN given_up;
END $$;

-- Writes down what these owners hold outside of their own accounts, in place of what they held.
-- held = [{"tokenAccount", "mint", "owner", "accountId", "units"}]
CREATE OR REPLACE FUNCTION wallets_list_foreign_on_solana(owners text[], held json, at timestamptz) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM solana_foreign_token t
    WHERE t.owner = ANY (owners) AND t.token_account NOT IN (SELECT h->>'tokenAccount' FROM json_array_elements(held) AS h);
  INSERT INTO solana_foreign_token (token_account, mint, owner, account_id, units, seen_at)
    SELECT h."tokenAccount", h.mint, h.owner, h."accountId", h.units, at
    FROM json_to_recordset(held) AS h("tokenAccount" text, mint text, owner text, "accountId" text, units numeric)
  ON CONFLICT (token_account) DO UPDATE SET owner = excluded.owner, account_id = excluded.account_id, units = excluded.units;
END $$;
