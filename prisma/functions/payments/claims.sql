-- Payment claims: taken for one request, settled on their chain, credited or failed, each once.

CREATE OR REPLACE FUNCTION payments_is_open_to_another(state text) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
  SELECT state IN ('failed', 'reversed')
$$;

-- A payer's credit is a customer's account of its own, named by the payer's address.
CREATE OR REPLACE FUNCTION payments_credit_account(network text, payer text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT 'credit:' || network || ':' || payer
$$;

-- The account that money of `network` comes from.
CREATE OR REPLACE FUNCTION payments_funding_account(network text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN network LIKE 'solana:%' THEN 'solana_chain' ELSE 'base_chain' END
$$;

-- The transfer of a claim's credit; one that was reversed and is paid after all has another.
CREATE OR REPLACE FUNCTION payments_transfer(claim_id text, times_reversed integer) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT 'payment_' || claim_id || CASE times_reversed WHEN 0 THEN '' ELSE '_again_' || times_reversed END
$$;

-- Takes an Idempotency-Key from the payment that had it and has no right to it any more. False when there is none such.
CREATE OR REPLACE FUNCTION payments_release_key(account text, idempotency text, now_at timestamptz) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  UPDATE payment_claim c SET idempotency_key = NULL
    WHERE c.account_id = account AND c.idempotency_key = idempotency
      AND (payments_is_open_to_another(c.state) OR c.claimed_at <= now_at - interval '24 hours');
  RETURN FOUND;
END $$;

-- Takes a payment for one request, or finds it taken. Outcomes: claimed; replayed (it was claimed for another request or account);
-- idempotency_mismatch (its Idempotency-Key is another payment's). wanted = the terms, amounts in nano-USD.
CREATE OR REPLACE FUNCTION payments_claim(wanted json, at timestamptz) RETURNS TABLE (outcome text, is_new boolean, claim payment_claim)
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
    -- Of a payment that moved nothing the Idempotency-Key is free again, and of every payment after 24 hours.
    IF NOT payments_release_key(w."accountId", w."idempotencyKey", at) THEN
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
    PERFORM payments_release_key(w."accountId", w."idempotencyKey", at);
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

-- Whether a payment has this Idempotency-Key now.
CREATE OR REPLACE FUNCTION payments_has_key(account text, idempotency text, now_at timestamptz) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT EXISTS (
    SELECT 1 FROM payment_claim c
    WHERE c.account_id = account AND c.idempotency_key = idempotency AND NOT payments_is_open_to_another(c.state)
      AND c.claimed_at > now_at - interval '24 hours'
  )
$$;

-- Its chain shows it as paid, before anybody has credited it: whoever waits in another process is told so.
CREATE OR REPLACE FUNCTION payments_note_seen(claim_id text, in_transaction text, in_block integer) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  UPDATE payment_claim c SET transaction = in_transaction, block = in_block
    WHERE c.id = claim_id AND c.state = 'claimed' AND (c.transaction, c.block) IS DISTINCT FROM (in_transaction, in_block);
END $$;

-- An attempt moved nothing, and can not any more: the payment may be claimed anew. `was_relayed` false: it was never stored. False when
-- the claim goes another way by now.
CREATE OR REPLACE FUNCTION payments_note_failed(
  claim_id text, of_attempt integer, was_relayed boolean, why text, message text, wasted boolean, now_at timestamptz
) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  failed payment_claim;
BEGIN
  UPDATE payment_claim c SET state = 'failed', failure = why, failure_message = message, transaction = NULL, block = NULL,
      -- What is in a block without effect, this attempt's or one before, may be in another one with it; what others can submit as well is
      -- looked for once its time is over.
      finalized = NOT was_relayed AND c.scheme = 'proof' AND c.attempt = 1
    WHERE c.id = claim_id AND c.attempt = of_attempt AND c.state = 'claimed' AND c.relayed = was_relayed
    RETURNING * INTO failed;
  IF NOT FOUND THEN RETURN false; END IF;
  IF wasted THEN
    INSERT INTO payment_waste (claim_id, attempt, network, payer, on_trust, at)
      VALUES (failed.id, failed.attempt, failed.network, failed.payer, failed.on_trust, now_at);
  END IF;
  RETURN true;
END $$;

-- Credits a payment that its chain shows, once: to the account that the payer is proved to be a wallet of, if the payment came with a
-- key of that account, otherwise to the payer's credit. Returns the account; the same again when it was credited before.
CREATE OR REPLACE FUNCTION payments_credit(claim_id text, in_transaction text, in_block integer, at timestamptz) RETURNS text LANGUAGE plpgsql AS $$
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
CREATE OR REPLACE FUNCTION payments_cover(claim_id text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  account text;
BEGIN
  UPDATE payment_claim c SET state = 'covered', credited_account = payments_credit_account(c.network, c.payer)
    WHERE c.id = claim_id AND (c.state = 'covered' OR (c.state = 'claimed' AND NOT c.relayed AND c.transaction IS NULL))
    RETURNING c.credited_account INTO account;
  RETURN account;
END $$;

-- Its payer's credit is not enough any more, and nobody was answered: it may be submitted after all.
CREATE OR REPLACE FUNCTION payments_uncover(claim_id text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  UPDATE payment_claim c SET state = 'claimed', credited_account = NULL
    WHERE c.id = claim_id AND c.state = 'covered' AND ledger_charged(c.credited_account, c.request_id) IS NULL;
END $$;

-- Notes the request that was held from a payment.
CREATE OR REPLACE FUNCTION payments_note_request(claim_id text, request text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  UPDATE payment_claim c SET request_id = request WHERE c.id = claim_id;
END $$;

-- Whether a request was answered and charged from it.
CREATE OR REPLACE FUNCTION payments_is_served(claim_id text) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT EXISTS (SELECT 1 FROM payment_claim c WHERE c.id = claim_id AND ledger_charged(c.credited_account, c.request_id) IS NOT NULL)
$$;

-- Where the transaction of a credited payment is now, and whether that is final.
CREATE OR REPLACE FUNCTION payments_note_block(claim_id text, in_transaction text, in_block integer, is_final boolean) RETURNS void LANGUAGE plpgsql AS $$
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
CREATE OR REPLACE FUNCTION payments_note_over(claim_id text, of_attempt integer) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  UPDATE payment_claim c SET finalized = true WHERE c.id = claim_id AND c.attempt = of_attempt AND c.state IN ('covered', 'failed', 'reversed');
END $$;

-- Takes back a credit whose transaction is not on its chain and can not come any more. Returns what was spent of it, which the operator
-- bears; null, and nothing is changed, when there is nothing to take back.
CREATE OR REPLACE FUNCTION payments_reverse(claim_id text, at timestamptz) RETURNS bigint LANGUAGE plpgsql AS $$
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
CREATE OR REPLACE FUNCTION payments_claim_credit(account text, network text, wallet_chain text, address text, transfer text, at timestamptz) RETURNS bigint
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

-- Forgets payments that never had a transaction and never can have one: those that came without an account after a day, others, which their
-- owners may look at, after ninety. Their signatures have run out, so that none can move anything any more. Returns how many.
CREATE OR REPLACE FUNCTION payments_delete_void(now_at timestamptz, most integer) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  deleted bigint;
BEGIN
  DELETE FROM payment_claim c USING (
      SELECT v.id FROM payment_claim v
      WHERE v.state = 'failed' AND v.finalized AND NOT v.relayed AND v.attempt = 1 AND v.times_reversed = 0 AND v.credited_account IS NULL
        AND greatest(v.valid_until, v.wanted_at) <= now_at - CASE WHEN v.account_id IS NULL THEN interval '1 day' ELSE interval '90 days' END
      LIMIT most FOR UPDATE SKIP LOCKED
    ) void
    WHERE c.id = void.id;
  GET DIAGNOSTICS deleted = ROW_COUNT;
  RETURN deleted;
END $$;
