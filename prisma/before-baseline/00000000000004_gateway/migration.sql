-- gateway: the way of a request. Owns the claims and saved answers of idempotency keys; composes access and ledger into
-- one commit per batch.

CREATE TABLE idempotent_reply (
  account_id text COLLATE "C" NOT NULL,
  idempotency_key text COLLATE "C" NOT NULL,
  request_id text COLLATE "C" NOT NULL,
  body_hash bytea NOT NULL,
  claimed_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  -- Null while the first request runs.
  status integer,
  streamed boolean,
  body text,
  PRIMARY KEY (account_id, idempotency_key)
);
CREATE INDEX idempotent_reply_expires_at_idx ON idempotent_reply (expires_at);
CREATE INDEX idempotent_reply_request_id_idx ON idempotent_reply (request_id);

-- Decides one request with row statements: is its key still good (without a key: its account), is its idempotency key free,
-- does its ceiling fit.
CREATE FUNCTION gateway_place_hold(
  request text, account text, key text, ceiling bigint, deadline timestamptz, idempotency text, hash bytea, at timestamptz,
  OUT outcome text, OUT available bigint, OUT spent bigint, OUT key_state text, OUT cap bigint, OUT period text, OUT period_start timestamptz
) LANGUAGE plpgsql AS $$
DECLARE
  claim idempotent_reply;
BEGIN
  IF key IS NOT NULL THEN
    SELECT k.state, k.cap, k.period, k.period_start INTO key_state, cap, period, period_start FROM access_key_states(ARRAY[key], at) k;
    IF key_state IS DISTINCT FROM 'active' THEN
      outcome := 'key_unusable';
      key_state := coalesce(key_state, 'unknown');
      RETURN;
    END IF;
  ELSIF access_is_frozen(account) THEN
    outcome := 'account_frozen';
    RETURN;
  END IF;
  IF idempotency IS NOT NULL THEN
    SELECT * INTO claim FROM idempotent_reply r WHERE r.account_id = account AND r.idempotency_key = idempotency;
    IF claim.expires_at <= at AND claim.status IS NOT NULL THEN
      DELETE FROM idempotent_reply r WHERE r.account_id = account AND r.idempotency_key = idempotency;
    ELSIF claim.request_id IS NOT NULL THEN
      outcome := CASE WHEN claim.body_hash <> hash THEN 'mismatch' WHEN claim.status IS NULL THEN 'in_progress' ELSE 'replay' END;
      RETURN;
    END IF;
  END IF;
  SELECT h.outcome, h.available, h.spent INTO outcome, available, spent
    FROM ledger_place_hold(request, account, key, ceiling, cap, period, period_start, at, deadline) h;
  IF outcome = 'held' AND idempotency IS NOT NULL THEN
    INSERT INTO idempotent_reply (account_id, idempotency_key, request_id, body_hash, claimed_at, expires_at)
      VALUES (account, idempotency, request, hash, at, at + interval '24 hours');
  END IF;
END $$;

-- Decides a batch in arrival order, one result per item. Outcomes: held, insufficient, cap_reached, key_unusable (see
-- key_state), account_frozen (of items without a key), replay, in_progress, mismatch. The arrays are parallel, one place per item; `idempotencies` and `hashes` are
-- null when no item has an idempotency key. Accounts must be locked.
CREATE FUNCTION gateway_decide_holds(
  requests text[], accounts text[], keys text[], ceilings bigint[], idempotencies text[], hashes bytea[], at timestamptz, until timestamptz
) RETURNS TABLE (ord bigint, outcome text, available bigint, spent bigint, key_state text, cap bigint, period text, period_start timestamptz)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  done record;
  usable boolean;
  caps bigint[];
  periods text[];
  starts timestamptz[];
BEGIN
  -- An idempotency key can make an item depend on the one before it; row statements take such a batch.
  IF array_length(requests, 1) > 2 AND idempotencies IS NULL THEN
    SELECT bool_and(CASE WHEN i.key IS NULL THEN NOT access_is_frozen(i.account) ELSE coalesce(i.state = 'active', false) END),
        array_agg(i.cap), array_agg(i.period), array_agg(i.period_start)
      INTO usable, caps, periods, starts
      FROM (
        SELECT i.account, i.key, k.state, k.cap, k.period, k.period_start FROM unnest(accounts, keys) WITH ORDINALITY AS i(account, key, ord)
        LEFT JOIN LATERAL access_key_states(ARRAY[i.key], at) k ON true ORDER BY i.ord
      ) i;
    IF usable THEN
      RETURN QUERY
        SELECT p.ord, 'held', p.available, NULL::bigint, CASE WHEN keys[p.ord] IS NOT NULL THEN 'active' END, caps[p.ord], periods[p.ord], starts[p.ord]
        FROM ledger_place_holds(requests, accounts, keys, ceilings, caps, periods, starts, at, until) p;
      IF FOUND THEN RETURN; END IF;
    END IF;
  END IF;
  FOR place IN 1 .. array_length(requests, 1) LOOP
    done := gateway_place_hold(requests[place], accounts[place], keys[place], ceilings[place], until, idempotencies[place], hashes[place], at);
    ord := place;
    outcome := done.outcome;
    available := done.available;
    spent := done.spent;
    key_state := done.key_state;
    cap := done.cap;
    period := done.period;
    period_start := done.period_start;
    RETURN NEXT;
  END LOOP;
