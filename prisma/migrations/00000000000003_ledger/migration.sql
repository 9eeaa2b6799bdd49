-- ledger: the only writer of money. Amounts are whole nano-USD. A customer's `posted` is what we owe them.
-- There are no foreign keys between the tables of the hot path: each would lock one more row per request;
-- `ledger_check` proves what they would.

CREATE TABLE ledger_account (
  id text COLLATE "C" PRIMARY KEY,
  kind text NOT NULL CHECK (kind IN ('customer', 'funding', 'revenue', 'operator_loss')),
  posted bigint NOT NULL DEFAULT 0,
  held bigint NOT NULL DEFAULT 0 CHECK (held >= 0),
  -- For accounts that requests only append entries to (revenue, operator_loss): entries up to this one are in `posted`.
  rolled_up_to bigint,
  created_at timestamptz NOT NULL,
  CONSTRAINT customer_never_negative CHECK (kind <> 'customer' OR posted - held >= 0),
  CONSTRAINT appended_accounts_are_rolled_up CHECK ((kind IN ('revenue', 'operator_loss')) = (rolled_up_to IS NOT NULL))
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000, vacuum_truncate = off);

CREATE TABLE transfer (
  -- The idempotency key of what caused it: a request id, a deposit's place on its chain.
  id text COLLATE "C" PRIMARY KEY,
  kind text NOT NULL,
  at timestamptz NOT NULL
);

CREATE TABLE entry (
  transfer_id text COLLATE "C" NOT NULL,
  account_id text COLLATE "C" NOT NULL,
  amount bigint NOT NULL CHECK (amount <> 0),
  seq bigint GENERATED ALWAYS AS IDENTITY,
  PRIMARY KEY (transfer_id, account_id)
);
-- Only the roll-up reads by sequence, and only the newest rows: a BRIN index costs an insert nothing.
CREATE INDEX entry_seq_idx ON entry USING brin (seq) WITH (autosummarize = on, pages_per_range = 32);

CREATE TABLE hold (
  request_id text COLLATE "C" PRIMARY KEY,
  account_id text COLLATE "C" NOT NULL,
  key_id text COLLATE "C",
  ceiling bigint NOT NULL CHECK (ceiling >= 0),
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

-- One row per charged request. Request ids sort by time, so the primary key is also the owner's statement.
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
  input_cost bigint NOT NULL CHECK (input_cost >= 0),
  output_cost bigint NOT NULL CHECK (output_cost >= 0),
  operator_loss bigint NOT NULL CHECK (operator_loss >= 0),
  -- complete | partial (the provider broke off) | cancelled (the client went)
  outcome text NOT NULL,
  streamed boolean NOT NULL,
  -- True when the provider gave no count and ours was used.
  estimated boolean NOT NULL,
  paid_by text NOT NULL,
  first_token_ms integer,
  provider_ms integer NOT NULL,
  at timestamptz NOT NULL,
  PRIMARY KEY (account_id, request_id)
);

