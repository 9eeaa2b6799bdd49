-- Withdrawals: the calls that move their money when they are ordered, given back or paid out. Each is a separate commit.

-- The amount that an account can withdraw: its available balance, minus deposits and payments in a block that is not final yet.
CREATE OR REPLACE FUNCTION wallets_withdrawable(account text) RETURNS bigint LANGUAGE sql STABLE AS $$
  SELECT greatest(0, ledger_available(account) - ledger_unfinal(account) - coalesce((
    SELECT sum(d.amount) FROM deposit d WHERE d.account_id = account AND d.state = 'credited' AND NOT d.finalized), 0))::bigint
$$;

-- nano-USD that an account requested in the 24 hours before `at`, and that was not given back.
CREATE OR REPLACE FUNCTION wallets_withdrawn_in_a_day(account text, at timestamptz) RETURNS bigint LANGUAGE sql STABLE AS $$
  SELECT coalesce(sum(w.amount), 0)::bigint FROM withdrawal w
  WHERE w.requested_at > at - interval '24 hours' AND w.state NOT IN ('cancelled', 'refused', 'failed')
    AND w.account_id = account
$$;

-- An owner's rules for their own withdrawals that hold at `at`: the newest, and those replaced in the 24 hours before, so that stricter
-- rules hold at once and looser ones only after a day.
CREATE OR REPLACE FUNCTION wallets_own_rules(account text, at timestamptz) RETURNS SETOF withdrawal_rules LANGUAGE sql STABLE AS $$
  SELECT * FROM withdrawal_rules r WHERE r.account_id = account AND (r.replaced_at IS NULL OR r.replaced_at > at - interval '24 hours')
$$;

-- nano-USD of all payouts signed in the 24 hours before `at`: only money that leaves takes from the service's limit. An order lives seven
-- days, so nothing older was signed in that time.
CREATE OR REPLACE FUNCTION wallets_paid_in_a_day(at timestamptz) RETURNS bigint LANGUAGE sql STABLE AS $$
  SELECT coalesce(sum(w.amount), 0)::bigint FROM withdrawal w
  WHERE w.state IN ('signed', 'sent', 'confirmed', 'final') AND w.requested_at > at - interval '9 days'
    AND w.signed_at > at - interval '24 hours'
$$;

-- Whether the service's limit has room for a payout. Decided one after the other, until the caller's transaction has signed it or not.
CREATE OR REPLACE FUNCTION wallets_has_room(amount bigint, service_daily bigint, at timestamptz) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(7305003);
  RETURN wallets_paid_in_a_day(at) + amount <= service_daily;
END $$;

-- The approved withdrawals that are not signed yet, and that only their turn keeps from it. A withdrawal found unpayable for another reason
-- holds up nobody.
CREATE OR REPLACE FUNCTION wallets_queue() RETURNS SETOF withdrawal LANGUAGE sql STABLE AS $$
  SELECT * FROM withdrawal w WHERE w.state = 'approved' AND coalesce(w.waits_for, 'limit') = 'limit'
$$;

-- Of an account's withdrawals that wait for the service's limit: how many are before each, and their nano-USD.
CREATE OR REPLACE FUNCTION wallets_ahead(account text) RETURNS TABLE (id text, ahead integer, amount bigint) LANGUAGE sql STABLE AS $$
  SELECT w.id, count(q.id)::integer, coalesce(sum(q.amount), 0)::bigint
  FROM withdrawal w LEFT JOIN wallets_queue() q ON (q.approved_at, q.id) < (w.approved_at, w.id)
  WHERE w.account_id = account AND w.state = 'approved' AND w.waits_for = 'limit' GROUP BY w.id
$$;

