-- Deposits: credited, and taken back when they leave their chain. Crediting and reversing lock customers' accounts, so each is one call that
-- commits on its own and checks the caller's lease; it returns null, and writes nothing, when another watcher has the lease.

-- Renews a watcher's lease, and prevents another from taking it before the transaction ends; false when another holder took it. A lapsed
-- lease that no other watcher took is still the caller's: otherwise a watcher slower than its lease would never finish.
CREATE OR REPLACE FUNCTION wallets_keep_lease(on_chain text, known_fence bigint, seconds double precision) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  UPDATE watch_lease l SET until = clock_timestamp() + make_interval(secs => seconds)
    WHERE l.chain = on_chain AND l.fence = known_fence;
  RETURN FOUND;
END $$;

-- Credits deposits whose block is safe. Deposits of an address with less than `min_amount` uncredited become the liability of
-- `uncredited_deposits`; once the address has that much, they are credited too. Returns how many changed their state.
CREATE OR REPLACE FUNCTION wallets_credit_deposits(
  on_chain text, lease_fence bigint, lease_seconds double precision, wanted text[], min_amount bigint, at timestamptz
) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
  legs json;
  changed integer;
BEGIN
  IF NOT wallets_keep_lease(on_chain, lease_fence, lease_seconds) THEN RETURN NULL; END IF;
  WITH due AS (
    SELECT d.* FROM deposit d
    WHERE d.id = ANY (wanted) AND d.chain = on_chain AND d.state IN ('seen', 'confirming') AND d.missing_since IS NULL
  ), uncredited AS (
    SELECT * FROM due
    UNION ALL
    SELECT d.* FROM deposit d
    WHERE d.chain = on_chain AND d.address IN (SELECT address FROM due) AND d.state = 'below_minimum' AND d.missing_since IS NULL
  ), enough AS (
    SELECT u.address FROM uncredited u GROUP BY u.address HAVING sum(u.amount) >= min_amount
  ), moved AS (
    SELECT u.id, u.account_id, u.amount, e.address IS NOT NULL AS credited,
      CASE WHEN e.address IS NULL THEN 'small_' ELSE '' END || u.id
        || CASE WHEN u.times_reversed = 0 THEN '' ELSE '_again_' || u.times_reversed END AS transfer,
      CASE WHEN e.address IS NULL THEN 'uncredited_deposits' ELSE u.account_id END AS gains,
      CASE WHEN u.state = 'below_minimum' THEN 'uncredited_deposits' ELSE on_chain || '_chain' END AS loses
    FROM uncredited u LEFT JOIN enough e ON e.address = u.address
    WHERE e.address IS NOT NULL OR u.state <> 'below_minimum'
  ), written AS (
    -- On Solana only final deposits are credited; they are never taken back.
    UPDATE deposit d SET state = CASE WHEN m.credited THEN 'credited' ELSE 'below_minimum' END,
        credited_at = CASE WHEN m.credited THEN at END, finalized = d.finalized OR on_chain = 'solana'
      FROM moved m WHERE d.id = m.id RETURNING d.id
  )
  SELECT
    (SELECT json_agg(json_build_object('transfer', m.transfer, 'kind', 'credit', 'account', leg.account, 'amount', leg.amount))
      FROM moved m CROSS JOIN LATERAL (VALUES (m.gains, m.amount), (m.loses, -m.amount)) AS leg(account, amount)),
    (SELECT count(*) FROM written w)
    INTO legs, changed;
  IF legs IS NULL THEN RETURN 0; END IF;
  PERFORM ledger_post_all(legs, at);
  RETURN changed;
END $$;

-- Ends deposits that went missing and did not reappear. A booked one is taken back only once its old height is safe: up to that point it
-- may reappear in another block. An account whose money was already spent is frozen. Call it when the chain is read to its head. Returns
-- [{"accountId", "lost": nano-USD as text, which the operator bears}], one for each deposit.
CREATE OR REPLACE FUNCTION wallets_reverse_missing(
  on_chain text, lease_fence bigint, lease_seconds double precision, safe_block integer, at timestamptz
) RETURNS json LANGUAGE plpgsql AS $$
DECLARE
  gone deposit;
  due text[];
  lost bigint;
  reversed json[] := '{}';
BEGIN
  IF NOT wallets_keep_lease(on_chain, lease_fence, lease_seconds) THEN RETURN NULL; END IF;
  due := ARRAY(
    SELECT d.id FROM deposit d
    WHERE d.chain = on_chain AND d.finalized = false AND d.missing_since IS NOT NULL
      AND (d.state IN ('seen', 'confirming') OR d.block <= safe_block)
    ORDER BY d.id LIMIT 1000);
  IF cardinality(due) = 0 THEN RETURN '[]'; END IF;
  PERFORM ledger_lock_accounts(
    ARRAY(SELECT d.account_id FROM deposit d WHERE d.id = ANY (due)) || ARRAY[on_chain || '_chain', 'uncredited_deposits', 'deposit_losses']);
  FOR gone IN SELECT * FROM deposit d WHERE d.id = ANY (due) ORDER BY d.id LOOP
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
    IF lost > 0 THEN PERFORM access_freeze_account(gone.account_id); END IF;
    reversed := reversed || json_build_object('accountId', gone.account_id, 'lost', lost::text);
  END LOOP;
  RETURN to_json(reversed);
END $$;

-- A text that changes with the newest deposits of an account, and with the confirmations of those that wait for them.
CREATE OR REPLACE FUNCTION wallets_deposits_mark(account text) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT concat_ws('.', count(*), sum(hashtextextended(concat_ws('|', d.id, d.state, d.block, d.finalized, d.missing_since,
    CASE WHEN d.state IN ('seen', 'confirming') THEN s.latest || '|' || s.safe END), 0)))
  FROM (SELECT * FROM deposit e WHERE e.account_id = account ORDER BY e.seen_at DESC, e.id DESC LIMIT 25) d
    LEFT JOIN chain_scan s ON s.chain = d.chain
$$;
