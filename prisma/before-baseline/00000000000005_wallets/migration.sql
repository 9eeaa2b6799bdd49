-- wallets: where customers' money comes in. Owns the seed's public half, addresses made ahead, and who was given which.

-- One row: which seed this database's addresses come from. Another one is refused.
CREATE TABLE custody (
  id boolean PRIMARY KEY DEFAULT true CHECK (id),
  -- BIP-32 fingerprint of the seed's master key.
  fingerprint text COLLATE "C" NOT NULL,
  -- Public half of m/44'/60'/0'/0: every Base address follows from it.
  xpub text COLLATE "C" NOT NULL,
  -- The Solana mint that the token accounts are for.
  usdc_mint text COLLATE "C" NOT NULL,
  -- The operator's own addresses of the seed: where swept USDC goes, who pays for gas on Base, and for payments on Solana.
  treasury_base text COLLATE "C" NOT NULL,
  treasury_solana text COLLATE "C" NOT NULL,
  relayer_base text COLLATE "C" NOT NULL,
  sponsor_solana text COLLATE "C" NOT NULL,
  -- The first index that has never been made.
  next_index integer NOT NULL DEFAULT 0 CHECK (next_index >= 0),
  created_at timestamptz NOT NULL
);

-- Addresses that the signer made ahead, since Solana's cannot be derived without the seed. A row is deleted as it is taken.
CREATE TABLE address_pool (
  derivation_index integer PRIMARY KEY CHECK (derivation_index >= 0),
  base_address text COLLATE "C" NOT NULL,
  solana_owner text COLLATE "C" NOT NULL,
  solana_token_account text COLLATE "C" NOT NULL,
  -- The signer's signature over the four, which the xpub verifies: nobody else can put addresses here.
  attestation bytea NOT NULL
);

CREATE TABLE custodial_wallet (
  account_id text COLLATE "C" PRIMARY KEY,
  derivation_index integer NOT NULL CHECK (derivation_index >= 0),
  base_address text COLLATE "C" NOT NULL,
  solana_owner text COLLATE "C" NOT NULL,
  solana_token_account text COLLATE "C" NOT NULL,
  attestation bytea NOT NULL,
  created_at timestamptz NOT NULL
);
CREATE UNIQUE INDEX custodial_wallet_derivation_index_key ON custodial_wallet (derivation_index);
CREATE UNIQUE INDEX custodial_wallet_base_address_key ON custodial_wallet (base_address);
CREATE UNIQUE INDEX custodial_wallet_solana_owner_key ON custodial_wallet (solana_owner);
CREATE UNIQUE INDEX custodial_wallet_solana_token_account_key ON custodial_wallet (solana_token_account);

-- The account's wallet, which takes the first free row of the pool when it has none; no row when the pool is empty.
-- The lock lets ten first calls of one account wait for the first, instead of each taking a row.
CREATE FUNCTION wallets_open_wallet(account text, at timestamptz) RETURNS SETOF custodial_wallet LANGUAGE plpgsql ROWS 1 AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended('wallet of ' || account, 0));
  RETURN QUERY SELECT w.* FROM custodial_wallet w WHERE w.account_id = account;
  IF FOUND THEN RETURN; END IF;
  RETURN QUERY
    WITH taken AS (
      DELETE FROM address_pool p
      WHERE p.derivation_index = (SELECT f.derivation_index FROM address_pool f ORDER BY f.derivation_index LIMIT 1 FOR UPDATE SKIP LOCKED)
      RETURNING p.*
    )
    INSERT INTO custodial_wallet AS w (account_id, derivation_index, base_address, solana_owner, solana_token_account, attestation, created_at)
    SELECT account, t.derivation_index, t.base_address, t.solana_owner, t.solana_token_account, t.attestation, at FROM taken t
    RETURNING w.*;
END $$;

