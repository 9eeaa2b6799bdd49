-- Deposits: what a chain shows of USDC that came in, and what the ledger is told of it.

-- Whoever shows these accounts' deposits reads them again.
CREATE OR REPLACE FUNCTION wallets_tell_deposits(account_ids text[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('deposits', changed.account_id) FROM (SELECT DISTINCT unnest(account_ids) AS account_id) AS changed;
END $$;

-- Writes down transfers that were found; one that is there already is only moved to where it is now.
-- transfers = [{"id", "accountId", "address", "amount", "block", "blockHash", "transaction", "place"}]
CREATE OR REPLACE FUNCTION wallets_add_deposits(on_chain text, transfers json, at timestamptz) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  changed text[];
BEGIN
  WITH written AS (
    INSERT INTO deposit AS d (id, chain, account_id, address, amount, block, block_hash, transaction, place, state, seen_at)
      SELECT f.id, on_chain, f."accountId", f.address, f.amount, f.block, f."blockHash", f.transaction, f.place, 'seen', at
      FROM json_to_recordset(transfers) AS f(id text, "accountId" text, address text, amount bigint, block integer, "blockHash" text,
        transaction text, place integer)
      ORDER BY f.id
    ON CONFLICT (id) DO UPDATE SET
      block = excluded.block, block_hash = excluded.block_hash, place = excluded.place, missing_since = NULL, finalized = false,
      state = CASE d.state WHEN 'reversed' THEN 'seen' ELSE d.state END,
      credited_at = CASE d.state WHEN 'reversed' THEN NULL ELSE d.credited_at END,
      reversed_at = NULL
    WHERE d.block_hash <> excluded.block_hash OR d.missing_since IS NOT NULL OR d.state = 'reversed'
    RETURNING d.account_id
  )
  SELECT array_agg(w.account_id) INTO changed FROM written w;
  PERFORM wallets_tell_deposits(changed);
END $$;

-- Writes what a range held, and moves on to its end. False, and nothing is written, when it does not follow on what was read.
CREATE OR REPLACE FUNCTION wallets_record_range(
  on_chain text, after_block integer, after_hash text, end_block integer, end_hash text, transfers json, at timestamptz
) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  UPDATE chain_scan s SET block = end_block, block_hash = end_hash
    WHERE s.chain = on_chain AND s.block = after_block AND s.block_hash = after_hash;
  IF NOT FOUND THEN RETURN false; END IF;
  INSERT INTO chain_scan_end (chain, block, block_hash) VALUES (on_chain, end_block, end_hash)
    ON CONFLICT (chain, block) DO UPDATE SET block_hash = excluded.block_hash;
  PERFORM wallets_add_deposits(on_chain, transfers, at);
  RETURN true;
END $$;

-- Writes what a second reading found up to `to_block`, which the first one may have missed.
CREATE OR REPLACE FUNCTION wallets_record_second_reading(on_chain text, to_block integer, transfers json, at timestamptz) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  UPDATE chain_scan s SET checked_block = to_block WHERE s.chain = on_chain AND s.checked_block < to_block AND s.block >= to_block;
  IF FOUND THEN
    PERFORM wallets_add_deposits(on_chain, transfers, at);
  END IF;
END $$;

-- Goes back to an end that is still on the chain: what was seen after it is missing until it is read again.
CREATE OR REPLACE FUNCTION wallets_walk_back(on_chain text, to_block integer, at timestamptz) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  changed text[];
BEGIN
  DELETE FROM chain_scan_end e WHERE e.chain = on_chain AND e.block > to_block;
  UPDATE chain_scan s SET block = e.block, block_hash = e.block_hash, foreign_block = least(s.foreign_block, to_block),
      checked_block = least(s.checked_block, to_block)
    FROM chain_scan_end e WHERE s.chain = on_chain AND e.chain = on_chain AND e.block = to_block;
  DELETE FROM foreign_token t WHERE t.chain = on_chain AND t.block > to_block;
  WITH written AS (
    UPDATE deposit d SET missing_since = at, finalized = false
      WHERE d.chain = on_chain AND d.finalized IN (true, false) AND d.block > to_block AND d.state <> 'reversed' AND d.missing_since IS NULL
      RETURNING d.account_id
  )
  SELECT array_agg(w.account_id) INTO changed FROM written w;
  PERFORM wallets_tell_deposits(changed);
END $$;

-- Credits deposits whose block is safe. Those of an address that has less than `least_amount` uncredited become the liability
-- of `uncredited_deposits`; once it has that much, they are credited too. Returns how many changed their state.
CREATE OR REPLACE FUNCTION wallets_credit_deposits(on_chain text, wanted text[], least_amount bigint, at timestamptz) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
  legs json;
  changed text[];
BEGIN
  WITH due AS (
    SELECT d.* FROM deposit d
    WHERE d.id = ANY (wanted) AND d.chain = on_chain AND d.state IN ('seen', 'confirming') AND d.missing_since IS NULL
  ), uncredited AS (
    SELECT * FROM due
    UNION ALL
    SELECT d.* FROM deposit d
    WHERE d.chain = on_chain AND d.address IN (SELECT address FROM due) AND d.state = 'below_minimum' AND d.missing_since IS NULL
  ), enough AS (
    SELECT u.address FROM uncredited u GROUP BY u.address HAVING sum(u.amount) >= least_amount
  ), moved AS (
    SELECT u.id, u.account_id, u.amount, e.address IS NOT NULL AS credited,
      CASE WHEN e.address IS NULL THEN 'small_' ELSE '' END || u.id
        || CASE WHEN u.times_reversed = 0 THEN '' ELSE '_again_' || u.times_reversed END AS transfer,
      CASE WHEN e.address IS NULL THEN 'uncredited_deposits' ELSE u.account_id END AS gains,
      CASE WHEN u.state = 'below_minimum' THEN 'uncredited_deposits' ELSE on_chain || '_chain' END AS loses
    FROM uncredited u LEFT JOIN enough e ON e.address = u.address
    WHERE e.address IS NOT NULL OR u.state <> 'below_minimum'
  ), written AS (
    UPDATE deposit d SET state = CASE WHEN m.credited THEN 'credited' ELSE 'below_minimum' END, credited_at = CASE WHEN m.credited THEN at END
      FROM moved m WHERE d.id = m.id RETURNING d.account_id
  )
  SELECT
    (SELECT json_agg(json_build_object('transfer', m.transfer, 'kind', 'credit', 'account', leg.account, 'amount', leg.amount))
      FROM moved m CROSS JOIN LATERAL (VALUES (m.gains, m.amount), (m.loses, -m.amount)) AS leg(account, amount)),
    (SELECT array_agg(w.account_id) FROM written w)
    INTO legs, changed;
  IF legs IS NULL THEN RETURN 0; END IF;
  PERFORM ledger_post_all(legs, at);
  PERFORM wallets_tell_deposits(changed);
  RETURN cardinality(changed);
END $$;

-- Ends deposits that went missing and did not come again. One that was booked is taken back once its old height is safe:
-- up to there it may stand in another block. Call it when the chain is read to its head. `lost` is what the customer had spent.
CREATE OR REPLACE FUNCTION wallets_reverse_missing(on_chain text, safe_block integer, at timestamptz)
RETURNS TABLE (account_id text, lost bigint) LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  gone deposit;
  due text[];
BEGIN
  due := ARRAY(
    SELECT d.id FROM deposit d
    WHERE d.chain = on_chain AND d.finalized = false AND d.missing_since IS NOT NULL
      AND (d.state IN ('seen', 'confirming') OR d.block <= safe_block)
    ORDER BY d.id LIMIT 1000);
  IF cardinality(due) = 0 THEN RETURN; END IF;
  PERFORM ledger_lock_accounts(
    ARRAY(SELECT d.account_id FROM deposit d WHERE d.id = ANY (due)) || ARRAY[on_chain || '_chain', 'uncredited_deposits', 'deposit_losses']);
  FOR gone IN SELECT * FROM deposit d WHERE d.id = ANY (due) ORDER BY d.id LOOP
    account_id := gone.account_id;
    lost := 0;
    IF gone.state = 'credited' THEN
      lost := ledger_take_back('reversal_' || gone.id || '_' || gone.times_reversed, gone.account_id, on_chain || '_chain',
        'deposit_losses', gone.amount, at);
    ELSIF gone.state = 'below_minimum' THEN
      PERFORM ledger_post('reversal_' || gone.id || '_' || gone.times_reversed, 'reversal', json_build_array(
        json_build_object('account', on_chain || '_chain', 'amount', gone.amount),
        json_build_object('account', 'uncredited_deposits', 'amount', -gone.amount)), at);
    END IF;
    UPDATE deposit d SET state = 'reversed', reversed_at = at, missing_since = NULL,
        times_reversed = d.times_reversed + CASE WHEN gone.state IN ('credited', 'below_minimum') THEN 1 ELSE 0 END
      WHERE d.id = gone.id;
    RETURN NEXT;
  END LOOP;
  PERFORM wallets_tell_deposits(ARRAY(SELECT d.account_id FROM deposit d WHERE d.id = ANY (due)));
END $$;

-- Writes the head down, and what follows from it: which deposits are confirming, which are final, and which ends of ranges
-- below `keep_from` are no longer needed (the highest of them is).
CREATE OR REPLACE FUNCTION wallets_note_head(on_chain text, latest_block integer, safe_block integer, final_block integer, keep_from integer)
RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  changed text[];
BEGIN
  UPDATE chain_scan s SET latest = latest_block, safe = safe_block, finalized = final_block
    WHERE s.chain = on_chain AND (s.latest, s.safe, s.finalized) IS DISTINCT FROM (latest_block, safe_block, final_block);
  IF NOT FOUND THEN RETURN; END IF;
  UPDATE deposit d SET state = 'confirming'
    WHERE d.chain = on_chain AND d.finalized = false AND d.state = 'seen' AND d.block < latest_block;
  WITH final AS (
    UPDATE deposit d SET finalized = true
      WHERE d.chain = on_chain AND d.finalized = false AND d.block <= final_block AND d.state IN ('credited', 'below_minimum')
        AND d.missing_since IS NULL
      RETURNING d.account_id
  )
  SELECT array_agg(f.account_id) INTO changed FROM final f;
  DELETE FROM chain_scan_end e WHERE e.chain = on_chain
    AND e.block < (SELECT max(k.block) FROM chain_scan_end k WHERE k.chain = on_chain AND k.block <= keep_from);
  -- Confirmations count up with every block.
  PERFORM wallets_tell_deposits(changed || ARRAY(
    SELECT d.account_id FROM deposit d WHERE d.chain = on_chain AND d.finalized = false AND d.state IN ('seen', 'confirming')));
END $$;
