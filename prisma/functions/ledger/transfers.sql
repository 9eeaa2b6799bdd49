-- Transfers: money that moves for another reason than a request. Entries sum to zero; each transfer is posted once.

-- Booked rows are never changed.
CREATE OR REPLACE FUNCTION ledger_refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '% is immutable: correct a mistake with a new transfer', TG_TABLE_NAME;
END $$;

CREATE OR REPLACE FUNCTION ledger_open_account(account text, account_kind text, at timestamptz) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF account_kind NOT IN ('customer', 'funding', 'liability', 'operator_loss') THEN
    RAISE EXCEPTION 'there is no kind of account called %', account_kind;
  END IF;
  INSERT INTO ledger_account (id, kind, created_at) VALUES (account, account_kind, at) ON CONFLICT (id) DO NOTHING;
END $$;

-- Accounts are locked in id order: two batches that share two accounts would otherwise deadlock.
CREATE OR REPLACE FUNCTION ledger_lock_accounts(account_ids text[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM 1 FROM ledger_account WHERE id = ANY (account_ids) ORDER BY id FOR UPDATE;
END $$;

-- Posts many transfers at once, each balanced; returns the ids of those that did not exist before.
-- `legs` = [{"transfer": id, "kind": kind, "account": id, "amount": nano-USD}], in any order.
CREATE OR REPLACE FUNCTION ledger_post_all(legs json, at timestamptz) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
  wrong record;
  posted_now text[];
  touched integer;
  expected integer;
BEGIN
  SELECT leg.transfer, sum(leg.amount) AS total INTO wrong
    FROM json_to_recordset(legs) AS leg(transfer text, amount bigint) GROUP BY leg.transfer HAVING sum(leg.amount) <> 0 LIMIT 1;
  IF FOUND THEN
    RAISE EXCEPTION 'transfer % does not balance: its entries sum to %', wrong.transfer, wrong.total;
  END IF;
  PERFORM ledger_lock_accounts(ARRAY(SELECT DISTINCT leg.account FROM json_to_recordset(legs) AS leg(account text)));
  WITH written AS (
    INSERT INTO transfer (id, kind, at)
      SELECT DISTINCT leg.transfer, leg.kind, ledger_post_all.at FROM json_to_recordset(legs) AS leg(transfer text, kind text)
      ON CONFLICT (id) DO NOTHING RETURNING id
  )
  SELECT array_agg(w.id) INTO posted_now FROM written w;
  IF posted_now IS NULL THEN RETURN; END IF;
  INSERT INTO entry (transfer_id, account_id, amount)
    SELECT leg.transfer, leg.account, leg.amount FROM json_to_recordset(legs) AS leg(transfer text, account text, amount bigint)
    WHERE leg.transfer = ANY (posted_now);
  WITH gains AS (
    SELECT leg.account, sum(leg.amount)::bigint AS amount
    FROM json_to_recordset(legs) AS leg(transfer text, account text, amount bigint)
    WHERE leg.transfer = ANY (posted_now) GROUP BY leg.account
  ), changed AS (
    UPDATE ledger_account a SET posted = a.posted + g.amount, told_exhausted = a.told_exhausted AND g.amount <= 0 FROM gains g WHERE a.id = g.account RETURNING a.id
  )
  SELECT (SELECT count(*) FROM changed), (SELECT count(*) FROM gains) INTO touched, expected;
  IF touched <> expected THEN
    RAISE EXCEPTION 'transfer % names an account that does not exist', (
      SELECT min(leg.transfer) FROM json_to_recordset(legs) AS leg(transfer text, account text)
      WHERE NOT EXISTS (SELECT FROM ledger_account a WHERE a.id = leg.account));
  END IF;
  RETURN QUERY SELECT unnest(posted_now);
END $$;

-- Posts a transfer that belongs to no request. Returns false, and changes nothing, when a transfer with this id exists.
-- `legs` = [{"account": id, "amount": nano-USD as text}], which must sum to zero.
CREATE OR REPLACE FUNCTION ledger_post(transfer text, transfer_kind text, legs json, at timestamptz) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  IF coalesce(json_array_length(legs), 0) = 0 THEN RAISE EXCEPTION 'transfer % does not balance: it has no entries', transfer; END IF;
  RETURN EXISTS (SELECT FROM ledger_post_all((
    SELECT json_agg(json_build_object('transfer', transfer, 'kind', transfer_kind, 'account', leg.account, 'amount', leg.amount))
    FROM json_to_recordset(legs) AS leg(account text, amount bigint)), at));
END $$;

-- Takes back money that came in from `funding` and was reversed: the customer's available money, held money as soon as it is free again
-- (see debts.sql), the rest from `loss`. Returns the amount lost for good, not counting debts; zero, and changes nothing, when a transfer
-- with this id exists.
CREATE OR REPLACE FUNCTION ledger_take_back(transfer text, customer text, funding text, loss text, amount bigint, at timestamptz)
RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  taken bigint;
  owed bigint;
BEGIN
  PERFORM ledger_lock_accounts(ARRAY[customer, funding, loss]);
  IF EXISTS (SELECT FROM transfer t WHERE t.id = ledger_take_back.transfer) THEN RETURN 0; END IF;
  SELECT r.taken, r.owed INTO taken, owed FROM ledger_reclaim(transfer, customer, loss, amount, at) r;
  PERFORM ledger_post(transfer, 'reversal', (
    SELECT json_agg(json_build_object('account', leg.account, 'amount', leg.amount))
    FROM (VALUES (funding, amount), (customer, -taken), (loss, taken - amount)) AS leg(account, amount) WHERE leg.amount <> 0
  ), at);
  RETURN amount - taken - owed;
END $$;

CREATE OR REPLACE FUNCTION ledger_posted(account text) RETURNS bigint LANGUAGE sql STABLE AS $$
  SELECT coalesce((SELECT a.posted FROM ledger_account a WHERE a.id = account), 0)
$$;

-- The amount that a transfer moved to or from an account (transfers never change); null when it did not touch the account.
CREATE OR REPLACE FUNCTION ledger_moved(transfer text, account text) RETURNS bigint LANGUAGE sql STABLE AS $$
  SELECT e.amount FROM entry e WHERE e.transfer_id = transfer AND e.account_id = account
$$;

CREATE OR REPLACE FUNCTION ledger_transfers_of(of_kind text) RETURNS SETOF text LANGUAGE sql STABLE AS $$
  SELECT t.id FROM transfer t WHERE t.kind = of_kind
$$;

-- All money that ever came from an account with transfers of a kind, even if it was taken back.
CREATE OR REPLACE FUNCTION ledger_came_in(funding text, of_kind text) RETURNS numeric LANGUAGE sql STABLE AS $$
  SELECT coalesce(-sum(e.amount), 0) FROM transfer t JOIN entry e ON e.transfer_id = t.id
  WHERE t.kind = of_kind AND e.account_id = funding AND e.amount < 0
$$;

-- Credits of addresses that no account has proved as its own, `credit:<CAIP-10>`, with the balance of each minus its holds. A debt is not
-- subtracted: it is taken from the holds.
CREATE OR REPLACE FUNCTION ledger_credits() RETURNS TABLE (id text, kind text, available bigint) LANGUAGE sql STABLE AS $$
  SELECT a.id, a.kind, a.posted - a.held FROM ledger_account a WHERE a.id LIKE 'credit:%'
$$;