-- Adds addresses from `from_index` on, one for each place of the parallel arrays. Whoever comes second with the same
-- `from_index` adds none and is told so by false.
CREATE FUNCTION wallets_add_addresses(
  seed_fingerprint text, from_index integer, base_addresses text[], solana_owners text[], token_accounts text[], attestations bytea[]
) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  UPDATE custody c SET next_index = c.next_index + cardinality(base_addresses)
    WHERE c.next_index = from_index AND c.fingerprint = seed_fingerprint;
  IF NOT FOUND THEN RETURN false; END IF;
  INSERT INTO address_pool (derivation_index, base_address, solana_owner, solana_token_account, attestation)
    SELECT from_index + i.ord - 1, i.base_address, i.solana_owner, i.token_account, i.attestation
    FROM unnest(base_addresses, solana_owners, token_accounts, attestations)
      WITH ORDINALITY AS i(base_address, solana_owner, token_account, attestation, ord);
  RETURN true;
END $$;

-- USDC that came in at an account's address. Its money is the ledger's: `state` says what the ledger was told.
CREATE TABLE deposit (
  -- Made of transaction, receiver and amount: a transfer keeps its name when a reorganisation moves it to another block.
  id text COLLATE "C" PRIMARY KEY,
  chain text COLLATE "C" NOT NULL CHECK (chain IN ('base', 'solana')),
  account_id text COLLATE "C" NOT NULL,
  address text COLLATE "C" NOT NULL,
  -- nano-USD
  amount bigint NOT NULL CHECK (amount > 0),
  -- Where it was seen last.
  block integer NOT NULL CHECK (block >= 0),
  block_hash text COLLATE "C" NOT NULL,
  transaction text COLLATE "C" NOT NULL,
  -- Among the logs of its block.
  place integer NOT NULL CHECK (place >= 0),
  -- confirming: a block has followed. below_minimum: ours to keep until its address has the minimum.
  state text COLLATE "C" NOT NULL CHECK (state IN ('seen', 'confirming', 'credited', 'below_minimum', 'reversed')),
  -- Its block is final: the money can leave again.
  finalized boolean NOT NULL DEFAULT false,
  -- Its block is no longer on the chain, and it was not found in another one since.
  missing_since timestamptz,
  -- How often the ledger took it back; it may come again after that.
  times_reversed integer NOT NULL DEFAULT 0 CHECK (times_reversed >= 0),
  seen_at timestamptz NOT NULL,
  credited_at timestamptz,
  reversed_at timestamptz,
  CONSTRAINT credited_when_its_state_says_so CHECK (state = 'reversed' OR (state = 'credited') = (credited_at IS NOT NULL)),
  CONSTRAINT reversed_when_its_state_says_so CHECK ((state = 'reversed') = (reversed_at IS NOT NULL)),
  CONSTRAINT only_what_is_booked_is_final CHECK (NOT finalized OR (state IN ('credited', 'below_minimum') AND missing_since IS NULL)),
  CONSTRAINT what_is_reversed_is_no_longer_missed CHECK (state <> 'reversed' OR missing_since IS NULL)
);
CREATE INDEX deposit_account_id_seen_at_id_idx ON deposit (account_id, seen_at, id);
CREATE INDEX deposit_chain_finalized_block_idx ON deposit (chain, finalized, block);
CREATE INDEX deposit_chain_address_idx ON deposit (chain, address);

-- One row a chain: the last block that was read, and the chain's head when it was.
CREATE TABLE chain_scan (
  chain text COLLATE "C" PRIMARY KEY CHECK (chain IN ('base', 'solana')),
  block integer NOT NULL CHECK (block >= 0),
  block_hash text COLLATE "C" NOT NULL,
  latest integer NOT NULL CHECK (latest >= 0),
  safe integer NOT NULL CHECK (safe >= 0),
  finalized integer NOT NULL CHECK (finalized >= 0),
  -- Up to here the chain was read a second time, once it was final.
  checked_block integer NOT NULL CHECK (checked_block BETWEEN 0 AND block),
  -- Up to here other tokens were looked for.
  foreign_block integer NOT NULL CHECK (foreign_block BETWEEN 0 AND block)
);

-- The last block of each range that was read: as long as it is on the chain, what was read up to it stands.
CREATE TABLE chain_scan_end (
  chain text COLLATE "C" NOT NULL CHECK (chain IN ('base', 'solana')),
  block integer NOT NULL CHECK (block >= 0),
  block_hash text COLLATE "C" NOT NULL,
  PRIMARY KEY (chain, block)
);