END $$;

-- Locks the accounts of a batch and decides it: see gateway_decide_holds.
CREATE FUNCTION gateway_place_holds(
  requests text[], accounts text[], keys text[], ceilings bigint[], idempotencies text[], hashes bytea[], at timestamptz, until timestamptz
) RETURNS TABLE (ord bigint, outcome text, available bigint, spent bigint, key_state text, cap bigint, period text, period_start timestamptz)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
  PERFORM ledger_lock_accounts(accounts);
  RETURN QUERY SELECT * FROM gateway_decide_holds(requests, accounts, keys, ceilings, idempotencies, hashes, at, until);
END $$;

-- Saves the answers of requests that carried an idempotency key.
-- `replies` = [{"account", "idempotency", "request", "status", "streamed", "body"}]; one without a body gives its claim back.
CREATE FUNCTION gateway_save_replies(replies json) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  -- A failed request stores nothing: its key may be used again.
  DELETE FROM idempotent_reply r USING json_to_recordset(replies) AS i(account text, idempotency text, request text, body text)
    WHERE i.body IS NULL AND r.account_id = i.account AND r.idempotency_key = i.idempotency AND r.request_id = i.request AND r.status IS NULL;
  UPDATE idempotent_reply r SET status = i.status, body = i.body, streamed = i.streamed
    FROM json_to_recordset(replies) AS i(account text, idempotency text, request text, status integer, streamed boolean, body text)
    WHERE i.body IS NOT NULL AND r.account_id = i.account AND r.idempotency_key = i.idempotency AND r.request_id = i.request AND r.status IS NULL;
END $$;

-- Ends a batch of holds and saves answers, in one commit. `items`, `requests` and `accounts` as in ledger_settle_holds;
-- `replies` as in gateway_save_replies, null when no item has an idempotency key.
CREATE FUNCTION gateway_settle_holds(items json, requests text[], accounts text[], replies json, at timestamptz)
RETURNS TABLE (ord integer, outcome text, input_cost bigint, output_cost bigint) LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
  PERFORM ledger_begin_charges();
  PERFORM ledger_lock_accounts(accounts);
  RETURN QUERY SELECT * FROM ledger_settle_holds(items, requests, accounts, at);
  IF replies IS NOT NULL THEN PERFORM gateway_save_replies(replies); END IF;
END $$;

-- Frees expired holds and, with them, the claims of the requests that died.
CREATE FUNCTION gateway_expire_holds(at timestamptz, most integer)
RETURNS TABLE (request_id text, account_id text, ceiling bigint) LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY
  WITH ended AS MATERIALIZED (SELECT * FROM ledger_expire_holds(at, most)), claims AS (
    DELETE FROM idempotent_reply r USING ended e WHERE r.request_id = e.request_id AND r.status IS NULL
  )
  SELECT e.request_id, e.account_id, e.ceiling FROM ended e;
END $$;

-- One commit for what ends and what begins: settlements first, so that the money they free is there for the holds, then
-- holds. Results come in the order of the settlements, then of the holds; each half fills its own columns.
CREATE FUNCTION gateway_commit(
  settlements json, settled_requests text[], settled_accounts text[], replies json,
  requests text[], accounts text[], keys text[], ceilings bigint[], idempotencies text[], hashes bytea[], at timestamptz, until timestamptz
) RETURNS TABLE (
  place bigint, outcome text, input_cost bigint, output_cost bigint, available bigint, spent bigint, key_state text, cap bigint,
  period text, period_start timestamptz
) LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
  -- Both halves' accounts at once, in order; and the lock of those who book charges before them, as everywhere.
  PERFORM ledger_begin_charges();
  PERFORM ledger_lock_accounts(settled_accounts || accounts);
  RETURN QUERY
    SELECT s.ord::bigint, s.outcome, s.input_cost, s.output_cost, NULL::bigint, NULL::bigint, NULL::text, NULL::bigint, NULL::text, NULL::timestamptz
    FROM ledger_settle_holds(settlements, settled_requests, settled_accounts, at) s;
  IF replies IS NOT NULL THEN PERFORM gateway_save_replies(replies); END IF;
  RETURN QUERY
    SELECT array_length(settled_requests, 1) + h.ord, h.outcome, NULL::bigint, NULL::bigint, h.available, h.spent, h.key_state,
      h.cap, h.period, h.period_start
    FROM gateway_decide_holds(requests, accounts, keys, ceilings, idempotencies, hashes, at, until) h;
END $$;
