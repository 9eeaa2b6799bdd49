-- ledger: the only writer of money. Amounts are whole nano-USD. A customer's `posted` is what we owe them.
-- There are no foreign keys between the tables of the hot path: each would lock one more row per request;
-- `ledger_check` proves what they would.

CREATE TABLE ledger_account (
  id text COLLATE "C" PRIMARY KEY,
  -- customer | funding | liability (money in, not yet a customer's) | revenue | operator_loss
  kind text NOT NULL,
  posted bigint NOT NULL DEFAULT 0,
  held bigint NOT NULL DEFAULT 0,
  -- For accounts that charges do not touch (revenue, operator_loss): charges up to this one are in `posted`.
  rolled_up_to bigint,
  created_at timestamptz NOT NULL,
  -- One constraint a table on the way of a request: each is parsed anew by every statement that writes.
  CONSTRAINT customer_never_negative CHECK (held >= 0 AND (posted >= held OR kind <> 'customer'))
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000, vacuum_truncate = off);

-- Money that moves for another reason than a request: one row for what happened, and one for each account it moved.
CREATE TABLE transfer (
  -- The idempotency key of what caused it, such as a deposit's place on its chain.
  id text COLLATE "C" PRIMARY KEY,
  kind text NOT NULL,
  at timestamptz NOT NULL
);

CREATE TABLE entry (
  transfer_id text COLLATE "C" NOT NULL,
  account_id text COLLATE "C" NOT NULL,
  amount bigint NOT NULL CHECK (amount <> 0),
  PRIMARY KEY (transfer_id, account_id)
);

-- Money that came in with a transaction of a chain, and whose it is: it counts as spendable at once, and may go again until its
-- block is final. One row for each account that has some of it; of what was spent, nothing is subtracted.
CREATE TABLE arrival (
  transfer_id text COLLATE "C" NOT NULL,
  account_id text COLLATE "C" NOT NULL,
  -- The chain's account.
  funding_id text COLLATE "C" NOT NULL,
  amount bigint NOT NULL CHECK (amount > 0),
  block integer NOT NULL CHECK (block >= 0),
  finalized boolean NOT NULL DEFAULT false,
  PRIMARY KEY (transfer_id, account_id)
);
CREATE INDEX arrival_account_id_finalized_block_idx ON arrival (account_id, finalized, block);
CREATE INDEX arrival_funding_id_finalized_block_idx ON arrival (funding_id, finalized, block);

CREATE TABLE hold (
  request_id text COLLATE "C" PRIMARY KEY,
  account_id text COLLATE "C" NOT NULL,
  key_id text COLLATE "C",
  ceiling bigint NOT NULL,
  -- The key_spend row that this hold counts in; null when its key has no cap.
  period text,
  period_start timestamptz,
  placed_at timestamptz NOT NULL,
  deadline timestamptz NOT NULL
-- Giving an empty tail back to the system would lock the table against every request.
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000, vacuum_truncate = off);

CREATE TABLE price_version (
  id text COLLATE "C" PRIMARY KEY,
  model text NOT NULL,
  input_price bigint NOT NULL CHECK (input_price >= 0),
  output_price bigint NOT NULL CHECK (output_price >= 0),
  recorded_at timestamptz NOT NULL
);

-- One row per charged request, which is at once its transfer: what the customer paid and what the operator lost are revenue.
-- `ledger_entry` shows both sides. Request ids sort by time, so the primary key is also the owner's statement.
CREATE TABLE charge (
  account_id text COLLATE "C" NOT NULL,
  request_id text COLLATE "C" NOT NULL,
  key_id text COLLATE "C",
  model text NOT NULL,
  provider text NOT NULL,
  price_version text NOT NULL,
  input_tokens bigint NOT NULL,
  output_tokens bigint NOT NULL,
  cached_input_tokens bigint NOT NULL,
  reasoning_tokens bigint NOT NULL,
  -- What the customer paid; `operator_loss` is what the answer cost beyond it.
  input_cost bigint NOT NULL,
  output_cost bigint NOT NULL,
  operator_loss bigint NOT NULL,
  -- complete | partial (the provider broke off) | cancelled (the client went)
  outcome text NOT NULL,
  streamed boolean NOT NULL,
  -- True when the provider gave no count and ours was used.
  estimated boolean NOT NULL,
  paid_by text NOT NULL,
  first_token_ms integer,
  provider_ms integer NOT NULL,
  at timestamptz NOT NULL,
  seq bigint GENERATED ALWAYS AS IDENTITY,
  PRIMARY KEY (account_id, request_id),
  CONSTRAINT costs_are_not_negative CHECK (least(input_cost, output_cost, operator_loss) >= 0)
);
-- Only the roll-up reads by sequence, and only the newest rows: a BRIN index costs an insert nothing.
CREATE INDEX charge_seq_idx ON charge USING brin (seq) WITH (autosummarize = on, pages_per_range = 32);

-- All entries of the books, nano-USD; those of a transfer, or of a request's charge, sum to zero. `seq` is the charge's.
CREATE VIEW ledger_entry (transfer_id, account_id, amount, seq) AS
  SELECT e.transfer_id, e.account_id, e.amount, NULL::bigint FROM entry e
  UNION ALL SELECT c.request_id, c.account_id, -(c.input_cost + c.output_cost), c.seq FROM charge c
  UNION ALL SELECT c.request_id, 'revenue', c.input_cost + c.output_cost + c.operator_loss, c.seq FROM charge c
  UNION ALL SELECT c.request_id, 'operator_loss', -c.operator_loss, c.seq FROM charge c WHERE c.operator_loss <> 0;

CREATE TABLE key_spend (
  key_id text COLLATE "C" NOT NULL,
  period text NOT NULL,
  period_start timestamptz NOT NULL,
  spent bigint NOT NULL,
  held bigint NOT NULL,
  PRIMARY KEY (key_id, period, period_start),
  CONSTRAINT spend_is_not_negative CHECK (least(spent, held) >= 0)
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000, vacuum_truncate = off);

-- What is written stays written.
CREATE FUNCTION ledger_refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '% is immutable: correct a mistake with a new transfer', TG_TABLE_NAME;
END $$;
CREATE TRIGGER transfer_immutable BEFORE UPDATE OR DELETE OR TRUNCATE ON transfer FOR EACH STATEMENT EXECUTE FUNCTION ledger_refuse_change();
CREATE TRIGGER entry_immutable BEFORE UPDATE OR DELETE OR TRUNCATE ON entry FOR EACH STATEMENT EXECUTE FUNCTION ledger_refuse_change();
CREATE TRIGGER charge_immutable BEFORE UPDATE OR DELETE OR TRUNCATE ON charge FOR EACH STATEMENT EXECUTE FUNCTION ledger_refuse_change();
CREATE TRIGGER price_version_immutable BEFORE UPDATE OR DELETE OR TRUNCATE ON price_version FOR EACH STATEMENT EXECUTE FUNCTION ledger_refuse_change();

INSERT INTO ledger_account (id, kind, rolled_up_to, created_at) VALUES
  ('revenue', 'revenue', 0, now()),
  ('operator_loss', 'operator_loss', 0, now());

CREATE FUNCTION ledger_open_account(account text, account_kind text, at timestamptz) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF account_kind NOT IN ('customer', 'funding', 'liability', 'operator_loss') THEN
    RAISE EXCEPTION 'there is no kind of account called %', account_kind;
  END IF;
  INSERT INTO ledger_account (id, kind, created_at) VALUES (account, account_kind, at) ON CONFLICT (id) DO NOTHING;
END $$;

-- Wallets are locked in id order: two batches that share two wallets would otherwise wait for each other for ever.
CREATE FUNCTION ledger_lock_accounts(account_ids text[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM 1 FROM ledger_account WHERE id = ANY (account_ids) ORDER BY id FOR UPDATE;
END $$;

-- Whoever books charges holds this lock shared until its commit; the roll-up takes it alone for a moment to learn up to
-- which sequence number every charge is committed.
CREATE FUNCTION ledger_begin_charges() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock_shared(7305001);
END $$;

-- Posts a transfer that is no request's. Returns false, and changes nothing, when a transfer of this id exists.
-- `legs` = [{"account": id, "amount": nano-USD as text}], which must sum to zero.
CREATE FUNCTION ledger_post(transfer text, transfer_kind text, legs json, at timestamptz) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  total numeric;
  touched integer;
  expected integer;
BEGIN
  SELECT sum(leg.amount), count(*) INTO total, expected FROM json_to_recordset(legs) AS leg(account text, amount bigint);
  IF total IS DISTINCT FROM 0 THEN
    RAISE EXCEPTION 'transfer % does not balance: its entries sum to %', transfer, total;
  END IF;
  PERFORM ledger_lock_accounts(ARRAY(SELECT leg.account FROM json_to_recordset(legs) AS leg(account text)));
  INSERT INTO transfer (id, kind, at) VALUES (transfer, transfer_kind, at) ON CONFLICT (id) DO NOTHING;
  IF NOT FOUND THEN RETURN false; END IF;
  INSERT INTO entry (transfer_id, account_id, amount)
    SELECT transfer, leg.account, leg.amount FROM json_to_recordset(legs) AS leg(account text, amount bigint);
  UPDATE ledger_account a SET posted = a.posted + leg.amount
    FROM json_to_recordset(legs) AS leg(account text, amount bigint) WHERE a.id = leg.account;
  GET DIAGNOSTICS touched = ROW_COUNT;
  IF touched <> expected THEN
    RAISE EXCEPTION 'transfer % names an account that does not exist', transfer;
  END IF;
  RETURN true;
END $$;

-- Posts many transfers in one go, each as ledger_post would; returns the ids of those that were not there before.
-- `legs` = [{"transfer": id, "kind": kind, "account": id, "amount": nano-USD}], in any order.
CREATE FUNCTION ledger_post_all(legs json, at timestamptz) RETURNS SETOF text LANGUAGE plpgsql AS $$
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
    UPDATE ledger_account a SET posted = a.posted + g.amount FROM gains g WHERE a.id = g.account RETURNING a.id
  )
  SELECT (SELECT count(*) FROM changed), (SELECT count(*) FROM gains) INTO touched, expected;
  IF touched <> expected THEN
    RAISE EXCEPTION 'one of % transfers names an account that does not exist', cardinality(posted_now);
  END IF;
  RETURN QUERY SELECT unnest(posted_now);
END $$;

-- Takes back what came in from `funding` and turned out not to be there: what the customer has available, the rest from
-- `loss`. Returns the rest; zero, and changes nothing, when a transfer of this id exists.
CREATE FUNCTION ledger_take_back(transfer text, customer text, funding text, loss text, amount bigint, at timestamptz)
RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  taken bigint;
BEGIN
  PERFORM ledger_lock_accounts(ARRAY[customer, funding, loss]);
  SELECT least(a.posted - a.held, amount) INTO taken FROM ledger_account a WHERE a.id = customer;
  IF ledger_post(transfer, 'reversal', (
    SELECT json_agg(json_build_object('account', leg.account, 'amount', leg.amount))
    FROM (VALUES (funding, amount), (customer, -taken), (loss, taken - amount)) AS leg(account, amount) WHERE leg.amount <> 0
  ), at) THEN
    RETURN amount - taken;
  END IF;
  RETURN 0;
END $$;

-- Credits of addresses that no account has proved as its own: `credit:<CAIP-10>`.
CREATE FUNCTION ledger_is_credit(account text) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$ SELECT account LIKE 'credit:%' $$;

-- ledger_post of money that came in over a chain, in a block that may go again.
CREATE FUNCTION ledger_post_arrival(
  transfer text, transfer_kind text, account text, funding text, amount bigint, in_block integer, at timestamptz
) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  IF NOT ledger_post(transfer, transfer_kind, json_build_array(
    json_build_object('account', account, 'amount', amount), json_build_object('account', funding, 'amount', -amount)), at) THEN
    RETURN false;
  END IF;
  INSERT INTO arrival (transfer_id, account_id, funding_id, amount, block) VALUES (transfer, account, funding, amount, in_block);
  RETURN true;
END $$;

-- Where it is on its chain now. Final once, it is final for ever. False when there is no such arrival, or it was taken back.
CREATE FUNCTION ledger_note_arrival(transfer text, in_block integer, is_final boolean) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  -- Whoever moves it at this moment is waited for: the statement after sees to whom.
  PERFORM 1 FROM arrival a WHERE a.transfer_id = transfer ORDER BY a.account_id FOR UPDATE;
  UPDATE arrival a SET block = in_block, finalized = is_final
    WHERE a.transfer_id = transfer AND NOT a.finalized AND (a.block, a.finalized) IS DISTINCT FROM (in_block, is_final);
  RETURN EXISTS (SELECT 1 FROM arrival a WHERE a.transfer_id = transfer);
END $$;

-- What an account has, or had before it spent it, of money that is not final. It must not leave.
CREATE FUNCTION ledger_unfinal(account text) RETURNS bigint LANGUAGE sql STABLE AS $$
  SELECT coalesce(sum(a.amount), 0)::bigint FROM arrival a WHERE a.account_id = account AND NOT a.finalized
$$;

-- Its blocks are the same for everybody who has some of it.
CREATE FUNCTION ledger_find_arrival(transfer text) RETURNS TABLE (block integer, finalized boolean) LANGUAGE sql STABLE ROWS 1 AS $$
  SELECT min(a.block), bool_and(a.finalized) FROM arrival a WHERE a.transfer_id = transfer HAVING count(*) > 0
$$;

CREATE FUNCTION ledger_transfers_of(of_kind text) RETURNS SETOF text LANGUAGE sql STABLE AS $$
  SELECT t.id FROM transfer t WHERE t.kind = of_kind
$$;

-- Credits of addresses, with what is available of each.
CREATE FUNCTION ledger_credits() RETURNS TABLE (id text, kind text, available bigint) LANGUAGE sql STABLE AS $$
  SELECT a.id, a.kind, a.posted - a.held FROM ledger_account a WHERE ledger_is_credit(a.id)
$$;

-- All that ever came from an account with transfers of a kind, whether it was taken back or not.
CREATE FUNCTION ledger_came_in(funding text, of_kind text) RETURNS numeric LANGUAGE sql STABLE AS $$
  SELECT coalesce(-sum(e.amount), 0) FROM transfer t JOIN entry e ON e.transfer_id = t.id
  WHERE t.kind = of_kind AND e.account_id = funding AND e.amount < 0
$$;

-- What came in over a chain in final blocks above `height`.
CREATE FUNCTION ledger_arrived_above(funding text, height integer) RETURNS bigint LANGUAGE sql STABLE AS $$
  SELECT coalesce(sum(a.amount), 0)::bigint FROM arrival a WHERE a.funding_id = funding AND a.finalized AND a.block > height
$$;

-- Moves all that one customer has available to another, and with it what came in last: as long as that may go again, it must
-- be found where it is. Returns how much; zero, and nothing is written, when there is none.
CREATE FUNCTION ledger_move_available(transfer text, transfer_kind text, from_account text, to_account text, at timestamptz)
RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  moved bigint;
BEGIN
  -- Most have nothing there: their accounts are locked for nobody.
  IF NOT EXISTS (SELECT 1 FROM ledger_account a WHERE a.id = from_account AND a.posted > a.held) THEN RETURN 0; END IF;
  PERFORM ledger_lock_accounts(ARRAY[from_account, to_account]);
  SELECT a.posted - a.held INTO moved FROM ledger_account a WHERE a.id = from_account;
  IF coalesce(moved, 0) = 0 THEN RETURN 0; END IF;
  IF NOT ledger_post(transfer, transfer_kind, json_build_array(
    json_build_object('account', from_account, 'amount', -moved), json_build_object('account', to_account, 'amount', moved)), at) THEN
    RETURN 0;
  END IF;
  PERFORM 1 FROM arrival a WHERE a.account_id = from_account ORDER BY a.transfer_id FOR UPDATE;
  -- From the least certain on: then at any height of the chain, as much is moved of what lies above as can be.
  WITH share AS (
    SELECT l.transfer_id, least(l.amount, moved - l.before) AS amount FROM (
      SELECT a.transfer_id, a.amount,
        coalesce(sum(a.amount) OVER (ORDER BY a.finalized, a.block DESC, a.transfer_id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) AS before
      FROM arrival a WHERE a.account_id = from_account
    ) l WHERE l.before < moved
  ), whole AS (
    DELETE FROM arrival a USING share s WHERE a.transfer_id = s.transfer_id AND a.account_id = from_account AND a.amount = s.amount
  ), part AS (
    UPDATE arrival a SET amount = a.amount - s.amount FROM share s
      WHERE a.transfer_id = s.transfer_id AND a.account_id = from_account AND a.amount > s.amount
  )
  INSERT INTO arrival AS has (transfer_id, account_id, funding_id, amount, block, finalized)
    SELECT a.transfer_id, to_account, a.funding_id, s.amount, a.block, a.finalized
    FROM arrival a JOIN share s ON s.transfer_id = a.transfer_id WHERE a.account_id = from_account
    ON CONFLICT (transfer_id, account_id) DO UPDATE SET amount = has.amount + excluded.amount;
  RETURN moved;
END $$;

-- Takes back an arrival whose transaction is not on its chain and can not come any more: of whoever has it what they have available,
-- the rest from `loss`. One row for each that had some, with what the operator bears; none, and nothing is changed, when it was
-- taken back before.
CREATE FUNCTION ledger_take_back_arrival(reversal text, transfer text, loss text, at timestamptz)
RETURNS TABLE (account_id text, lost bigint) LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  funding text := (SELECT min(a.funding_id) FROM arrival a WHERE a.transfer_id = transfer);
  holders text[];
  amount bigint;
  taken bigint;
  total bigint := 0;
  all_lost bigint := 0;
  legs jsonb := '[]';
BEGIN
  LOOP
    holders := ARRAY(SELECT a.account_id FROM arrival a WHERE a.transfer_id = transfer ORDER BY a.account_id);
    IF cardinality(holders) = 0 THEN RETURN; END IF;
    BEGIN
      PERFORM ledger_lock_accounts(holders || ARRAY[funding, loss]);
      EXIT WHEN holders = ARRAY(SELECT a.account_id FROM arrival a WHERE a.transfer_id = transfer ORDER BY a.account_id);
      RAISE serialization_failure;
    EXCEPTION WHEN serialization_failure THEN
      -- It changed hands. The locks are free again, to be taken with the others in order.
      NULL;
    END;
  END LOOP;
  IF EXISTS (SELECT 1 FROM arrival a WHERE a.transfer_id = transfer AND a.finalized) THEN
    RAISE EXCEPTION 'arrival % is final: it can not be taken back', transfer;
  END IF;
  FOR account_id, amount, taken IN
    SELECT a.account_id, a.amount, least(a.amount, l.posted - l.held)
    FROM arrival a JOIN ledger_account l ON l.id = a.account_id WHERE a.transfer_id = transfer ORDER BY a.account_id
  LOOP
    legs := legs || jsonb_build_object('account', account_id, 'amount', -taken);
    total := total + amount;
    lost := amount - taken;
    all_lost := all_lost + lost;
    RETURN NEXT;
  END LOOP;
  legs := legs || jsonb_build_object('account', funding, 'amount', total) || jsonb_build_object('account', loss, 'amount', -all_lost);
  IF NOT ledger_post(reversal, 'reversal', (SELECT json_agg(leg) FROM jsonb_array_elements(legs) leg WHERE leg->>'amount' <> '0'), at) THEN
    RAISE EXCEPTION 'arrival % was taken back already', transfer;
  END IF;
  DELETE FROM arrival a WHERE a.transfer_id = transfer;
END $$;

-- What a key has spent and holds in a period.
CREATE FUNCTION ledger_key_used(key text, key_period text, key_period_start timestamptz) RETURNS bigint LANGUAGE sql STABLE AS $$
  SELECT coalesce((SELECT s.spent + s.held FROM key_spend s WHERE s.key_id = key AND s.period = key_period AND s.period_start = key_period_start), 0)
$$;

-- Decides one hold with row statements; the account must be locked. `key_cap` null = the key has none.
CREATE FUNCTION ledger_place_hold(
  request text, account text, key text, amount bigint, key_cap bigint, key_period text, key_period_start timestamptz,
  at timestamptz, until timestamptz, OUT outcome text, OUT available bigint, OUT spent bigint
) LANGUAGE plpgsql AS $$
BEGIN
  IF amount < 0 THEN RAISE EXCEPTION 'request % asks for a hold of %', request, amount; END IF;
  IF key_cap IS NOT NULL THEN
    spent := ledger_key_used(key, key_period, key_period_start);
    IF spent + amount > key_cap THEN
      outcome := 'cap_reached';
      RETURN;
    END IF;
    spent := NULL;
  END IF;
  UPDATE ledger_account a SET held = a.held + amount WHERE a.id = account AND a.posted - a.held >= amount
    RETURNING a.posted - a.held INTO available;
  IF NOT FOUND THEN
    SELECT a.posted - a.held INTO available FROM ledger_account a WHERE a.id = account;
    available := coalesce(available, 0);
    outcome := 'insufficient';
    RETURN;
  END IF;
  INSERT INTO hold (request_id, account_id, key_id, ceiling, period, period_start, placed_at, deadline)
    VALUES (request, account, key, amount, CASE WHEN key_cap IS NULL THEN NULL ELSE key_period END,
      CASE WHEN key_cap IS NULL THEN NULL ELSE key_period_start END, at, until);
  IF key_cap IS NOT NULL THEN
    UPDATE key_spend s SET held = s.held + amount WHERE s.key_id = key AND s.period = key_period AND s.period_start = key_period_start;
    IF NOT FOUND THEN INSERT INTO key_spend (key_id, period, period_start, spent, held) VALUES (key, key_period, key_period_start, 0, amount); END IF;
  END IF;
  outcome := 'held';
END $$;

-- Places many holds with one statement when all of them fit, and returns their places with what is available after each, in
-- arrival order; places none and returns nothing when any does not: ledger_place_hold decides those, one after the other.
-- Accounts must be locked. The arrays are parallel, one place per item; a cap is null where the key has none.
CREATE FUNCTION ledger_place_holds(
  requests text[], accounts text[], keys text[], ceilings bigint[], caps bigint[], periods text[], period_starts timestamptz[],
  at timestamptz, until timestamptz
) RETURNS TABLE (ord bigint, available bigint) LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY
  WITH asked AS MATERIALIZED (
    SELECT i.ord, i.request, i.account, i.key, i.ceiling, i.cap,
      CASE WHEN i.cap IS NOT NULL THEN i.period END AS period, CASE WHEN i.cap IS NOT NULL THEN i.period_start END AS period_start,
      a.posted - a.held - sum(i.ceiling) OVER (PARTITION BY i.account ORDER BY i.ord) AS free,
      sum(i.ceiling) OVER (PARTITION BY i.key ORDER BY i.ord) + coalesce(s.spent + s.held, 0) AS key_used
    FROM unnest(requests, accounts, keys, ceilings, caps, periods, period_starts) WITH ORDINALITY
      AS i(request, account, key, ceiling, cap, period, period_start, ord)
    LEFT JOIN ledger_account a ON a.id = i.account
    LEFT JOIN key_spend s ON s.key_id = i.key AND s.period = i.period AND s.period_start = i.period_start AND i.cap IS NOT NULL
  ), placed AS MATERIALIZED (
    SELECT * FROM asked
    WHERE (SELECT bool_and(coalesce(x.ceiling >= 0 AND x.free >= 0 AND (x.cap IS NULL OR x.key_used <= x.cap), false)) FROM asked x)
  ), account_changes AS (
    UPDATE ledger_account a SET held = a.held + d.amount
    FROM (SELECT p.account, sum(p.ceiling)::bigint AS amount FROM placed p GROUP BY p.account) d WHERE a.id = d.account
  ), holds AS (
    INSERT INTO hold (request_id, account_id, key_id, ceiling, period, period_start, placed_at, deadline)
    SELECT p.request, p.account, p.key, p.ceiling, p.period, p.period_start, at, until FROM placed p
  ), spends AS (
    INSERT INTO key_spend AS s (key_id, period, period_start, spent, held)
    SELECT p.key, p.period, p.period_start, 0, sum(p.ceiling) FROM placed p WHERE p.cap IS NOT NULL GROUP BY p.key, p.period, p.period_start
    ON CONFLICT (key_id, period, period_start) DO UPDATE SET held = s.held + excluded.held
  )
  SELECT p.ord, p.free::bigint FROM placed p;
END $$;

-- One item of a settlement. `charged` false releases the hold; the fields after it are the charge's columns that are no
-- money, null then.
CREATE TYPE ledger_settlement AS (
  ord integer, request text, account text, key text, period text, "periodStart" timestamptz, "inputCost" bigint, "outputCost" bigint,
  charged boolean, model text, provider text, "priceVersion" text, "inputTokens" bigint, "outputTokens" bigint,
  "cachedInputTokens" bigint, "reasoningTokens" bigint, outcome text, streamed boolean, estimated boolean, "paidBy" text,
  "firstTokenMs" integer, "providerMs" integer
);

-- Settles one item with row statements; its account is locked. See ledger_settle_holds for the outcomes.
CREATE FUNCTION ledger_settle_hold(item ledger_settlement, at timestamptz, OUT outcome text, OUT input_paid bigint, OUT output_paid bigint)
LANGUAGE plpgsql AS $$
DECLARE
  ended hold;
  paid bigint := 0;
  due bigint := item."inputCost" + item."outputCost";
BEGIN
  DELETE FROM hold h WHERE h.request_id = item.request AND h.account_id = item.account RETURNING h.* INTO ended;
  IF ended.request_id IS NOT NULL THEN
    IF item.charged THEN
      outcome := 'settled';
      paid := least(due, ended.ceiling);
    ELSE
      outcome := 'released';
    END IF;
    UPDATE ledger_account a SET posted = a.posted - paid, held = a.held - ended.ceiling WHERE a.id = item.account;
    IF ended.period IS NOT NULL THEN
      UPDATE key_spend s SET spent = s.spent + paid, held = s.held - ended.ceiling
        WHERE s.key_id = ended.key_id AND s.period = ended.period AND s.period_start = ended.period_start;
    END IF;
  ELSE
    IF NOT item.charged OR EXISTS (SELECT 1 FROM charge c WHERE c.account_id = item.account AND c.request_id = item.request) THEN
      outcome := 'already';
      SELECT c.input_cost, c.output_cost INTO input_paid, output_paid
        FROM charge c WHERE c.account_id = item.account AND c.request_id = item.request;
      RETURN;
    END IF;
    outcome := 'late';
    SELECT least(due, greatest(a.posted - a.held, 0)) INTO paid FROM ledger_account a WHERE a.id = item.account;
    IF paid IS NULL THEN RAISE EXCEPTION 'request % names account % that does not exist', item.request, item.account; END IF;
    UPDATE ledger_account a SET posted = a.posted - paid WHERE a.id = item.account;
    IF item.period IS NOT NULL THEN
      UPDATE key_spend s SET spent = s.spent + paid
        WHERE s.key_id = item.key AND s.period = item.period AND s.period_start = item."periodStart";
    END IF;
  END IF;
  IF NOT item.charged THEN RETURN; END IF;
  input_paid := least(item."inputCost", paid);
  output_paid := paid - input_paid;
  INSERT INTO charge (account_id, request_id, key_id, model, provider, price_version, input_tokens, output_tokens, cached_input_tokens,
      reasoning_tokens, input_cost, output_cost, operator_loss, outcome, streamed, estimated, paid_by, first_token_ms, provider_ms, at)
    VALUES (item.account, item.request, item.key, item.model, item.provider, item."priceVersion", item."inputTokens", item."outputTokens",
      item."cachedInputTokens", item."reasoningTokens", input_paid, output_paid, due - paid, item.outcome, item.streamed, item.estimated,
      item."paidBy", item."firstTokenMs", item."providerMs", at);
END $$;

-- Ends holds. Outcomes: settled (charged up to the hold; what the answer cost beyond it is the operator's loss), released,
-- late (the hold had expired: what is available is charged, the rest is the operator's loss), already (this request was
-- settled or released before; the costs are those of its charge, if it has one). Accounts must be locked, after
-- ledger_begin_charges. items = [ledger_settlement as JSON]; `requests` and `accounts` name the same items.
CREATE FUNCTION ledger_settle_holds(items json, requests text[], accounts text[], at timestamptz)
RETURNS TABLE (ord integer, outcome text, input_cost bigint, output_cost bigint) LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  item ledger_settlement;
  done record;
  total integer := array_length(requests, 1);
BEGIN
  IF total > 2 THEN
    RETURN QUERY
    WITH due AS MATERIALIZED (
      SELECT i.*, h.ceiling, h.key_id AS held_key, h.period AS held_period, h.period_start AS held_start, i."inputCost" + i."outputCost" AS total_due,
        CASE WHEN i.charged THEN least(i."inputCost" + i."outputCost", h.ceiling) ELSE 0 END AS paid
      FROM json_populate_recordset(NULL::ledger_settlement, items) i JOIN hold h ON h.request_id = i.request
      -- A late or repeated item depends on the items before it, and takes the batch to the row statements below.
      WHERE total = (SELECT count(DISTINCT x.request_id) FROM unnest(requests, accounts) AS l(request, account)
        JOIN hold x ON x.request_id = l.request AND x.account_id = l.account)
    ), ended AS (
      DELETE FROM hold h USING due d WHERE h.request_id = d.request
    ), account_changes AS (
      UPDATE ledger_account a SET posted = a.posted - d.paid, held = a.held - d.ceiling
      FROM (SELECT x.account, sum(x.paid)::bigint AS paid, sum(x.ceiling)::bigint AS ceiling FROM due x GROUP BY x.account) d
      WHERE a.id = d.account
    ), spends AS (
      UPDATE key_spend s SET spent = s.spent + d.paid, held = s.held - d.ceiling
      FROM (
        SELECT x.held_key, x.held_period, x.held_start, sum(x.paid)::bigint AS paid, sum(x.ceiling)::bigint AS ceiling
        FROM due x WHERE x.held_period IS NOT NULL GROUP BY x.held_key, x.held_period, x.held_start
      ) d
      WHERE s.key_id = d.held_key AND s.period = d.held_period AND s.period_start = d.held_start
    ), charges AS (
      INSERT INTO charge (account_id, request_id, key_id, model, provider, price_version, input_tokens, output_tokens, cached_input_tokens,
        reasoning_tokens, input_cost, output_cost, operator_loss, outcome, streamed, estimated, paid_by, first_token_ms, provider_ms, at)
      SELECT d.account, d.request, d.held_key, d.model, d.provider, d."priceVersion", d."inputTokens", d."outputTokens", d."cachedInputTokens",
        d."reasoningTokens", least(d."inputCost", d.paid), d.paid - least(d."inputCost", d.paid), d.total_due - d.paid, d.outcome, d.streamed,
        d.estimated, d."paidBy", d."firstTokenMs", d."providerMs", at
      FROM due d WHERE d.charged
    )
    SELECT d.ord, CASE WHEN d.charged THEN 'settled' ELSE 'released' END,
      CASE WHEN d.charged THEN least(d."inputCost", d.paid) END,
      CASE WHEN d.charged THEN d.paid - least(d."inputCost", d.paid) END
    FROM due d;
    IF FOUND THEN RETURN; END IF;
  END IF;
  FOR item IN SELECT * FROM json_populate_recordset(NULL::ledger_settlement, items) i ORDER BY i.ord LOOP
    done := ledger_settle_hold(item, at);
    ord := item.ord;
    outcome := done.outcome;
    input_cost := done.input_paid;
    output_cost := done.output_paid;
    RETURN NEXT;
  END LOOP;
END $$;

-- Frees holds whose deadline has passed: their process died, or their settle never came. Returns what it freed.
CREATE FUNCTION ledger_expire_holds(at timestamptz, most integer)
RETURNS TABLE (request_id text, account_id text, ceiling bigint) LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  due text[];
BEGIN
  due := ARRAY(SELECT h.request_id FROM hold h WHERE h.deadline < at ORDER BY h.deadline LIMIT most);
  PERFORM ledger_lock_accounts(ARRAY(SELECT DISTINCT h.account_id FROM hold h WHERE h.request_id = ANY (due)));
  RETURN QUERY
  WITH ended AS (
    DELETE FROM hold h WHERE h.request_id = ANY (due)
    RETURNING h.request_id, h.account_id, h.key_id, h.ceiling, h.period, h.period_start
  ), accounts AS (
    UPDATE ledger_account a SET held = a.held - d.ceiling
    FROM (SELECT e.account_id, sum(e.ceiling)::bigint AS ceiling FROM ended e GROUP BY e.account_id) d
    WHERE a.id = d.account_id
  ), spends AS (
    UPDATE key_spend s SET held = s.held - d.ceiling
    FROM (
      SELECT e.key_id, e.period, e.period_start, sum(e.ceiling)::bigint AS ceiling
      FROM ended e WHERE e.period IS NOT NULL GROUP BY e.key_id, e.period, e.period_start
    ) d
    WHERE s.key_id = d.key_id AND s.period = d.period AND s.period_start = d.period_start
  )
  SELECT e.request_id, e.account_id, e.ceiling FROM ended e;
END $$;

-- Opens the spend row of a key's period from what the ledger holds, under the account's lock: for a cap that is set, or
-- whose period is changed, after the key was used. Its open holds count in the new period from then on.
CREATE FUNCTION ledger_open_key_spend(account text, key text, new_period text, new_start timestamptz) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM ledger_lock_accounts(ARRAY[account]);
  UPDATE key_spend s SET held = 0 WHERE s.key_id = key AND s.held > 0;
  UPDATE hold h SET period = new_period, period_start = new_start WHERE h.account_id = account AND h.key_id = key;
  INSERT INTO key_spend AS s (key_id, period, period_start, spent, held)
    SELECT key, new_period, new_start,
      coalesce((SELECT sum(c.input_cost + c.output_cost) FROM charge c WHERE c.account_id = account AND c.key_id = key AND c.at >= new_start), 0),
      coalesce((SELECT sum(h.ceiling) FROM hold h WHERE h.account_id = account AND h.key_id = key), 0)
    ON CONFLICT (key_id, period, period_start) DO UPDATE SET spent = excluded.spent, held = excluded.held;
END $$;

-- The sequence number up to which every charge is committed. Waits for the batches under way, and only for those.
CREATE FUNCTION ledger_roll_up_mark() RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(7305001);
  RETURN (SELECT coalesce(max(c.seq), 0) FROM charge c WHERE c.seq >= (SELECT coalesce(min(a.rolled_up_to), 0) FROM ledger_account a WHERE a.rolled_up_to IS NOT NULL));
END $$;

-- Adds the charges up to `mark` (from ledger_roll_up_mark, in a transaction before this one) to the accounts that they do
-- not touch themselves.
CREATE FUNCTION ledger_roll_up(mark bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM 1 FROM ledger_account a WHERE a.rolled_up_to IS NOT NULL ORDER BY a.id FOR UPDATE;
  UPDATE ledger_account a SET
    posted = a.posted + coalesce((
      SELECT sum(CASE a.id WHEN 'revenue' THEN c.input_cost + c.output_cost + c.operator_loss ELSE -c.operator_loss END)
      FROM charge c WHERE c.seq > a.rolled_up_to AND c.seq <= mark), 0),
    rolled_up_to = greatest(a.rolled_up_to, mark)
  WHERE a.rolled_up_to IS NOT NULL AND a.rolled_up_to < mark;
END $$;

-- Proves the books; returns one row per violation, none when they are clean. Run it in one REPEATABLE READ transaction.
CREATE FUNCTION ledger_check(at timestamptz)
RETURNS TABLE (invariant text, subject text, expected numeric, actual numeric) LANGUAGE sql AS $$
  SELECT 'the entries of a transfer sum to zero', e.transfer_id, 0::numeric, sum(e.amount)
    FROM ledger_entry e GROUP BY e.transfer_id HAVING sum(e.amount) <> 0
  UNION ALL
  SELECT 'every entry has its transfer', e.transfer_id, 1, 0
    FROM entry e WHERE NOT EXISTS (SELECT 1 FROM transfer t WHERE t.id = e.transfer_id)
  UNION ALL
  SELECT 'every transfer has its entries', t.id, 2, 0
    FROM transfer t WHERE NOT EXISTS (SELECT 1 FROM entry e WHERE e.transfer_id = t.id)
  UNION ALL
  SELECT 'an account equals the sum of its entries', coalesce(a.id, s.account_id), coalesce(s.total, 0), coalesce(a.posted, 0)
    FROM ledger_account a
    FULL JOIN (
      SELECT e.account_id, sum(e.amount) AS total FROM ledger_entry e
      LEFT JOIN ledger_account r ON r.id = e.account_id AND r.rolled_up_to IS NOT NULL
      WHERE r.id IS NULL OR e.seq IS NULL OR e.seq <= r.rolled_up_to GROUP BY e.account_id
    ) s ON s.account_id = a.id
    WHERE coalesce(s.total, 0) <> coalesce(a.posted, 0) OR (a.id IS NULL)
  UNION ALL
  SELECT 'what is held equals the open holds', coalesce(a.id, h.account_id), coalesce(h.total, 0), coalesce(a.held, 0)
    FROM ledger_account a
    FULL JOIN (SELECT account_id, sum(ceiling) AS total FROM hold GROUP BY account_id) h ON h.account_id = a.id
    WHERE coalesce(h.total, 0) <> coalesce(a.held, 0)
  UNION ALL
  SELECT 'no hold outlives its deadline by a minute', h.request_id, 0, extract(epoch FROM at - h.deadline)
    FROM hold h WHERE h.deadline < at - interval '1 minute'
  UNION ALL
  SELECT 'a request is charged once', c.request_id, 1, count(*)
    FROM charge c GROUP BY c.request_id HAVING count(*) > 1
  UNION ALL
  SELECT 'a charge is its tokens at its price version', c.request_id,
      c.input_tokens * p.input_price + c.output_tokens * p.output_price, c.input_cost + c.output_cost + c.operator_loss
    FROM charge c LEFT JOIN price_version p ON p.id = c.price_version
    WHERE p.id IS NULL OR c.input_tokens * p.input_price + c.output_tokens * p.output_price <> c.input_cost + c.output_cost + c.operator_loss
  UNION ALL
  SELECT 'who has an arrival has all of it', r.transfer_id, -coalesce(e.amount, 0), r.total
    FROM (SELECT a.transfer_id, a.funding_id, sum(a.amount) AS total FROM arrival a GROUP BY a.transfer_id, a.funding_id) r
    LEFT JOIN entry e ON e.transfer_id = r.transfer_id AND e.account_id = r.funding_id
    WHERE r.total IS DISTINCT FROM -e.amount
  UNION ALL
  SELECT 'what a capped key holds equals its open holds', coalesce(s.key_id, h.key_id), coalesce(h.total, 0), coalesce(s.held, 0)
    FROM key_spend s
    FULL JOIN (SELECT key_id, period, period_start, sum(ceiling) AS total FROM hold WHERE period IS NOT NULL GROUP BY 1, 2, 3) h
      ON h.key_id = s.key_id AND h.period = s.period AND h.period_start = s.period_start
    WHERE coalesce(s.held, 0) <> coalesce(h.total, 0)
$$;