-- Other tokens that came in at our addresses: the operator sees them, nobody is credited.
CREATE TABLE foreign_token (
  chain text COLLATE "C" NOT NULL CHECK (chain IN ('base', 'solana')),
  transaction text COLLATE "C" NOT NULL,
  place integer NOT NULL CHECK (place >= 0),
  token text COLLATE "C" NOT NULL,
  sender text COLLATE "C" NOT NULL,
  address text COLLATE "C" NOT NULL,
  account_id text COLLATE "C" NOT NULL,
  -- The token's own.
  units numeric(78, 0) NOT NULL CHECK (units > 0),
  block integer NOT NULL CHECK (block >= 0),
  seen_at timestamptz NOT NULL,
  PRIMARY KEY (chain, transaction, place)
);
CREATE INDEX foreign_token_chain_block_idx ON foreign_token (chain, block);

-- Who watches a chain. Times are the database's own: the clocks of two processes need not agree.
CREATE TABLE watch_lease (
  chain text COLLATE "C" PRIMARY KEY CHECK (chain IN ('base', 'solana')),
  holder text COLLATE "C" NOT NULL,
  -- Rises whenever the lease changes hands or lapses; every write of a watcher names it.
  fence bigint NOT NULL CHECK (fence > 0),
  until timestamptz NOT NULL
);

-- The lease's fence when it is the holder's now, null when somebody else has it.
CREATE FUNCTION wallets_take_lease(on_chain text, new_holder text, seconds double precision) RETURNS bigint LANGUAGE sql AS $$
  INSERT INTO watch_lease AS l (chain, holder, fence, until)
    VALUES (on_chain, new_holder, 1, clock_timestamp() + make_interval(secs => seconds))
  ON CONFLICT (chain) DO UPDATE SET holder = excluded.holder, until = excluded.until,
    fence = CASE WHEN l.holder = excluded.holder AND l.until > clock_timestamp() THEN l.fence ELSE l.fence + 1 END
  WHERE l.holder = excluded.holder OR l.until <= clock_timestamp()
  RETURNING l.fence
$$;

-- False when the lease went to somebody else. Renews it, and lets nobody take it before the transaction ends. One that lapsed and
-- that nobody took is still the caller's: else who is slower than a lease lasts would never come to an end.
CREATE FUNCTION wallets_keep_lease(on_chain text, known_fence bigint, seconds double precision) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  UPDATE watch_lease l SET until = clock_timestamp() + make_interval(secs => seconds)
    WHERE l.chain = on_chain AND l.fence = known_fence;
  RETURN FOUND;
END $$;