CREATE TABLE key_spend (
  key_id text COLLATE "C" NOT NULL,
  period text NOT NULL,
  period_start timestamptz NOT NULL,
  spent bigint NOT NULL CHECK (spent >= 0),
  held bigint NOT NULL CHECK (held >= 0),
  PRIMARY KEY (key_id, period, period_start)
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

CREATE FUNCTION ledger_open_account(account text, account_kind text, at timestamptz) RETURNS void LANGUAGE sql AS $$
  INSERT INTO ledger_account (id, kind, created_at) VALUES (account, account_kind, at) ON CONFLICT (id) DO NOTHING
$$;

-- Wallets are locked in id order: two batches that share two wallets would otherwise wait for each other for ever.
CREATE FUNCTION ledger_lock_accounts(account_ids text[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM 1 FROM ledger_account WHERE id = ANY (account_ids) ORDER BY id FOR UPDATE;
END $$;

-- Whoever appends entries holds this lock shared until its commit; the roll-up takes it alone for a moment to learn up to
-- which sequence number every entry is committed.
CREATE FUNCTION ledger_begin_append() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock_shared(7305001);
END $$;

-- Posts a transfer between accounts that are not on the request path. Returns false, and changes nothing, when a transfer
-- of this id exists. `legs` = [{"account": id, "amount": nano-USD as text}], which must sum to zero.
CREATE FUNCTION ledger_post(transfer text, transfer_kind text, legs json, at timestamptz) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  total numeric;
  touched integer;
  expected integer;
BEGIN
  PERFORM ledger_begin_append();
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
    FROM json_to_recordset(legs) AS leg(account text, amount bigint)
    WHERE a.id = leg.account AND a.rolled_up_to IS NULL;
  GET DIAGNOSTICS touched = ROW_COUNT;
  SELECT expected - count(*) INTO expected FROM json_to_recordset(legs) AS leg(account text)
    JOIN ledger_account a ON a.id = leg.account AND a.rolled_up_to IS NOT NULL;
  IF touched <> expected THEN
    RAISE EXCEPTION 'transfer % names an account that does not exist', transfer;
  END IF;
  RETURN true;
END $$;

-- Decides one hold with row statements; the account must be locked. `cap` null = the key has none.
CREATE FUNCTION ledger_place_hold(
  request text, account text, key text, amount bigint, key_cap bigint, key_period text, key_period_start timestamptz,
  at timestamptz, until timestamptz, OUT outcome text, OUT available bigint, OUT spent bigint
) LANGUAGE plpgsql AS $$
BEGIN
  IF key_cap IS NOT NULL THEN
    SELECT s.spent + s.held INTO spent FROM key_spend s
      WHERE s.key_id = key AND s.period = key_period AND s.period_start = key_period_start;
    spent := coalesce(spent, 0);
    IF spent + amount > key_cap THEN
      outcome := 'cap_reached';
      RETURN;
    END IF;
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
    INSERT INTO key_spend AS s (key_id, period, period_start, spent, held) VALUES (key, key_period, key_period_start, 0, amount)
      ON CONFLICT (key_id, period, period_start) DO UPDATE SET held = s.held + excluded.held;
  END IF;
  outcome := 'held';
END $$;

-- Decides many holds, in arrival order within each account, then writes them with set statements. Accounts must be locked.
-- The arrays are parallel, one place per item; an item without a ceiling was refused before and gets no result.
CREATE FUNCTION ledger_place_holds(
  requests text[], accounts text[], keys text[], ceilings bigint[], caps bigint[], periods text[], period_starts timestamptz[],
  at timestamptz, until timestamptz
) RETURNS TABLE (ord bigint, outcome text, available bigint, spent bigint) LANGUAGE plpgsql AS $$
DECLARE
  item record;
  current_account text := NULL;
  free bigint;
  seen_keys text[];
  seen_used bigint[];
  place integer;
  granted boolean[] := array_fill(false, ARRAY[array_length(requests, 1)]);
  any_cap boolean := false;
BEGIN
  FOR item IN
    SELECT i.ord, i.account, i.key, i.ceiling, i.cap, coalesce(s.spent + s.held, 0) AS key_used, a.posted - a.held AS account_free
    FROM unnest(accounts, keys, ceilings, caps, periods, period_starts) WITH ORDINALITY AS i(account, key, ceiling, cap, period, period_start, ord)
    LEFT JOIN ledger_account a ON a.id = i.account
    LEFT JOIN key_spend s ON s.key_id = i.key AND s.period = i.period AND s.period_start = i.period_start AND i.cap IS NOT NULL
    WHERE i.ceiling IS NOT NULL
    ORDER BY i.account, i.ord
  LOOP
    IF item.account IS DISTINCT FROM current_account THEN
      current_account := item.account;
      free := item.account_free;
      seen_keys := '{}';
      seen_used := '{}';
    END IF;
    ord := item.ord;
    spent := NULL;
    available := NULL;
    place := NULL;
    IF item.cap IS NOT NULL THEN
      any_cap := true;
      place := array_position(seen_keys, item.key);
      IF place IS NULL THEN
        seen_keys := seen_keys || item.key;
        seen_used := seen_used || item.key_used;
        place := array_length(seen_keys, 1);
      END IF;
      spent := seen_used[place];
      IF spent + item.ceiling > item.cap THEN
        outcome := 'cap_reached';
        RETURN NEXT;
        CONTINUE;
      END IF;
    END IF;
    IF free IS NULL OR free < item.ceiling THEN
      outcome := 'insufficient';
      available := coalesce(free, 0);
      RETURN NEXT;
      CONTINUE;
    END IF;
    free := free - item.ceiling;
    IF place IS NOT NULL THEN seen_used[place] := seen_used[place] + item.ceiling; END IF;
    granted[item.ord] := true;
    outcome := 'held';
    available := free;
    RETURN NEXT;
  END LOOP;

  UPDATE ledger_account a SET held = a.held + d.amount
    FROM (
      SELECT i.account, sum(i.ceiling)::bigint AS amount
      FROM unnest(accounts, ceilings, granted) AS i(account, ceiling, granted) WHERE i.granted GROUP BY i.account
    ) d
    WHERE a.id = d.account;
  INSERT INTO hold (request_id, account_id, key_id, ceiling, period, period_start, placed_at, deadline)
    SELECT i.request, i.account, i.key, i.ceiling, CASE WHEN i.cap IS NULL THEN NULL ELSE i.period END,
      CASE WHEN i.cap IS NULL THEN NULL ELSE i.period_start END, at, until
    FROM unnest(requests, accounts, keys, ceilings, caps, periods, period_starts, granted)
      AS i(request, account, key, ceiling, cap, period, period_start, granted)
    WHERE i.granted;
  IF any_cap THEN
    INSERT INTO key_spend AS s (key_id, period, period_start, spent, held)
      SELECT i.key, i.period, i.period_start, 0, sum(i.ceiling)
      FROM unnest(keys, ceilings, caps, periods, period_starts, granted) AS i(key, ceiling, cap, period, period_start, granted)
      WHERE i.cap IS NOT NULL AND i.granted
      GROUP BY i.key, i.period, i.period_start
      ON CONFLICT (key_id, period, period_start) DO UPDATE SET held = s.held + excluded.held;
  END IF;
END $$;

-- One item of a settlement. `charged` false releases the hold; the fields after it are the charge's columns that are no
-- money, null then.
CREATE TYPE ledger_settlement AS (
  ord integer, request text, account text, key text, period text, "periodStart" timestamptz, "inputCost" bigint, "outputCost" bigint,
  charged boolean, model text, provider text, "priceVersion" text, "inputTokens" bigint, "outputTokens" bigint,
  "cachedInputTokens" bigint, "reasoningTokens" bigint, outcome text, streamed boolean, estimated boolean, "paidBy" text,
  "firstTokenMs" integer, "providerMs" integer
);

-- Books one charge with row statements: the transfer, its entries, the charge row. The account is updated by the caller.
CREATE FUNCTION ledger_book_charge(item ledger_settlement, input_paid bigint, output_paid bigint, loss bigint, at timestamptz)
RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO transfer (id, kind, at) VALUES (item.request, 'charge', at);
  INSERT INTO entry (transfer_id, account_id, amount)
    SELECT item.request, leg.id, leg.amount
    FROM (VALUES (item.account, -(input_paid + output_paid)), ('revenue', input_paid + output_paid + loss), ('operator_loss', -loss)) AS leg(id, amount)
    WHERE leg.amount <> 0;
  INSERT INTO charge (account_id, request_id, key_id, model, provider, price_version, input_tokens, output_tokens, cached_input_tokens,
      reasoning_tokens, input_cost, output_cost, operator_loss, outcome, streamed, estimated, paid_by, first_token_ms, provider_ms, at)
    VALUES (item.account, item.request, item.key, item.model, item.provider, item."priceVersion", item."inputTokens", item."outputTokens",
      item."cachedInputTokens", item."reasoningTokens", input_paid, output_paid, loss, item.outcome, item.streamed, item.estimated,
      item."paidBy", item."firstTokenMs", item."providerMs", at);
END $$;

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
    IF NOT item.charged OR EXISTS (SELECT 1 FROM transfer t WHERE t.id = item.request) THEN
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
  PERFORM ledger_book_charge(item, input_paid, output_paid, due - paid, at);
END $$;

-- Ends holds. Outcomes: settled (charged up to the hold; what the answer cost beyond it is the operator's loss), released,
-- late (the hold had expired: what is available is charged, the rest is the operator's loss), already (this request was
-- settled or released before; the costs are those of its charge, if it has one).
-- items = [ledger_settlement as JSON]; `requests` and `accounts` name the same items, so that locking reads no JSON.
CREATE FUNCTION ledger_settle_holds(items json, requests text[], accounts text[], at timestamptz)
RETURNS TABLE (ord integer, outcome text, input_cost bigint, output_cost bigint) LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  item ledger_settlement;
  done record;
  total integer := array_length(requests, 1);
  live integer := 0;
BEGIN
  PERFORM ledger_begin_append();
  PERFORM ledger_lock_accounts(accounts);
  IF total > 2 THEN
    SELECT count(DISTINCT h.request_id) INTO live FROM unnest(requests, accounts) AS i(request, account)
      JOIN hold h ON h.request_id = i.request AND h.account_id = i.account;
  END IF;

  -- A late or repeated item depends on the items before it; row statements take those, one after the other.
  IF live < total THEN
    FOR item IN SELECT * FROM json_populate_recordset(NULL::ledger_settlement, items) i ORDER BY i.ord LOOP
      done := ledger_settle_hold(item, at);
      ord := item.ord;
      outcome := done.outcome;
      input_cost := done.input_paid;
      output_cost := done.output_paid;
      RETURN NEXT;
    END LOOP;
    RETURN;
  END IF;

  RETURN QUERY
  WITH due AS MATERIALIZED (
    SELECT i.*, h.ceiling, h.key_id AS held_key, h.period AS held_period, h.period_start AS held_start, i."inputCost" + i."outputCost" AS total_due,
      CASE WHEN i.charged THEN least(i."inputCost" + i."outputCost", h.ceiling) ELSE 0 END AS paid
    FROM json_populate_recordset(NULL::ledger_settlement, items) i JOIN hold h ON h.request_id = i.request
  ), ended AS (
    DELETE FROM hold h WHERE h.request_id = ANY (requests)
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
  ), transfers AS (
    INSERT INTO transfer (id, kind, at) SELECT d.request, 'charge', at FROM due d WHERE d.charged
  ), entries AS (
    INSERT INTO entry (transfer_id, account_id, amount)
    SELECT d.request, leg.id, leg.amount FROM due d
    CROSS JOIN LATERAL (VALUES (d.account, -d.paid), ('revenue', d.total_due), ('operator_loss', d.paid - d.total_due)) AS leg(id, amount)
    WHERE d.charged AND leg.amount <> 0
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

-- The sequence number up to which every entry is committed. Waits for the batches under way, and only for those.
CREATE FUNCTION ledger_roll_up_mark() RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(7305001);
  RETURN (SELECT coalesce(max(e.seq), 0) FROM entry e WHERE e.seq >= (SELECT coalesce(min(a.rolled_up_to), 0) FROM ledger_account a WHERE a.rolled_up_to IS NOT NULL));
END $$;

-- Adds the entries up to `mark` (from ledger_roll_up_mark, in a transaction before this one) to the appended accounts.
CREATE FUNCTION ledger_roll_up(mark bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM 1 FROM ledger_account a WHERE a.rolled_up_to IS NOT NULL ORDER BY a.id FOR UPDATE;
  UPDATE ledger_account a SET
    posted = a.posted + coalesce((SELECT sum(e.amount) FROM entry e WHERE e.account_id = a.id AND e.seq > a.rolled_up_to AND e.seq <= mark), 0),
    rolled_up_to = greatest(a.rolled_up_to, mark)
  WHERE a.rolled_up_to IS NOT NULL AND a.rolled_up_to < mark;
END $$;

-- Proves the books; returns one row per violation, none when they are clean. Run it in one REPEATABLE READ transaction.
CREATE FUNCTION ledger_check(at timestamptz)
RETURNS TABLE (invariant text, subject text, expected numeric, actual numeric) LANGUAGE sql AS $$
  SELECT 'the entries of a transfer sum to zero', e.transfer_id, 0::numeric, sum(e.amount)
    FROM entry e GROUP BY e.transfer_id HAVING sum(e.amount) <> 0
  UNION ALL
  SELECT 'every entry has its transfer', e.transfer_id, 1, 0
    FROM entry e WHERE NOT EXISTS (SELECT 1 FROM transfer t WHERE t.id = e.transfer_id)
  UNION ALL
  SELECT 'an account equals the sum of its entries', coalesce(a.id, s.account_id), coalesce(s.total, 0), coalesce(a.posted, 0)
    FROM ledger_account a
    FULL JOIN (
      SELECT e.account_id, sum(e.amount) AS total FROM entry e
      LEFT JOIN ledger_account r ON r.id = e.account_id AND r.rolled_up_to IS NOT NULL
      WHERE r.id IS NULL OR e.seq <= r.rolled_up_to GROUP BY e.account_id
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
  SELECT 'a charge equals its transfer', c.request_id, c.input_cost + c.output_cost, -coalesce(e.amount, 0)
    FROM charge c
    LEFT JOIN transfer t ON t.id = c.request_id AND t.kind = 'charge'
    LEFT JOIN entry e ON e.transfer_id = c.request_id AND e.account_id = c.account_id
    WHERE t.id IS NULL OR c.input_cost + c.output_cost <> -coalesce(e.amount, 0)
  UNION ALL
  SELECT 'a charge and its loss equal its revenue', c.request_id, c.input_cost + c.output_cost + c.operator_loss, coalesce(e.amount, 0)
    FROM charge c LEFT JOIN entry e ON e.transfer_id = c.request_id AND e.account_id = 'revenue'
    WHERE c.input_cost + c.output_cost + c.operator_loss <> coalesce(e.amount, 0)
  UNION ALL
  SELECT 'a charge transfer has its charge', t.id, 1, 0
    FROM transfer t LEFT JOIN charge c ON c.request_id = t.id
    WHERE t.kind = 'charge' AND c.request_id IS NULL
  UNION ALL
  SELECT 'a charge is its tokens at its price version', c.request_id,
      c.input_tokens * p.input_price + c.output_tokens * p.output_price, c.input_cost + c.output_cost + c.operator_loss
    FROM charge c LEFT JOIN price_version p ON p.id = c.price_version
    WHERE p.id IS NULL OR c.input_tokens * p.input_price + c.output_tokens * p.output_price <> c.input_cost + c.output_cost + c.operator_loss
  UNION ALL
  SELECT 'what a capped key holds equals its open holds', coalesce(s.key_id, h.key_id), coalesce(h.total, 0), coalesce(s.held, 0)
    FROM key_spend s
    FULL JOIN (SELECT key_id, period, period_start, sum(ceiling) AS total FROM hold WHERE period IS NOT NULL GROUP BY 1, 2, 3) h
      ON h.key_id = s.key_id AND h.period = s.period AND h.period_start = s.period_start
    WHERE coalesce(s.held, 0) <> coalesce(h.total, 0)
$$;
