-- payments: money that a wallet signed away with one request. A payment is claimed, settled on its chain and credited, each once
-- however often it comes.

CREATE TABLE payment_claim (
  id text COLLATE "C" PRIMARY KEY,
  -- proof | exact_evm | exact_svm
  scheme text COLLATE "C" NOT NULL CHECK (scheme IN ('proof', 'exact_evm', 'exact_svm')),
  -- CAIP-2; with its payer and the payer's nonce it names a payment for ever.
  network text COLLATE "C" NOT NULL,
  -- Lower-case hex on EVM chains, base58 on Solana.
  payer text COLLATE "C" NOT NULL,
  nonce text COLLATE "C" NOT NULL,
  -- nano-USD
  amount bigint NOT NULL,
  -- Of the key that it came with; null where none is asked for.
  account_id text COLLATE "C",
  key_id text COLLATE "C",
  idempotency_key text COLLATE "C",
  body_hash bytea NOT NULL,
  -- From then on its chain refuses it.
  valid_until timestamptz NOT NULL,
  -- What settling it needs.
  settlement jsonb NOT NULL,
  -- claimed | paid | covered (the payer's credit was enough, nothing was submitted) | failed (nothing moved) | reversed (its block is gone)
  state text COLLATE "C" NOT NULL CHECK (state IN ('claimed', 'paid', 'covered', 'failed', 'reversed')),
  -- Counts from 1; each has its own transaction in the relay.
  attempt integer NOT NULL DEFAULT 1 CHECK (attempt > 0),
  -- The attempt's transaction is stored in the relay.
  relayed boolean NOT NULL DEFAULT false,
  failure text COLLATE "C",
  failure_message text,
  credited_account text COLLATE "C",
  -- On its chain, as far as known.
  transaction text COLLATE "C",
  block integer,
  -- Nothing about it changes any more by itself.
  finalized boolean NOT NULL DEFAULT false,
  times_reversed integer NOT NULL DEFAULT 0,
  -- The last request that was held from it.
  request_id text COLLATE "C",
  claimed_at timestamptz NOT NULL,
  -- When somebody last asked for it: until a while after that, somebody waits for its outcome.
  wanted_at timestamptz NOT NULL,
  paid_at timestamptz,
  -- Whole units of USDC: a chain moves nothing smaller.
  CONSTRAINT payment_claim_amount_check CHECK (amount > 0 AND amount % 1000 = 0),
  CONSTRAINT payment_claim_state_of_money_check CHECK (CASE state
    WHEN 'paid' THEN credited_account IS NOT NULL AND transaction IS NOT NULL AND block IS NOT NULL AND paid_at IS NOT NULL
    WHEN 'covered' THEN credited_account IS NOT NULL
    WHEN 'failed' THEN failure IS NOT NULL
    ELSE true END)
);
CREATE UNIQUE INDEX payment_claim_network_payer_nonce_key ON payment_claim (network, payer, nonce);
CREATE UNIQUE INDEX payment_claim_account_id_idempotency_key_key ON payment_claim (account_id, idempotency_key);
CREATE INDEX payment_claim_account_id_request_id_idx ON payment_claim (account_id, request_id);
CREATE INDEX payment_claim_finalized_state_wanted_at_idx ON payment_claim (finalized, state, wanted_at);

CREATE FUNCTION payments_is_open_to_another(state text) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
  SELECT state IN ('failed', 'reversed')
$$;

-- A payer's credit is a customer's account of its own, named by the payer's address.
CREATE FUNCTION payments_credit_account(network text, payer text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT 'credit:' || network || ':' || payer
$$;

-- The account that money of `network` comes from.
CREATE FUNCTION payments_funding_account(network text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN network LIKE 'solana:%' THEN 'solana_chain' ELSE 'base_chain' END
$$;

-- The transfer of a claim's credit; one that was reversed and is paid after all has another.
CREATE FUNCTION payments_transfer(claim_id text, times_reversed integer) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT 'payment_' || claim_id || CASE times_reversed WHEN 0 THEN '' ELSE '_again_' || times_reversed END
$$;

-- Takes a payment for one request, or finds it taken. Outcomes: claimed; replayed (it was claimed for another request or account);
-- idempotency_mismatch (its Idempotency-Key is another payment's). wanted = the terms, amounts in nano-USD.
CREATE FUNCTION payments_claim(wanted json, at timestamptz) RETURNS TABLE (outcome text, is_new boolean, claim payment_claim)
LANGUAGE plpgsql ROWS 1 AS $$
DECLARE
  w record;
BEGIN
  SELECT * INTO w FROM json_to_record(wanted) AS t(id text, scheme text, network text, payer text, nonce text, amount bigint, "accountId" text,
    "keyId" text, "idempotencyKey" text, "bodyHash" text, "validUntil" timestamptz, settlement jsonb);
  is_new := false;
  LOOP
    INSERT INTO payment_claim (id, scheme, network, payer, nonce, amount, account_id, key_id, idempotency_key, body_hash, valid_until,
        settlement, state, claimed_at, wanted_at)
      VALUES (w.id, w.scheme, w.network, w.payer, w.nonce, w.amount, w."accountId", w."keyId", w."idempotencyKey", decode(w."bodyHash", 'hex'),
        w."validUntil", w.settlement, 'claimed', at, at)
      ON CONFLICT DO NOTHING RETURNING * INTO claim;
    IF FOUND THEN
      outcome := 'claimed';
      is_new := true;
      RETURN NEXT; RETURN;
    END IF;
    SELECT * INTO claim FROM payment_claim c WHERE c.network = w.network AND c.payer = w.payer AND c.nonce = w.nonce FOR UPDATE;
    EXIT WHEN FOUND;
    -- Of a payment that moved nothing the Idempotency-Key is free again.
    UPDATE payment_claim c SET idempotency_key = NULL
      WHERE c.account_id = w."accountId" AND c.idempotency_key = w."idempotencyKey" AND payments_is_open_to_another(c.state);
    IF NOT FOUND THEN
      outcome := 'idempotency_mismatch';
      RETURN NEXT; RETURN;
    END IF;
  END LOOP;
  -- What came without an account stays its first body's: a transaction that moved nothing shows its payment to everybody.
  IF (claim.scheme, claim.amount, claim.account_id) IS DISTINCT FROM (w.scheme, w.amount, w."accountId")
    OR (claim.body_hash <> decode(w."bodyHash", 'hex') AND (w."accountId" IS NULL OR NOT payments_is_open_to_another(claim.state))) THEN
    outcome := 'replayed';
    RETURN NEXT; RETURN;
  END IF;
  IF w."idempotencyKey" IS DISTINCT FROM claim.idempotency_key AND w."idempotencyKey" IS NOT NULL THEN
    IF NOT payments_is_open_to_another(claim.state)
      OR EXISTS (SELECT 1 FROM payment_claim c WHERE c.account_id = w."accountId" AND c.idempotency_key = w."idempotencyKey") THEN
      outcome := 'idempotency_mismatch';
      RETURN NEXT; RETURN;
    END IF;
  END IF;
  IF payments_is_open_to_another(claim.state) THEN
    is_new := true;
    UPDATE payment_claim c SET state = 'claimed', attempt = c.attempt + CASE WHEN c.relayed THEN 1 ELSE 0 END, relayed = false, failure = NULL,
        failure_message = NULL, credited_account = NULL, transaction = NULL, block = NULL, finalized = false, request_id = NULL, paid_at = NULL,
        key_id = w."keyId", idempotency_key = w."idempotencyKey", body_hash = decode(w."bodyHash", 'hex'), settlement = w.settlement,
        valid_until = greatest(c.valid_until, w."validUntil"), claimed_at = at, wanted_at = at
      WHERE c.id = claim.id RETURNING * INTO claim;
  ELSE
    UPDATE payment_claim c SET wanted_at = greatest(c.wanted_at, at) WHERE c.id = claim.id RETURNING * INTO claim;
  END IF;
  outcome := 'claimed';
  RETURN NEXT;
END $$;

-- An attempt's transaction is about to be stored, in the same commit. False when it is stored already, or the claim goes another way now.
CREATE FUNCTION payments_note_stored(claim_id text, of_attempt integer) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  UPDATE payment_claim c SET relayed = true WHERE c.id = claim_id AND c.attempt = of_attempt AND c.state = 'claimed' AND NOT c.relayed;
  RETURN FOUND;
END $$;

-- Its chain shows it as paid, before anybody has credited it: whoever waits in another process is told so.
CREATE FUNCTION payments_note_seen(claim_id text, in_transaction text, in_block integer) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  UPDATE payment_claim c SET transaction = in_transaction, block = in_block
    WHERE c.id = claim_id AND c.state = 'claimed' AND (c.transaction, c.block) IS DISTINCT FROM (in_transaction, in_block);
END $$;

-- An attempt moved nothing, and can not any more: the payment may be claimed anew. `was_relayed` false: it was never stored. False when
-- the claim goes another way by now.
CREATE FUNCTION payments_note_failed(claim_id text, of_attempt integer, was_relayed boolean, why text, message text) RETURNS boolean
LANGUAGE plpgsql AS $$
BEGIN
  UPDATE payment_claim c SET state = 'failed', failure = why, failure_message = message, transaction = NULL, block = NULL,
      -- What is in a block without effect may be in another one with it; what others can submit as well is looked for once its time is over.
      finalized = NOT was_relayed AND c.scheme = 'proof'
    WHERE c.id = claim_id AND c.attempt = of_attempt AND c.state = 'claimed' AND c.relayed = was_relayed;
  RETURN FOUND;
END $$;

-- Credits a payment that its chain shows, once: to the account that the payer is proved to be a wallet of, if the payment came with a
-- key of that account, otherwise to the payer's credit. Returns the account; the same again when it was credited before.
CREATE FUNCTION payments_credit(claim_id text, in_transaction text, in_block integer, at timestamptz) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  c payment_claim;
  account text;
BEGIN
  SELECT * INTO c FROM payment_claim p WHERE p.id = claim_id FOR UPDATE;
  IF NOT FOUND THEN RAISE EXCEPTION 'there is no payment %', claim_id; END IF;
  IF c.state = 'paid' THEN RETURN c.credited_account; END IF;
  account := payments_credit_account(c.network, c.payer);
  IF c.scheme = 'proof' AND access_owner_of('evm', c.payer) = c.account_id THEN account := c.account_id; END IF;
  PERFORM ledger_open_account(account, 'customer', at);
  PERFORM ledger_open_account(payments_funding_account(c.network), 'funding', at);
  IF NOT ledger_post_arrival(payments_transfer(c.id, c.times_reversed), 'payment', account, payments_funding_account(c.network), c.amount,
    in_block, at) THEN
    RAISE EXCEPTION 'payment % is in the books already', claim_id;
  END IF;
  UPDATE payment_claim p SET state = 'paid', credited_account = account, transaction = in_transaction, block = in_block, paid_at = at,
      failure = NULL, failure_message = NULL, finalized = false
    WHERE p.id = claim_id;
  RETURN account;
END $$;

-- The payer's credit pays for a request by itself: nothing is submitted. Returns the credit's account; null, and nothing is changed, when
-- the payment was submitted, or failed.
CREATE FUNCTION payments_cover(claim_id text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  account text;
BEGIN
  UPDATE payment_claim c SET state = 'covered', credited_account = payments_credit_account(c.network, c.payer)
    WHERE c.id = claim_id AND (c.state = 'covered' OR (c.state = 'claimed' AND NOT c.relayed AND c.transaction IS NULL))
    RETURNING c.credited_account INTO account;
  RETURN account;
END $$;

CREATE FUNCTION ledger_is_charged(account text, request text) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT EXISTS (SELECT 1 FROM charge c WHERE c.account_id = account AND c.request_id = request)
$$;

-- Its payer's credit is not enough any more, and nobody was answered: it may be submitted after all.
CREATE FUNCTION payments_uncover(claim_id text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  UPDATE payment_claim c SET state = 'claimed', credited_account = NULL
    WHERE c.id = claim_id AND c.state = 'covered' AND NOT ledger_is_charged(c.credited_account, c.request_id);
END $$;

-- Notes the request that was held from a payment.
CREATE FUNCTION payments_note_request(claim_id text, request text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  UPDATE payment_claim c SET request_id = request WHERE c.id = claim_id;
END $$;

-- Whether a request was answered and charged from it.
CREATE FUNCTION payments_is_served(claim_id text) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT EXISTS (SELECT 1 FROM payment_claim c WHERE c.id = claim_id AND ledger_is_charged(c.credited_account, c.request_id))
$$;

-- Where the transaction of a credited payment is now, and whether that is final.
CREATE FUNCTION payments_note_block(claim_id text, in_transaction text, in_block integer, is_final boolean) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  c payment_claim;
BEGIN
  UPDATE payment_claim p SET transaction = in_transaction, block = in_block, finalized = is_final
    WHERE p.id = claim_id AND p.state = 'paid' AND NOT p.finalized
      AND (p.transaction, p.block, p.finalized) IS DISTINCT FROM (in_transaction, in_block, is_final)
    RETURNING * INTO c;
  IF FOUND THEN PERFORM ledger_note_arrival(payments_transfer(c.id, c.times_reversed), in_block, is_final); END IF;
END $$;

-- A claim that moved nothing, and of which nothing can come any more.
CREATE FUNCTION payments_note_over(claim_id text, of_attempt integer) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  UPDATE payment_claim c SET finalized = true WHERE c.id = claim_id AND c.attempt = of_attempt AND c.state IN ('covered', 'failed', 'reversed');
END $$;

-- Takes back a credit whose transaction is not on its chain and can not come any more. Returns what was spent of it, which the operator
-- bears; null, and nothing is changed, when there is nothing to take back.
CREATE FUNCTION payments_reverse(claim_id text, at timestamptz) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  c payment_claim;
  lost bigint;
BEGIN
  SELECT * INTO c FROM payment_claim p WHERE p.id = claim_id AND p.state = 'paid' AND NOT p.finalized FOR UPDATE;
  IF NOT FOUND THEN RETURN NULL; END IF;
  PERFORM ledger_open_account('payment_losses', 'operator_loss', at);
  SELECT sum(t.lost) INTO lost
    FROM ledger_take_back_arrival('payment_reversal_' || c.id || '_' || c.times_reversed, payments_transfer(c.id, c.times_reversed), 'payment_losses', at) t;
  IF lost IS NULL THEN RAISE EXCEPTION 'payment % is not in the books', claim_id; END IF;
  UPDATE payment_claim p SET state = 'reversed', times_reversed = p.times_reversed + 1, finalized = p.scheme <> 'exact_evm'
    WHERE p.id = claim_id;
  RETURN lost;
END $$;

-- Moves what is available of a wallet's credit to the account that the wallet was proved to belong to, unless that is frozen. Returns nano-USD.
CREATE FUNCTION payments_claim_credit(account text, network text, wallet_chain text, address text, transfer text, at timestamptz) RETURNS bigint
LANGUAGE plpgsql AS $$
BEGIN
  IF access_owner_of(wallet_chain, address) IS DISTINCT FROM account THEN
    RAISE EXCEPTION 'the wallet % is not the account''s', address;
  END IF;
  -- What is not frozen is not taken where it would be.
  IF access_is_frozen(account) THEN RETURN 0; END IF;
  PERFORM ledger_open_account(account, 'customer', at);
  RETURN ledger_move_available(transfer, 'credit_claim', payments_credit_account(network, address), account, at);
END $$;