-- Takes an order and its money, or does nothing and returns why. Outcomes: requested; already (the same order again); nonce_used; expired;
-- frozen; destination_not_linked; destination_too_new (`since` = when it may be paid); destination_not_allowed, by the owner's own rules;
-- signer_not_linked; too_many_open; insufficient (`most` = the amount that could leave); account_limit, own_limit, service_limit (`most` =
-- the remaining limit, and the whole one: an amount without room in the service's limit today waits). `wanted` = the order's fields, and
-- the chain of the destination's wallet; `held_against` = the limits in nano-USD, a count and seconds.
CREATE OR REPLACE FUNCTION wallets_request_withdrawal(wanted json, held_against json, at timestamptz)
RETURNS TABLE (outcome text, id text, most bigint, since timestamptz) LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  w record;
  rules record;
  known withdrawal;
  linked record;
  account_day bigint;
  own record;
  start timestamptz;
  is_free boolean;
BEGIN
  SELECT * INTO w FROM json_to_record(wanted) AS o(id text, "accountId" text, chain text, destination text, amount bigint, fee bigint,
    "opensAccount" boolean, nonce text, "issuedAt" timestamptz, "validUntil" timestamptz, "walletChain" text, "signerChain" text,
    "signerAddress" text, signature text);
  SELECT * INTO rules FROM json_to_record(held_against)
    AS r("accountDaily" bigint, "serviceDaily" bigint, "approvalAbove" bigint, "maxOpen" integer, "linkedSeconds" integer);
  PERFORM ledger_open_account('withdrawal_pending', 'liability', at);
  -- Orders of all accounts are decided one after the other, under these locks: the account's limit, the nonce and the balance.
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
  SELECT * INTO linked FROM access_linked_wallet(w."accountId", w."walletChain", w.destination);
  IF NOT FOUND THEN outcome := 'destination_not_linked'; RETURN NEXT; RETURN; END IF;
  since := linked.linked_at + make_interval(secs => rules."linkedSeconds");
  IF NOT linked.is_first AND since > at THEN outcome := 'destination_too_new'; RETURN NEXT; RETURN; END IF;
  since := NULL;
  SELECT min(r.daily_limit) AS daily, coalesce(max(r.wait_seconds), 0) AS wait,
      coalesce(bool_and(r.destinations = '{}' OR w."walletChain" || ':' || w.destination = ANY (r.destinations)), true) AS allows
    INTO own FROM wallets_own_rules(w."accountId", at) r;
  IF NOT own.allows THEN outcome := 'destination_not_allowed'; RETURN NEXT; RETURN; END IF;
  PERFORM 1 FROM access_linked_wallet(w."accountId", w."signerChain", w."signerAddress");
  IF NOT FOUND THEN outcome := 'signer_not_linked'; RETURN NEXT; RETURN; END IF;
  IF (SELECT count(*) FROM withdrawal o WHERE o.account_id = w."accountId" AND o.ended_at IS NULL) >= rules."maxOpen" THEN
    outcome := 'too_many_open'; RETURN NEXT; RETURN;
  END IF;
  most := wallets_withdrawable(w."accountId");
  IF most < w.amount + w.fee THEN outcome := 'insufficient'; RETURN NEXT; RETURN; END IF;
  account_day := wallets_withdrawn_in_a_day(w."accountId", at);
  most := greatest(0, rules."accountDaily" - account_day);
  IF most < w.amount THEN outcome := 'account_limit'; RETURN NEXT; RETURN; END IF;
  -- Without such a limit this is null, and nothing is compared.
  most := CASE WHEN own.daily IS NOT NULL THEN greatest(0, own.daily - account_day) END;
  IF most < w.amount THEN outcome := 'own_limit'; RETURN NEXT; RETURN; END IF;
  most := rules."serviceDaily";
  IF most < w.amount THEN outcome := 'service_limit'; RETURN NEXT; RETURN; END IF;
  most := NULL;
  -- An account's withdrawals of a day are added up: otherwise many small ones would evade the approval limit.
  is_free := account_day + w.amount <= rules."approvalAbove";
  start := CASE WHEN own.wait > 0 THEN at + make_interval(secs => own.wait) END;
  INSERT INTO withdrawal (id, account_id, chain, destination, amount, fee, opens_account, nonce, issued_at, valid_until, signer_chain,
      signer_address, signature, state, requested_at, approved_at, pay_from, waits_for)
    VALUES (w.id, w."accountId", w.chain, w.destination, w.amount, w.fee, w."opensAccount", w.nonce, w."issuedAt", w."validUntil",
      w."signerChain", w."signerAddress", w.signature, CASE WHEN is_free THEN 'approved' ELSE 'awaiting_approval' END, at,
      -- A withdrawal that waits by its owner's rule joins the queue when that time is over, and has no place in it until then.
      CASE WHEN is_free THEN coalesce(start, at) END, start, CASE WHEN is_free AND start IS NOT NULL THEN 'waiting_time' END);
  IF NOT ledger_post('withdrawal_' || w.id, 'withdrawal', json_build_array(
    json_build_object('account', w."accountId", 'amount', -(w.amount + w.fee)),
    json_build_object('account', 'withdrawal_pending', 'amount', w.amount + w.fee)), at) THEN
    RAISE EXCEPTION 'withdrawal % is in the books already', w.id;
  END IF;
  outcome := 'requested';
  id := w.id;
  RETURN NEXT;
END $$;

-- The unsigned withdrawals that may have been paid: the database may have been set back to before that, which starts PostgreSQL or the
-- service, and since then their chain has not shown that they are unpaid.
CREATE OR REPLACE FUNCTION wallets_forgotten() RETURNS SETOF withdrawal LANGUAGE sql STABLE AS $$
  SELECT * FROM withdrawal w WHERE w.state IN ('awaiting_approval', 'approved')
    AND greatest(w.requested_at, w.unpaid_at) <= (SELECT db_last_start())
$$;

-- Ends a withdrawal that was not paid, in one of these states, and gives back the amount that it took by the books. `owner` null: any
-- account's. False, with nothing changed, when it is in another state, or not the owner's, or is unsigned and may have been paid.
CREATE OR REPLACE FUNCTION wallets_return_withdrawal(wanted text, owner text, from_states text[], to_state text, why text, at timestamptz)
RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  customer text;
  taken bigint;
BEGIN
  -- The row first: while another transaction signs it, this one waits here without holding an account that others wait for.
  UPDATE withdrawal w SET state = to_state, reason = why, waits_for = NULL, ended_at = at
    WHERE w.id = wanted AND w.state = ANY (from_states) AND (owner IS NULL OR w.account_id = owner)
      AND NOT EXISTS (SELECT FROM wallets_forgotten() f WHERE f.id = wanted)
    RETURNING w.account_id INTO customer;
  IF NOT FOUND THEN RETURN false; END IF;
  -- Not the row's own amounts: the booked amounts cannot have changed since.
  taken := ledger_moved('withdrawal_' || wanted, 'withdrawal_pending');
  IF taken IS NULL OR ledger_moved('withdrawal_' || wanted, customer) IS DISTINCT FROM -taken THEN
    RAISE EXCEPTION 'withdrawal % is not in the books of account %', wanted, customer;
  END IF;
  -- Checked in the books, whatever the row says now.
  IF ledger_moved('payout_' || wanted, 'withdrawal_pending') IS NOT NULL THEN
    RAISE EXCEPTION 'withdrawal % was paid out already', wanted;
  END IF;
  IF NOT ledger_post('withdrawal_return_' || wanted, 'withdrawal_return', json_build_array(
    json_build_object('account', customer, 'amount', taken),
    json_build_object('account', 'withdrawal_pending', 'amount', -taken)), at) THEN
    RAISE EXCEPTION 'withdrawal % was given back already', wanted;
  END IF;
  RETURN true;
END $$;

-- Books a payout that is final on its chain: the pending money becomes the chain's, and the fee revenue. `hash` null: paid by an unknown
-- transaction. `is_forgotten`: an unsigned withdrawal whose chain shows the payout of this attempt, which the database does not know of.
-- False when it was booked before, or the row is in another state.
CREATE OR REPLACE FUNCTION wallets_finish_withdrawal(wanted text, of_attempt integer, is_forgotten boolean, hash text, at timestamptz)
RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  paid withdrawal;
BEGIN
  -- A row that was set back by hand stays as it is: the check of the books reports it.
  IF is_forgotten AND ledger_moved('payout_' || wanted, 'withdrawal_pending') IS NOT NULL THEN RETURN false; END IF;
  -- The row before the accounts, as in wallets_return_withdrawal.
  UPDATE withdrawal w SET state = 'final', transaction = hash, attempt = of_attempt, waits_for = NULL,
      valid_before = CASE WHEN is_forgotten THEN NULL ELSE w.valid_before END,
      signed_at = CASE WHEN is_forgotten THEN at ELSE w.signed_at END,
      confirmed_at = CASE WHEN is_forgotten THEN at ELSE coalesce(w.confirmed_at, at) END, ended_at = at
    WHERE w.id = wanted AND CASE WHEN is_forgotten
      THEN w.state IN ('awaiting_approval', 'approved') AND w.attempt = of_attempt - 1
      ELSE w.state IN ('signed', 'sent', 'confirmed') AND w.attempt = of_attempt END
    RETURNING w.* INTO paid;
  IF NOT FOUND THEN RETURN false; END IF;
  IF ledger_moved('withdrawal_' || wanted, 'withdrawal_pending') IS DISTINCT FROM paid.amount + paid.fee THEN
    RAISE EXCEPTION 'withdrawal % was booked with another amount than it has now', wanted;
  END IF;
  PERFORM ledger_open_account(paid.chain || '_chain', 'funding', at);
  IF NOT ledger_post('payout_' || wanted, 'payout', (
    SELECT json_agg(json_build_object('account', leg.account, 'amount', leg.amount))
    FROM (VALUES ('withdrawal_pending', -(paid.amount + paid.fee)), (paid.chain || '_chain', paid.amount), ('revenue', paid.fee))
      AS leg(account, amount) WHERE leg.amount <> 0), at) THEN
    RAISE EXCEPTION 'withdrawal % was paid out already', wanted;
  END IF;
  RETURN true;
END $$;

-- A text that changes with the newest withdrawals of an account.
CREATE OR REPLACE FUNCTION wallets_withdrawals_mark(account text) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT concat_ws('.', count(*), sum(hashtextextended(concat_ws('|', w.id, w.state, w.waits_for, w.transaction, w.reason), 0)))
  FROM (SELECT * FROM withdrawal o WHERE o.account_id = account ORDER BY o.requested_at DESC, o.id DESC LIMIT 25) w
$$;
