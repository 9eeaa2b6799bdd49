-- Holds and settlements of requests: access, idempotency keys and the ledger in one commit.

-- Decides one request with row statements: is its key still good (without a key: its account), is its idempotency key free,
-- does its ceiling fit.
CREATE OR REPLACE FUNCTION gateway_place_hold(
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
CREATE OR REPLACE FUNCTION gateway_decide_holds(
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
CREATE OR REPLACE FUNCTION gateway_place_holds(
  requests text[], accounts text[], keys text[], ceilings bigint[], idempotencies text[], hashes bytea[], at timestamptz, until timestamptz
) RETURNS TABLE (ord bigint, outcome text, available bigint, spent bigint, key_state text, cap bigint, period text, period_start timestamptz)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
  PERFORM ledger_lock_accounts(accounts);
  RETURN QUERY SELECT * FROM gateway_decide_holds(requests, accounts, keys, ceilings, idempotencies, hashes, at, until);
END $$;

-- Decides one hold of a key, without an idempotency key. Returns what a hold that is placed counts in, its key's period and when that
-- began, with a space between; '' when the key has no cap. A refusal is a row of gateway_place_holds, from its outcome on, in parentheses.
CREATE OR REPLACE FUNCTION gateway_decide_lone_hold(request text, account text, key text, ceiling bigint, at timestamptz, until timestamptz)
RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  key_state text;
  cap bigint;
  period text;
  period_start timestamptz;
  refusal text;
BEGIN
  IF ledger_begin_hold(account, ceiling) IS NOT NULL THEN
    -- Read after the account is locked, since a change of the cap's period locks it too.
    SELECT k.state, k.cap, k.period, k.period_start INTO key_state, cap, period, period_start FROM access_key_state(key, at) k;
    IF key_state = 'active' THEN
      IF ledger_open_hold(request, account, key, ceiling, cap, period, period_start, at, until) THEN
        RETURN coalesce(period || ' ' || period_start, '');
      END IF;
    END IF;
    PERFORM ledger_give_back(account, ceiling);
  END IF;
  SELECT ROW(h.outcome, h.available, h.spent, h.key_state, h.cap, h.period, h.period_start)::text INTO refusal
    FROM gateway_place_holds(ARRAY[request], ARRAY[account], ARRAY[key], ARRAY[ceiling], NULL, NULL, at, until) h;
  RETURN refusal;
END $$;

-- Settles one hold that is charged, then decides the next hold of its key: what ledger_settle_and_begin returns, without the plus, and in a second line what
-- gateway_decide_lone_hold does.
CREATE OR REPLACE FUNCTION gateway_settle_and_hold(
  request text, account text, key text, key_period text, key_period_start timestamptz, ceiling bigint, input_cost bigint, output_cost bigint,
  model text, provider text, price_version text, input_tokens bigint, output_tokens bigint, cached_input_tokens bigint,
  reasoning_tokens bigint, outcome text, streamed boolean, estimated boolean, paid_by text, first_token_ms integer, provider_ms integer,
  next_request text, next_ceiling bigint, at timestamptz, until timestamptz
) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  settled text := ledger_settle_and_begin(request, account, key, key_period, key_period_start, ceiling, input_cost, output_cost, model, provider,
    price_version, input_tokens, output_tokens, cached_input_tokens, reasoning_tokens, outcome, streamed, estimated, paid_by,
    first_token_ms, provider_ms, next_ceiling, at);
  key_state text;
  cap bigint;
  period text;
  period_start timestamptz;
BEGIN
  IF right(settled, 1) = '+' THEN
    settled := rtrim(settled, '+');
    -- Read after the account is locked, since a change of the cap's period locks it too.
    SELECT k.state, k.cap, k.period, k.period_start INTO key_state, cap, period, period_start FROM access_key_state(key, at) k;
    IF key_state = 'active' THEN
      IF ledger_open_hold(next_request, account, key, next_ceiling, cap, period, period_start, at, until) THEN
        RETURN settled || E'\n' || coalesce(period || ' ' || period_start, '');
      END IF;
    END IF;
    PERFORM ledger_give_back(account, next_ceiling);
  END IF;
  RETURN settled || E'\n' || gateway_decide_lone_hold(next_request, account, key, next_ceiling, at, until);
END $$;

-- Ends a batch of holds and saves answers, in one commit. `items`, `requests` and `accounts` as in ledger_settle_holds;
-- `replies` as in gateway_save_replies, null when no item has an idempotency key.
CREATE OR REPLACE FUNCTION gateway_settle_holds(items json, requests text[], accounts text[], replies json, at timestamptz)
RETURNS TABLE (ord integer, outcome text, input_cost bigint, output_cost bigint) LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
  PERFORM ledger_begin_charges();
  PERFORM ledger_lock_accounts(accounts);
  RETURN QUERY SELECT * FROM ledger_settle_holds(items, requests, accounts, at);
  IF replies IS NOT NULL THEN PERFORM gateway_save_replies(replies); END IF;
END $$;

-- Decides a batch in one commit: settlements first, so that the money they free is there for the holds, then holds. The arrays of each half
-- are parallel, one place per item. `details` as in ledger_write_batch; `replies` as in gateway_save_replies; `idempotencies` and `hashes`
-- are null when no hold has an idempotency key. Returns a line for each item, in order. Straight ones: what was paid, and for a hold what
-- gateway_decide_lone_hold returns. Others are rows in parentheses: outcome, input_cost, output_cost of ledger_settle_hold, or outcome,
-- available, spent, key_state, cap, period, period_start of gateway_place_hold.
CREATE OR REPLACE FUNCTION gateway_decide_batch(
  settled_requests text[], settled_accounts text[], settled_keys text[], settled_ceilings bigint[], input_costs bigint[], output_costs bigint[],
  details ledger_charge_details[], replies json,
  requests text[], accounts text[], keys text[], ceilings bigint[], idempotencies text[], hashes bytea[], at timestamptz, until timestamptz
) RETURNS text LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  -- Holds alone book nothing, and wait for no roll-up.
  has_begun boolean := CASE WHEN cardinality(settled_requests) > 0 THEN ledger_begin_charges() IS NOT NULL END;
  are_usable boolean;
  caps bigint[];
  periods text[];
  starts timestamptz[];
  settled text;
  held text;
  says ledger_charge_details;
  done record;
  lines text[] := '{}';
BEGIN
  -- One or two items are decided sooner one after the other.
  IF cardinality(settled_requests) + cardinality(requests) > 2 THEN
    BEGIN
      PERFORM ledger_begin_batch(settled_accounts, settled_ceilings, input_costs, output_costs, accounts, ceilings);
      -- Read after the accounts are locked, since a change of a cap's period locks them too.
      SELECT bool_and(CASE WHEN i.key IS NULL THEN NOT access_is_frozen(i.account) ELSE coalesce(i.state = 'active', false) END),
          array_agg(i.cap), array_agg(i.period), array_agg(i.period_start), string_agg(coalesce(i.period || ' ' || i.period_start, ''), E'\n')
        INTO are_usable, caps, periods, starts, held
        FROM (
          SELECT i.account, i.key, k.state, k.cap, k.period, k.period_start FROM unnest(accounts, keys) WITH ORDINALITY AS i(account, key, ord)
          LEFT JOIN LATERAL access_key_state(i.key, at) k ON true ORDER BY i.ord
        ) i;
      IF NOT are_usable THEN RAISE SQLSTATE 'PP001'; END IF;
      IF idempotencies IS NOT NULL THEN
        INSERT INTO idempotent_reply (account_id, idempotency_key, request_id, body_hash, claimed_at, expires_at)
          SELECT i.account, i.idempotency, i.request, i.hash, at, at + interval '24 hours'
          FROM unnest(accounts, idempotencies, requests, hashes) i(account, idempotency, request, hash) WHERE i.idempotency IS NOT NULL;
      END IF;
      settled := ledger_write_batch(settled_requests, settled_accounts, settled_keys, settled_ceilings, input_costs, output_costs, details,
        requests, accounts, keys, ceilings, coalesce(caps, '{}'), periods, starts, at, until);
      IF replies IS NOT NULL THEN PERFORM gateway_save_replies(replies); END IF;
      RETURN concat_ws(E'\n', settled, held);
    EXCEPTION WHEN SQLSTATE 'PP001' OR unique_violation THEN
      NULL;
    END;
  END IF;
  PERFORM ledger_lock_accounts(settled_accounts || accounts);
  FOR place IN 1 .. cardinality(settled_requests) LOOP
    says := details[place];
    done := ledger_settle_hold(ROW(place, settled_requests[place], settled_accounts[place], settled_keys[place], says.period, says."periodStart",
      input_costs[place], output_costs[place], says.model IS NOT NULL, says.model, says.provider, says."priceVersion", says."inputTokens",
      says."outputTokens", says."cachedInputTokens", says."reasoningTokens", says.outcome, says.streamed, says.estimated, says."paidBy",
      says."firstTokenMs", says."providerMs")::ledger_settlement, at);
    lines := lines || ROW(done.outcome, done.input_paid, done.output_paid)::text;
  END LOOP;
  IF replies IS NOT NULL THEN PERFORM gateway_save_replies(replies); END IF;
  FOR place IN 1 .. cardinality(requests) LOOP
    done := gateway_place_hold(requests[place], accounts[place], keys[place], ceilings[place], until, idempotencies[place], hashes[place], at);
    lines := lines || ROW(done.outcome, done.available, done.spent, done.key_state, done.cap, done.period, done.period_start)::text;
  END LOOP;
  RETURN array_to_string(lines, E'\n');
END $$;

-- Frees expired holds and, with them, the claims of the requests that died.
CREATE OR REPLACE FUNCTION gateway_expire_holds(at timestamptz, most integer)
RETURNS TABLE (request_id text, account_id text, ceiling bigint) LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY
  WITH ended AS MATERIALIZED (SELECT * FROM ledger_expire_holds(at, most)), claims AS (
    DELETE FROM idempotent_reply r WHERE r.status IS NULL AND r.ctid = ANY (ARRAY(
      SELECT o.place FROM ended e
      CROSS JOIN LATERAL (SELECT c.ctid AS place FROM idempotent_reply c WHERE c.request_id = e.request_id AND c.status IS NULL OFFSET 0) o
    ))
  )
  SELECT e.request_id, e.account_id, e.ceiling FROM ended e;
END $$;
