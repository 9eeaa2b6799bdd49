-- Payment claims, where they change together with the books: credited, covered, final, taken back. lib/payments decides everything else
-- about them.

-- A payer's credit is a customer account of the ledger, named by the payer's address.
CREATE OR REPLACE FUNCTION payments_credit_account(network text, payer text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT 'credit:' || network || ':' || payer
$$;

-- The account that money of `network` comes from.
CREATE OR REPLACE FUNCTION payments_funding_account(network text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN network LIKE 'solana:%' THEN 'solana_chain' ELSE 'base_chain' END
$$;

-- The transfer of a claim's credit; a claim that is paid again after a reversal gets another one.
CREATE OR REPLACE FUNCTION payments_transfer(claim_id text, times_reversed integer) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT 'payment_' || claim_id || CASE times_reversed WHEN 0 THEN '' ELSE '_again_' || times_reversed END
$$;

-- Whether a payment has this Idempotency-Key now: a payment that moved nothing has no right to it, and after 24 hours none has.
CREATE OR REPLACE FUNCTION payments_has_key(account text, idempotency text, now_at timestamptz) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT EXISTS (
    SELECT 1 FROM payment_claim c
    WHERE c.account_id = account AND c.idempotency_key = idempotency AND c.state NOT IN ('failed', 'reversed')
      AND c.claimed_at > now_at - interval '24 hours'
  )
$$;

-- Credits a payment that its chain shows, once: to the account that has proved the payer as its wallet, if the payment came with a key of
-- that account; otherwise to the payer's credit. Returns the account; the same account when it was credited before.
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

-- The payer's credit alone pays for a request: nothing is submitted. Returns the credit's account; null, with nothing changed, when the
-- payment was submitted or failed.
CREATE OR REPLACE FUNCTION payments_cover(claim_id text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  account text;
BEGIN
  UPDATE payment_claim c SET state = 'covered', credited_account = payments_credit_account(c.network, c.payer)
    WHERE c.id = claim_id AND (c.state = 'covered' OR (c.state = 'claimed' AND NOT c.relayed AND c.transaction IS NULL))
    RETURNING c.credited_account INTO account;
  RETURN account;
END $$;

-- Records the request that a payment paid for, in the commit of its hold.
CREATE OR REPLACE FUNCTION payments_record_request(claim_id text, request text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  UPDATE payment_claim c SET request_id = request WHERE c.id = claim_id;
END $$;

-- Whether a request was answered and charged from this payment.
CREATE OR REPLACE FUNCTION payments_is_served(claim_id text) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT EXISTS (SELECT 1 FROM payment_claim c WHERE c.id = claim_id AND ledger_charged(c.credited_account, c.request_id) IS NOT NULL)
$$;

-- Records the present block of a credited payment's transaction, and whether it is final: from then on its money may leave.
CREATE OR REPLACE FUNCTION payments_record_block(claim_id text, in_transaction text, in_block integer, is_final boolean) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  c payment_claim;
BEGIN
  UPDATE payment_claim p SET transaction = in_transaction, block = in_block, finalized = is_final
    WHERE p.id = claim_id AND p.state = 'paid' AND NOT p.finalized
      AND (p.transaction, p.block, p.finalized) IS DISTINCT FROM (in_transaction, in_block, is_final)
    RETURNING * INTO c;
  IF FOUND THEN PERFORM ledger_note_arrival(payments_transfer(c.id, c.times_reversed), in_block, is_final); END IF;
END $$;

-- Takes back a credit whose transaction is not on its chain and cannot be included any more. Returns the amount spent of it, which the
-- operator bears; null, with nothing changed, when there is nothing to take back.
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

-- Moves the available part of a wallet's credit to the account that has proved the wallet, unless it is frozen. Returns nano-USD.
CREATE OR REPLACE FUNCTION payments_claim_credit(account text, network text, wallet_chain text, address text, transfer text, at timestamptz) RETURNS bigint
LANGUAGE plpgsql AS $$
BEGIN
  PERFORM access_lock_owners(ARRAY[account]); -- an absorption that finds the account empty must not pass this credit by
  IF access_owner_of(wallet_chain, address) IS DISTINCT FROM account THEN
    RAISE EXCEPTION 'the wallet % is not the account''s', address;
  END IF;
  -- Money that is not frozen must not move into a frozen account.
  IF access_is_frozen(account) THEN RETURN 0; END IF;
  PERFORM ledger_open_account(account, 'customer', at);
  RETURN ledger_move_available(transfer, 'credit_claim', payments_credit_account(network, address), account, at);
END $$;