-- Whoever shows these accounts' deposits reads them again.
CREATE FUNCTION wallets_tell_deposits(account_ids text[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('deposits', changed.account_id) FROM (SELECT DISTINCT unnest(account_ids) AS account_id) AS changed;
END $$;

-- Writes down transfers that were found; one that is there already is only moved to where it is now.
-- transfers = [{"id", "accountId", "address", "amount", "block", "blockHash", "transaction", "place"}]
CREATE FUNCTION wallets_add_deposits(on_chain text, transfers json, at timestamptz) RETURNS void LANGUAGE plpgsql AS $$
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
CREATE FUNCTION wallets_record_range(
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
CREATE FUNCTION wallets_record_second_reading(on_chain text, to_block integer, transfers json, at timestamptz) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  UPDATE chain_scan s SET checked_block = to_block WHERE s.chain = on_chain AND s.checked_block < to_block AND s.block >= to_block;
  IF FOUND THEN
    PERFORM wallets_add_deposits(on_chain, transfers, at);
  END IF;
END $$;

-- Goes back to an end that is still on the chain: what was seen after it is missing until it is read again.
CREATE FUNCTION wallets_walk_back(on_chain text, to_block integer, at timestamptz) RETURNS void LANGUAGE plpgsql AS $$
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
CREATE FUNCTION wallets_credit_deposits(on_chain text, wanted text[], least_amount bigint, at timestamptz) RETURNS integer LANGUAGE plpgsql AS $$
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
CREATE FUNCTION wallets_reverse_missing(on_chain text, safe_block integer, at timestamptz)
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
CREATE FUNCTION wallets_note_head(on_chain text, latest_block integer, safe_block integer, final_block integer, keep_from integer)
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

-- Proves that deposits and the ledger tell the same; returns one row per violation, none when they do. `ledger_check` proves the
-- ledger in itself. A deposit's transfers are known by their names; `seq IS NULL` leaves the charges out, which are many more.
CREATE FUNCTION wallets_check_deposits()
RETURNS TABLE (invariant text, subject text, expected numeric, actual numeric) LANGUAGE sql AS $$
  WITH booked AS (
    SELECT d.id, d.state, d.amount, d.times_reversed,
      coalesce(sum(e.amount) FILTER (WHERE e.account_id = d.account_id), 0) AS of_customer,
      coalesce(sum(e.amount) FILTER (WHERE e.account_id = 'deposit_losses'), 0) AS of_operator,
      coalesce(sum(e.amount) FILTER (WHERE e.account_id = 'uncredited_deposits'), 0) AS uncredited,
      coalesce(sum(e.amount) FILTER (WHERE e.account_id = d.chain || '_chain'), 0) AS from_chain
    FROM deposit d
    CROSS JOIN LATERAL generate_series(0, d.times_reversed) AS life(number)
    CROSS JOIN LATERAL (SELECT d.id || CASE life.number WHEN 0 THEN '' ELSE '_again_' || life.number END AS credit) AS named
    CROSS JOIN LATERAL (VALUES (named.credit), ('small_' || named.credit), ('reversal_' || d.id || '_' || life.number)) AS own(transfer)
    LEFT JOIN ledger_entry e ON e.transfer_id = own.transfer AND e.seq IS NULL
    GROUP BY d.id
  )
  SELECT 'a deposit is its customer''s while it is credited, and only then', b.id,
      CASE b.state WHEN 'credited' THEN b.amount ELSE 0 END, b.of_customer + b.of_operator
    FROM booked b WHERE b.of_customer + b.of_operator <> CASE b.state WHEN 'credited' THEN b.amount ELSE 0 END
  UNION ALL
  SELECT 'a deposit is in uncredited_deposits while it is below the minimum, and only then', b.id,
      CASE b.state WHEN 'below_minimum' THEN b.amount ELSE 0 END, b.uncredited
    FROM booked b WHERE b.uncredited <> CASE b.state WHEN 'below_minimum' THEN b.amount ELSE 0 END
  UNION ALL
  SELECT 'a deposit came from its chain while it is booked, and only then', b.id,
      CASE WHEN b.state IN ('credited', 'below_minimum') THEN -b.amount ELSE 0 END, b.from_chain
    FROM booked b WHERE b.from_chain <> CASE WHEN b.state IN ('credited', 'below_minimum') THEN -b.amount ELSE 0 END
  UNION ALL
  SELECT 'of a deposit the operator bears what was spent before it was reversed, and no more', b.id,
      greatest(least(b.of_operator, 0), -b.amount * b.times_reversed), b.of_operator
    FROM booked b WHERE b.of_operator NOT BETWEEN -b.amount * b.times_reversed AND 0
  UNION ALL
  SELECT 'what a chain brought in is its deposits and payments', chain.name, -coalesce(d.total, 0) - p.total, coalesce(e.total, 0)
    FROM (VALUES ('base'), ('solana')) AS chain(name)
    LEFT JOIN (
      SELECT chain, sum(amount * (times_reversed + CASE WHEN state IN ('credited', 'below_minimum') THEN 1 ELSE 0 END)) AS total
      FROM deposit GROUP BY chain
    ) d ON d.chain = chain.name
    LEFT JOIN (
      SELECT account_id, sum(amount) AS total FROM ledger_entry
      WHERE account_id IN ('base_chain', 'solana_chain') AND amount < 0 AND seq IS NULL GROUP BY account_id
    ) e ON e.account_id = chain.name || '_chain'
    -- Whoever takes payments proves them.
    CROSS JOIN LATERAL (SELECT ledger_came_in(chain.name || '_chain', 'payment') AS total) p
    WHERE -coalesce(d.total, 0) - p.total <> coalesce(e.total, 0)
  UNION ALL
  SELECT 'uncredited_deposits is all that is below the minimum', 'uncredited_deposits', d.total, e.total
    FROM (SELECT coalesce(sum(amount), 0) AS total FROM deposit WHERE state = 'below_minimum') d,
      (SELECT coalesce(sum(amount), 0) AS total FROM ledger_entry WHERE account_id = 'uncredited_deposits' AND seq IS NULL) e
    WHERE d.total <> e.total
$$;
