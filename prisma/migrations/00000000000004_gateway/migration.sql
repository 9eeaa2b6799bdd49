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

-- Decides one request with row statements: is its key still good, is its idempotency key free, does its ceiling fit.
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

-- Decides a batch in arrival order, one result per item, in one commit. Outcomes: held, insufficient, cap_reached,
-- key_unusable (see key_state), replay, in_progress, mismatch. The arrays are parallel, one place per item; `idempotencies`
-- and `hashes` are null when no item has an idempotency key.
CREATE FUNCTION gateway_place_holds(
  requests text[], accounts text[], keys text[], ceilings bigint[], idempotencies text[], hashes bytea[], at timestamptz, until timestamptz
) RETURNS TABLE (ord bigint, outcome text, available bigint, spent bigint, key_state text, cap bigint, period text, period_start timestamptz)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  done record;
  states text[];
  caps bigint[];
  periods text[];
  starts timestamptz[];
  passed bigint[];
BEGIN
  PERFORM ledger_lock_accounts(accounts);
  -- An idempotency key can make an item depend on the one before it; row statements take such a batch.
  IF array_length(requests, 1) <= 2 OR idempotencies IS NOT NULL THEN
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
    RETURN;
  END IF;

  -- Keys first: what they refuse takes no part in the ledger's decisions.
  SELECT array_agg(CASE WHEN i.key IS NOT NULL THEN coalesce(k.state, 'unknown') END ORDER BY i.ord), array_agg(k.cap ORDER BY i.ord),
      array_agg(k.period ORDER BY i.ord), array_agg(k.period_start ORDER BY i.ord),
      array_agg(CASE WHEN i.key IS NULL OR k.state = 'active' THEN i.ceiling END ORDER BY i.ord)
    INTO states, caps, periods, starts, passed
    FROM unnest(keys, ceilings) WITH ORDINALITY AS i(key, ceiling, ord)
    LEFT JOIN access_key_states(keys, at) k ON k.key_id = i.key;
  RETURN QUERY
    WITH decided AS MATERIALIZED (
      SELECT * FROM ledger_place_holds(requests, accounts, keys, passed, caps, periods, starts, at, until)
    )
    SELECT i.ord, coalesce(d.outcome, 'key_unusable'), d.available, d.spent, i.key_state, i.cap, i.period, i.period_start
    FROM unnest(states, caps, periods, starts) WITH ORDINALITY AS i(key_state, cap, period, period_start, ord)
    LEFT JOIN decided d ON d.ord = i.ord;
END $$;

-- Ends a batch of holds and saves the answers of those that carried an idempotency key, in one commit. `items`, `requests`
-- and `accounts` as in ledger_settle_holds; `replies` = [{"account", "idempotency", "request", "status", "streamed", "body"}],
-- null when no item has an idempotency key; a reply without a body gives its claim back.
CREATE FUNCTION gateway_settle_holds(items json, requests text[], accounts text[], replies json, at timestamptz)
RETURNS TABLE (ord integer, outcome text, input_cost bigint, output_cost bigint) LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY SELECT * FROM ledger_settle_holds(items, requests, accounts, at);
  IF replies IS NULL THEN RETURN; END IF;
  -- A failed request stores nothing: its key may be used again.
  DELETE FROM idempotent_reply r USING json_to_recordset(replies) AS i(account text, idempotency text, request text, body text)
    WHERE i.body IS NULL AND r.account_id = i.account AND r.idempotency_key = i.idempotency AND r.request_id = i.request AND r.status IS NULL;
  UPDATE idempotent_reply r SET status = i.status, body = i.body, streamed = i.streamed
    FROM json_to_recordset(replies) AS i(account text, idempotency text, request text, status integer, streamed boolean, body text)
    WHERE i.body IS NOT NULL AND r.account_id = i.account AND r.idempotency_key = i.idempotency AND r.request_id = i.request AND r.status IS NULL;
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
  -- Both halves' accounts at once, in order; and the lock of appenders before them, as everywhere.
  PERFORM ledger_begin_append();
  PERFORM ledger_lock_accounts(settled_accounts || accounts);
  RETURN QUERY
    SELECT s.ord::bigint, s.outcome, s.input_cost, s.output_cost, NULL::bigint, NULL::bigint, NULL::text, NULL::bigint, NULL::text, NULL::timestamptz
    FROM gateway_settle_holds(settlements, settled_requests, settled_accounts, replies, at) s;
  RETURN QUERY
    SELECT array_length(settled_requests, 1) + h.ord, h.outcome, NULL::bigint, NULL::bigint, h.available, h.spent, h.key_state,
      h.cap, h.period, h.period_start
    FROM gateway_place_holds(requests, accounts, keys, ceilings, idempotencies, hashes, at, until) h;
END $$;
