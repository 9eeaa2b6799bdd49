-- withdrawals: customers' money on its way out. What a withdrawal costs leaves its customer as it is asked for, lies in
-- `withdrawal_pending` while it is open, and ends once: paid out on its chain, or back with the customer.

CREATE TABLE withdrawal (
  id text COLLATE "C" PRIMARY KEY,
  account_id text COLLATE "C" NOT NULL,
  chain text COLLATE "C" NOT NULL,
  -- A wallet of the account's: lower-case hex on Base, base58 on Solana.
  destination text COLLATE "C" NOT NULL,
  -- nano-USD: what arrives, and what the customer pays beside it.
  amount bigint NOT NULL,
  fee bigint NOT NULL,
  -- The fee is for a token account of the destination's too, which Solana asks rent for.
  opens_account boolean NOT NULL,
  -- With the fields above, these are the whole text that the owner signed.
  nonce text COLLATE "C" NOT NULL,
  issued_at timestamptz NOT NULL,
  valid_until timestamptz NOT NULL,
  -- The wallet that signed it: evm | solana, as identities are stored.
  signer_chain text COLLATE "C" NOT NULL,
  signer_address text COLLATE "C" NOT NULL,
  signature text COLLATE "C" NOT NULL,
  state text COLLATE "C" NOT NULL,
  -- How often a payout of it was signed.
  attempt integer NOT NULL DEFAULT 0,
  -- On Base: from then on the last attempt's authorization counts for nothing.
  valid_before timestamptz,
  -- Why an approved one is not signed yet.
  waits_for text COLLATE "C",
  -- On its chain, of the last attempt.
  transaction text COLLATE "C",
  -- Why it was refused, or failed.
  reason text,
  requested_at timestamptz NOT NULL,
  approved_at timestamptz,
  signed_at timestamptz,
  confirmed_at timestamptz,
  ended_at timestamptz,
  CONSTRAINT withdrawal_chain_check CHECK (CASE chain
    WHEN 'base' THEN destination ~ '^0x[0-9a-f]{40}$' AND NOT opens_account
    WHEN 'solana' THEN destination ~ '^[1-9A-HJ-NP-Za-km-z]{32,44}$'
    ELSE false END),
  -- Whole units of USDC: a chain moves nothing smaller.
  CONSTRAINT withdrawal_amount_check CHECK (amount > 0 AND fee >= 0 AND amount % 1000 = 0 AND fee % 1000 = 0),
  CONSTRAINT withdrawal_nonce_check CHECK (nonce ~ '^[0-9A-Za-z]{22}$'),
  CONSTRAINT withdrawal_time_check CHECK (issued_at < valid_until AND requested_at < valid_until),
  CONSTRAINT withdrawal_state_check CHECK (CASE
    WHEN state = 'awaiting_approval' THEN approved_at IS NULL AND attempt = 0 AND ended_at IS NULL
    WHEN state = 'approved' THEN approved_at IS NOT NULL AND ended_at IS NULL
    WHEN state IN ('signed', 'sent', 'confirmed') THEN attempt > 0 AND signed_at IS NOT NULL AND waits_for IS NULL AND ended_at IS NULL
    WHEN state = 'final' THEN attempt > 0 AND confirmed_at IS NOT NULL AND ended_at IS NOT NULL
    WHEN state IN ('cancelled', 'refused', 'failed') THEN ended_at IS NOT NULL
    ELSE false END)
);
-- A signed text is an order once.
CREATE UNIQUE INDEX withdrawal_nonce_key ON withdrawal (nonce);
CREATE INDEX withdrawal_account_id_requested_at_id_idx ON withdrawal (account_id, requested_at, id);
CREATE INDEX withdrawal_state_requested_at_idx ON withdrawal (state, requested_at);

-- Since when a wallet is the account's, and whether the account began with it; no row when it is not the account's.
CREATE FUNCTION access_linked_wallet(account text, on_chain text, of_address text)
RETURNS TABLE (linked_at timestamptz, is_first boolean) LANGUAGE sql STABLE ROWS 1 AS $$
  SELECT i.linked_at, i.is_first FROM identity i WHERE i.chain = on_chain AND i.address = of_address AND i.account_id = account
$$;

-- What a customer can spend now.
CREATE FUNCTION ledger_available(account text) RETURNS bigint LANGUAGE sql STABLE AS $$
  SELECT coalesce((SELECT a.posted - a.held FROM ledger_account a WHERE a.id = account), 0)
$$;

CREATE FUNCTION ledger_posted(account text) RETURNS bigint LANGUAGE sql STABLE AS $$
  SELECT coalesce((SELECT a.posted FROM ledger_account a WHERE a.id = account), 0)
$$;

-- What a transfer, which never changes, moved to or from an account; null when it did not.
CREATE FUNCTION ledger_moved(transfer text, account text) RETURNS bigint LANGUAGE sql STABLE AS $$
  SELECT e.amount FROM entry e WHERE e.transfer_id = transfer AND e.account_id = account
$$;

-- The wallets of an account are evm and solana; on Base, evm ones are paid.
CREATE FUNCTION wallets_kind_on(chain text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE chain WHEN 'base' THEN 'evm' ELSE chain END
$$;

CREATE FUNCTION wallets_is_open(state text) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
  SELECT state NOT IN ('final', 'cancelled', 'refused', 'failed')
$$;

-- Whoever shows this account's withdrawals reads them again.
CREATE FUNCTION wallets_tell_withdrawals(account text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('withdrawals', account);
END $$;

-- What of an account's money can leave: what is available, less what came in with a block that is not final yet, as a deposit or
-- as a payment.
CREATE FUNCTION wallets_withdrawable(account text) RETURNS bigint LANGUAGE sql STABLE AS $$
  SELECT greatest(0, ledger_available(account) - ledger_unfinal(account) - coalesce((
    SELECT sum(d.amount) FROM deposit d WHERE d.account_id = account AND d.state = 'credited' AND NOT d.finalized), 0))::bigint
$$;

-- nano-USD that were asked for in the 24 hours before `at` and not given back; of all accounts when `account` is null.
CREATE FUNCTION wallets_withdrawn_in_a_day(account text, at timestamptz) RETURNS bigint LANGUAGE sql STABLE AS $$
  SELECT coalesce(sum(w.amount), 0)::bigint FROM withdrawal w
  WHERE w.requested_at > at - interval '24 hours' AND w.state NOT IN ('cancelled', 'refused', 'failed')
    AND (account IS NULL OR w.account_id = account)
$$;

-- Takes an order and its money, or does nothing and says why. Outcomes: requested; already (the same order again); nonce_used;
-- expired; frozen; destination_not_linked; destination_too_new (`since` = when it may be paid); signer_not_linked;
-- too_many_open; insufficient (`most` = what could leave); account_limit, service_limit (`most` = what is left of it).
-- wanted = the order's fields; held_against = nano-USD, a count and seconds.
CREATE FUNCTION wallets_request_withdrawal(wanted json, held_against json, at timestamptz)
RETURNS TABLE (outcome text, id text, most bigint, since timestamptz) LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  w record;
  rules record;
  known withdrawal;
  linked record;
  account_day bigint;
BEGIN
  SELECT * INTO w FROM json_to_record(wanted) AS o(id text, "accountId" text, chain text, destination text, amount bigint, fee bigint,
    "opensAccount" boolean, nonce text, "issuedAt" timestamptz, "validUntil" timestamptz, "signerChain" text, "signerAddress" text, signature text);
  SELECT * INTO rules FROM json_to_record(held_against)
    AS r("accountDaily" bigint, "serviceDaily" bigint, "approvalAbove" bigint, "mostOpen" integer, "linkedSeconds" integer);
  PERFORM ledger_open_account('withdrawal_pending', 'liability', at);
  -- Orders of all accounts come one after the other: the service's limit, the nonce and the balance are decided under these locks.
  PERFORM ledger_lock_accounts(ARRAY[w."accountId", 'withdrawal_pending']);
  SELECT * INTO known FROM withdrawal k WHERE k.nonce = w.nonce;
  IF FOUND THEN
    id := known.id;
    outcome := CASE WHEN (known.account_id, known.chain, known.destination, known.amount, known.fee, known.opens_account, known.issued_at, known.valid_until)
        = (w."accountId", w.chain, w.destination, w.amount, w.fee, w."opensAccount", w."issuedAt", w."validUntil")
      THEN 'already' ELSE 'nonce_used' END;
    RETURN NEXT; RETURN;
  END IF;
  IF w."validUntil" <= at THEN outcome := 'expired'; RETURN NEXT; RETURN; END IF;
  IF access_is_frozen(w."accountId") THEN outcome := 'frozen'; RETURN NEXT; RETURN; END IF;
  SELECT * INTO linked FROM access_linked_wallet(w."accountId", wallets_kind_on(w.chain), w.destination);
  IF NOT FOUND THEN outcome := 'destination_not_linked'; RETURN NEXT; RETURN; END IF;
  since := linked.linked_at + make_interval(secs => rules."linkedSeconds");
  IF NOT linked.is_first AND since > at THEN outcome := 'destination_too_new'; RETURN NEXT; RETURN; END IF;
  since := NULL;
  PERFORM 1 FROM access_linked_wallet(w."accountId", w."signerChain", w."signerAddress");
  IF NOT FOUND THEN outcome := 'signer_not_linked'; RETURN NEXT; RETURN; END IF;
  IF (SELECT count(*) FROM withdrawal o WHERE o.account_id = w."accountId" AND wallets_is_open(o.state)) >= rules."mostOpen" THEN
    outcome := 'too_many_open'; RETURN NEXT; RETURN;
  END IF;
  most := wallets_withdrawable(w."accountId");
  IF most < w.amount + w.fee THEN outcome := 'insufficient'; RETURN NEXT; RETURN; END IF;
  account_day := wallets_withdrawn_in_a_day(w."accountId", at);
  most := greatest(0, rules."accountDaily" - account_day);
  IF most < w.amount THEN outcome := 'account_limit'; RETURN NEXT; RETURN; END IF;
  most := greatest(0, rules."serviceDaily" - wallets_withdrawn_in_a_day(NULL, at));
  IF most < w.amount THEN outcome := 'service_limit'; RETURN NEXT; RETURN; END IF;
  most := NULL;
  INSERT INTO withdrawal (id, account_id, chain, destination, amount, fee, opens_account, nonce, issued_at, valid_until, signer_chain,
      signer_address, signature, state, requested_at, approved_at)
    VALUES (w.id, w."accountId", w.chain, w.destination, w.amount, w.fee, w."opensAccount", w.nonce, w."issuedAt", w."validUntil",
      w."signerChain", w."signerAddress", w.signature,
      -- What an account takes out in a day is counted together: many small ones would go round the line else.
      CASE WHEN account_day + w.amount > rules."approvalAbove" THEN 'awaiting_approval' ELSE 'approved' END, at,
      CASE WHEN account_day + w.amount > rules."approvalAbove" THEN NULL ELSE at END);
  IF NOT ledger_post('withdrawal_' || w.id, 'withdrawal', json_build_array(
    json_build_object('account', w."accountId", 'amount', -(w.amount + w.fee)),
    json_build_object('account', 'withdrawal_pending', 'amount', w.amount + w.fee)), at) THEN
    RAISE EXCEPTION 'withdrawal % is in the books already', w.id;
  END IF;
  PERFORM wallets_tell_withdrawals(w."accountId");
  outcome := 'requested';
  id := w.id;
  RETURN NEXT;
END $$;

-- Ends a withdrawal that was not paid, in one of these states, and gives back what the books say it took. `owner` null: any
-- account's. False, and nothing is changed, when it is in another state, or not the owner's.
CREATE FUNCTION wallets_return_withdrawal(wanted text, owner text, from_states text[], to_state text, why text, at timestamptz)
RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  customer text := (SELECT w.account_id FROM withdrawal w WHERE w.id = wanted AND (owner IS NULL OR w.account_id = owner));
  taken bigint;
BEGIN
  IF customer IS NULL THEN RETURN false; END IF;
  PERFORM ledger_lock_accounts(ARRAY[customer, 'withdrawal_pending']);
  UPDATE withdrawal w SET state = to_state, reason = why, waits_for = NULL, ended_at = at
    WHERE w.id = wanted AND w.account_id = customer AND w.state = ANY (from_states);
  IF NOT FOUND THEN RETURN false; END IF;
  -- Not the row's own amounts: what was booked can not have been changed since.
  taken := ledger_moved('withdrawal_' || wanted, 'withdrawal_pending');
  IF taken IS NULL OR ledger_moved('withdrawal_' || wanted, customer) IS DISTINCT FROM -taken THEN
    RAISE EXCEPTION 'withdrawal % is not in the books of account %', wanted, customer;
  END IF;
  -- Whatever the row says now.
  IF ledger_moved('payout_' || wanted, 'withdrawal_pending') IS NOT NULL THEN
    RAISE EXCEPTION 'withdrawal % was paid out already', wanted;
  END IF;
  IF NOT ledger_post('withdrawal_return_' || wanted, 'withdrawal_return', json_build_array(
    json_build_object('account', customer, 'amount', taken),
    json_build_object('account', 'withdrawal_pending', 'amount', -taken)), at) THEN
    RAISE EXCEPTION 'withdrawal % was given back already', wanted;
  END IF;
  PERFORM wallets_tell_withdrawals(customer);
  RETURN true;
END $$;

-- False when it does not wait for approval.
CREATE FUNCTION wallets_approve_withdrawal(wanted text, at timestamptz) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  customer text;
BEGIN
  UPDATE withdrawal w SET state = 'approved', approved_at = at WHERE w.id = wanted AND w.state = 'awaiting_approval' AND w.valid_until > at
    RETURNING w.account_id INTO customer;
  IF customer IS NULL THEN RETURN false; END IF;
  PERFORM wallets_tell_withdrawals(customer);
  RETURN true;
END $$;

-- Notes why an approved withdrawal is not signed yet.
CREATE FUNCTION wallets_delay_withdrawal(wanted text, why text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  customer text;
BEGIN
  UPDATE withdrawal w SET waits_for = why WHERE w.id = wanted AND w.state = 'approved' AND w.waits_for IS DISTINCT FROM why
    RETURNING w.account_id INTO customer;
  IF customer IS NOT NULL THEN PERFORM wallets_tell_withdrawals(customer); END IF;
END $$;

-- What keeps a withdrawal from being signed at this moment, decided from the rows: expired, frozen, unlinked; null when nothing does.
CREATE FUNCTION wallets_withdrawal_obstacle(wanted text, at timestamptz) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT CASE
    WHEN w.valid_until <= at THEN 'expired'
    WHEN access_is_frozen(w.account_id) THEN 'frozen'
    WHEN NOT EXISTS (SELECT 1 FROM access_linked_wallet(w.account_id, wallets_kind_on(w.chain), w.destination))
      OR NOT EXISTS (SELECT 1 FROM access_linked_wallet(w.account_id, w.signer_chain, w.signer_address)) THEN 'unlinked'
  END
  FROM withdrawal w WHERE w.id = wanted
$$;

-- approved -> signed, in the transaction that stores the signed bytes. False when somebody was faster, or it may not be paid any more.
CREATE FUNCTION wallets_sign_withdrawal(wanted text, new_attempt integer, dead_from timestamptz, at timestamptz)
RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  customer text;
BEGIN
  UPDATE withdrawal w SET state = 'signed', attempt = new_attempt, valid_before = dead_from, waits_for = NULL, transaction = NULL,
      signed_at = at, confirmed_at = NULL
    WHERE w.id = wanted AND w.state = 'approved' AND w.attempt = new_attempt - 1 AND wallets_withdrawal_obstacle(wanted, at) IS NULL
    RETURNING w.account_id INTO customer;
  IF customer IS NULL THEN RETURN false; END IF;
  PERFORM wallets_tell_withdrawals(customer);
  RETURN true;
END $$;

-- Follows an attempt on its chain: sent, confirmed, and back to sent when its block left the chain.
CREATE FUNCTION wallets_follow_withdrawal(wanted text, of_attempt integer, to_state text, hash text, at timestamptz)
RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  customer text;
BEGIN
  UPDATE withdrawal w SET state = to_state, transaction = coalesce(hash, w.transaction), confirmed_at = CASE to_state WHEN 'confirmed' THEN at END
    WHERE w.id = wanted AND w.attempt = of_attempt AND w.state IN ('signed', 'sent', 'confirmed') AND to_state IN ('sent', 'confirmed')
      AND (w.state <> to_state OR w.transaction IS DISTINCT FROM coalesce(hash, w.transaction))
    RETURNING w.account_id INTO customer;
  IF customer IS NOT NULL THEN PERFORM wallets_tell_withdrawals(customer); END IF;
END $$;

-- An attempt that can never be carried out any more: back to approved, for another one. False when it is not under way.
CREATE FUNCTION wallets_retry_withdrawal(wanted text, of_attempt integer) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  customer text;
BEGIN
  UPDATE withdrawal w SET state = 'approved', transaction = NULL, confirmed_at = NULL
    WHERE w.id = wanted AND w.attempt = of_attempt AND w.state IN ('signed', 'sent', 'confirmed')
    RETURNING w.account_id INTO customer;
  IF customer IS NULL THEN RETURN false; END IF;
  PERFORM wallets_tell_withdrawals(customer);
  RETURN true;
END $$;

-- Paid, and final on its chain: the pending money becomes the chain's, and the fee revenue. `hash` null: by a transaction that we do
-- not know. False when it was done before.
CREATE FUNCTION wallets_finish_withdrawal(wanted text, of_attempt integer, hash text, at timestamptz) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  paid withdrawal;
BEGIN
  SELECT * INTO paid FROM withdrawal w WHERE w.id = wanted;
  PERFORM ledger_open_account(paid.chain || '_chain', 'funding', at);
  PERFORM ledger_lock_accounts(ARRAY[paid.chain || '_chain', 'revenue', 'withdrawal_pending']);
  UPDATE withdrawal w SET state = 'final', transaction = hash, confirmed_at = coalesce(w.confirmed_at, at), ended_at = at
    WHERE w.id = wanted AND w.attempt = of_attempt AND w.state IN ('signed', 'sent', 'confirmed');
  IF NOT FOUND THEN RETURN false; END IF;
  IF ledger_moved('withdrawal_' || wanted, 'withdrawal_pending') IS DISTINCT FROM paid.amount + paid.fee THEN
    RAISE EXCEPTION 'withdrawal % was booked with another amount than it has now', wanted;
  END IF;
  IF NOT ledger_post('payout_' || wanted, 'payout', (
    SELECT json_agg(json_build_object('account', leg.account, 'amount', leg.amount))
    FROM (VALUES ('withdrawal_pending', -(paid.amount + paid.fee)), (paid.chain || '_chain', paid.amount), ('revenue', paid.fee))
      AS leg(account, amount) WHERE leg.amount <> 0), at) THEN
    RAISE EXCEPTION 'withdrawal % was paid out already', wanted;
  END IF;
  PERFORM wallets_tell_withdrawals(paid.account_id);
  RETURN true;
END $$;

-- Proves the books of withdrawals; returns one row per violation.
CREATE FUNCTION wallets_check_withdrawals() RETURNS TABLE (invariant text, subject text, expected numeric, actual numeric) LANGUAGE sql AS $$
  SELECT 'what is pending equals the open withdrawals', 'withdrawal_pending', o.total, ledger_posted('withdrawal_pending')::numeric
    FROM (SELECT coalesce(sum(w.amount + w.fee), 0) AS total FROM withdrawal w WHERE wallets_is_open(w.state)) o
    WHERE o.total <> ledger_posted('withdrawal_pending')
  UNION ALL
  SELECT 'a withdrawal is booked with its amount and fee', w.id, w.amount + w.fee, coalesce(ledger_moved('withdrawal_' || w.id, 'withdrawal_pending'), 0)
    FROM withdrawal w WHERE ledger_moved('withdrawal_' || w.id, 'withdrawal_pending') IS DISTINCT FROM w.amount + w.fee
  UNION ALL
  SELECT 'a withdrawal that ended was paid out or given back, once', w.id, CASE WHEN wallets_is_open(w.state) THEN 0 ELSE 1 END,
      (ledger_moved('payout_' || w.id, 'withdrawal_pending') IS NOT NULL)::integer
        + (ledger_moved('withdrawal_return_' || w.id, 'withdrawal_pending') IS NOT NULL)::integer
    FROM withdrawal w
    WHERE (w.state = 'final') <> (ledger_moved('payout_' || w.id, 'withdrawal_pending') IS NOT NULL)
      OR (w.state IN ('cancelled', 'refused', 'failed')) <> (ledger_moved('withdrawal_return_' || w.id, 'withdrawal_pending') IS NOT NULL)
$$;
