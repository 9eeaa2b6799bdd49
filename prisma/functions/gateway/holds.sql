-- Holds and settlements of requests, single or in a batch, each in one commit: access decides whether the key may spend, the gateway owns
-- idempotency keys, the ledger owns the money. Decided under the account's lock, which a change of a key's cap takes too, and by the
-- database's clock: of `at` and `until` only the time between them counts (see db_time).

-- What a session may spend a day without a fresh signature: $5.
CREATE OR REPLACE FUNCTION gateway_unconfirmed_cap() RETURNS bigint LANGUAGE sql IMMUTABLE AS $$ SELECT 5000000000 $$;

-- The cap that a key's spending counts in. A `key` that is the account itself is a session without a fresh signature: what those spend a day
-- is counted as a key's cap is.
CREATE OR REPLACE FUNCTION gateway_cap_of(account text, key text, at timestamptz)
RETURNS TABLE (state text, cap bigint, period text, period_start timestamptz) LANGUAGE sql STABLE ROWS 1 AS $$
  SELECT 'active', gateway_unconfirmed_cap(), 'day', access_cap_period_start('day', at) WHERE key = account
  UNION ALL
  SELECT k.state, k.cap, k.period, k.period_start FROM access_key_state(key, at) k WHERE key <> account
$$;

-- Decides one hold; `key` as in gateway_cap_of. Returns 'held'; otherwise a JSON object with `outcome`: key_unusable (`keyState`), account_frozen (for a request without a key), mismatch, in_progress, replay (its idempotency key was used), insufficient (`available`), cap_reached (`cap`, `spent`,
-- `resetsAt`). Amounts are texts. A refusal for want of money or for the cap says whether its owner `isTold` already: a smaller hold may be tried
-- next, so only the caller knows which refusal is the last one, and tells (see gateway_tell_refused).
CREATE OR REPLACE FUNCTION gateway_place_hold(
  request text, account text, key text, model text, ceiling bigint, idempotency text, hash bytea, process text, at timestamptz, until timestamptz
) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  fits boolean := ledger_hold_money(account, ceiling);
  refusal json;
  key_state text;
  cap bigint;
  period text;
  period_start timestamptz;
  used bigint;
  claim idempotent_reply;
BEGIN
  until := db_time(at) + (until - at);
  at := db_time(at);
  IF ceiling < 0 THEN RAISE EXCEPTION 'request % asks for a hold of %', request, ceiling; END IF;
  IF NOT fits THEN
    -- The account is locked only now: money that came in meanwhile counts.
    PERFORM ledger_lock_accounts(ARRAY[account]);
    fits := ledger_hold_money(account, ceiling);
  END IF;
  SELECT c.state, c.cap, c.period, c.period_start INTO key_state, cap, period, period_start FROM gateway_cap_of(account, key, at) c;
  IF key <> account THEN
    IF key_state IS DISTINCT FROM 'active' THEN
      refusal := json_build_object('outcome', 'key_unusable', 'keyState', coalesce(key_state, 'unknown'));
    END IF;
  ELSIF access_is_frozen(account) THEN
    refusal := json_build_object('outcome', 'account_frozen');
  END IF;
  IF refusal IS NULL AND idempotency IS NOT NULL THEN
    SELECT * INTO claim FROM idempotent_reply r WHERE r.account_id = account AND r.idempotency_key = idempotency;
    IF claim.expires_at <= at AND claim.status IS NOT NULL THEN
      DELETE FROM idempotent_reply r WHERE r.account_id = account AND r.idempotency_key = idempotency;
    ELSIF claim.request_id IS NOT NULL THEN
      refusal := json_build_object('outcome',
        CASE WHEN claim.body_hash <> hash OR NOT gateway_may_have_reply(claim.key_id, account, key) THEN 'mismatch'
          WHEN claim.status IS NULL THEN 'in_progress' ELSE 'replay' END);
    END IF;
  END IF;
  IF refusal IS NULL AND NOT fits THEN
    refusal := json_build_object('outcome', 'insufficient', 'available', ledger_available(account)::text, 'isTold', ledger_told_exhausted(account));
  END IF;
  IF refusal IS NULL THEN
    used := ledger_open_hold(request, account, key, model, ceiling, cap, period, period_start, process, at, until);
    IF used IS NULL THEN
      IF idempotency IS NOT NULL THEN
        INSERT INTO idempotent_reply (account_id, idempotency_key, request_id, body_hash, claimed_at, expires_at, key_id)
          VALUES (account, idempotency, request, hash, at, at + interval '24 hours', key);
      END IF;
      RETURN 'held';
    END IF;
    refusal := json_build_object('outcome', 'cap_reached', 'cap', cap::text, 'spent', used::text,
      'resetsAt', access_cap_period_end(period, period_start), 'isTold', key = account OR ledger_told_cap_reached(key, period, period_start));
  END IF;
  IF fits THEN PERFORM ledger_hold_money(account, -ceiling); END IF;
  RETURN refusal;
END $$;

-- Tells an account's owner that a request was refused for its money or for its key's cap, which did not cover `needed`: each only once, until
-- money comes in or the next period. Nothing when it would be covered by now.
CREATE OR REPLACE FUNCTION gateway_tell_refused(account text, key text, needed bigint, at timestamptz) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  key_state record;
  used bigint;
BEGIN
  at := db_time(at);
  PERFORM ledger_lock_accounts(ARRAY[account]); -- money that comes in meanwhile, or a new cap, is told anew
  IF ledger_available(account) < needed THEN PERFORM ledger_tell_exhausted(account, needed, at); END IF;
  SELECT k.* INTO key_state FROM access_key_state(key, at) k;
  used := ledger_key_used(key, key_state.period, key_state.period_start);
  IF used + needed > key_state.cap THEN
    PERFORM ledger_tell_cap_reached(account, key, key_state.period, key_state.period_start, key_state.cap, used, needed,
      access_cap_period_end(key_state.period, key_state.period_start), at);
  END IF;
END $$;

-- Settles one hold: see ledger_settle_hold; `key` as in gateway_place_hold. With an idempotency key the answer is saved; without a body its claim is given back. Returns
-- what was paid. When the hold is gone, it returns a JSON object with `outcome` and `paid`: already (it was settled before), released
-- (nothing had to be charged), late (what could still be taken was charged; for a whole answer all or nothing).
CREATE OR REPLACE FUNCTION gateway_settle_hold(
  request text, account text, key text, ceiling bigint, input_cost bigint, output_cost bigint, details ledger_charge_details,
  idempotency text, status integer, body text, at timestamptz
) RETURNS text LANGUAGE plpgsql AS $$
#variable_conflict use_variable
DECLARE
  decided timestamptz := db_time(at);
  -- Used as a value, the call costs a tenth of a statement. A composite with one null field is not IS NOT NULL.
  has_begun boolean := CASE WHEN NOT (details IS NULL) THEN ledger_begin_charges() IS NOT NULL END;
  paid bigint := ledger_settle_hold(request, account, key, ceiling, input_cost, output_cost, details, decided);
  settled text := paid;
  cap bigint;
  period text;
  period_start timestamptz;
  has_claim boolean;
  late_most bigint;
  saved_body text := body;
BEGIN
  IF paid IS NULL THEN
    PERFORM ledger_lock_accounts(ARRAY[account]);
    paid := ledger_charged(account, request);
    IF paid IS NOT NULL OR details IS NULL THEN
      settled := json_build_object('outcome', CASE WHEN paid IS NULL THEN 'released' ELSE 'already' END, 'paid', coalesce(paid, 0)::text);
    ELSE
      -- The claim is the fence: a request that lost its claim was considered dead, and may have been answered again.
      has_claim := idempotency IS NULL OR EXISTS (
        SELECT FROM idempotent_reply r
        WHERE r.account_id = account AND r.idempotency_key = idempotency AND r.request_id = request AND r.status IS NULL);
      SELECT c.cap, c.period, c.period_start INTO cap, period, period_start FROM gateway_cap_of(account, key, decided) c;
      late_most := CASE
        WHEN NOT has_claim THEN 0
        WHEN cap IS NULL THEN ceiling
        ELSE greatest(cap - ledger_key_used(key, period, period_start), 0)
      END;
      -- A whole answer is not sent yet. One that cannot be paid for is not sent at all, and costs nothing.
      IF NOT details.streamed AND least(late_most, ledger_available(account)) < least(input_cost + output_cost, ceiling) THEN
        details.outcome := 'lost';
        saved_body := NULL;
      END IF;
      details.kept := details.kept AND has_claim AND saved_body IS NOT NULL;
      paid := ledger_settle_hold(request, account, key, ceiling, input_cost, output_cost, details, decided, true, late_most, period, period_start, cap);
      settled := json_build_object('outcome', 'late', 'paid', paid::text);
    END IF;
  END IF;
  IF idempotency IS NOT NULL THEN
    PERFORM gateway_save_replies(ARRAY[account], ARRAY[idempotency], ARRAY[request], ARRAY[status], ARRAY[details.streamed], ARRAY[saved_body]);
  END IF;
  RETURN settled;
END $$;

-- Decides a batch as a whole: settlements first, so that holds can use the money that they free, then holds. The arrays of each half are
-- parallel, one element per item; `idempotencies` and the arrays that belong to it are null when no item has an idempotency key. Returns
-- a line for each settlement, with what was paid; all holds are held. When it cannot be decided as a whole nothing is changed, and it
-- returns an exclamation mark and the accounts that prevent it; without any account, the cause is unknown.
CREATE OR REPLACE FUNCTION gateway_decide_batch(
  settled_requests text[], settled_accounts text[], settled_keys text[], settled_ceilings bigint[], input_costs bigint[], output_costs bigint[],
  details ledger_charge_details[], settled_idempotencies text[], statuses integer[], bodies text[],
  requests text[], accounts text[], keys text[], models text[], ceilings bigint[], idempotencies text[], hashes bytea[],
  process text, at timestamptz, until timestamptz
) RETURNS text LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  -- Holds alone book nothing, and wait for no roll-up.
  has_begun boolean := CASE WHEN cardinality(settled_requests) > 0 THEN ledger_begin_charges() IS NOT NULL END;
  in_the_way text;
  caps bigint[];
  periods text[];
  starts timestamptz[];
  claimed integer;
  settled text;
BEGIN
  until := db_time(at) + (until - at);
  at := db_time(at);
  PERFORM ledger_begin_batch(settled_accounts, settled_ceilings, input_costs, output_costs, accounts, ceilings);
  SELECT string_agg(i.account, ',') FILTER (WHERE NOT i.is_usable), array_agg(i.cap), array_agg(i.period), array_agg(i.period_start)
    INTO in_the_way, caps, periods, starts
    FROM (
      SELECT i.account, k.cap, k.period, k.period_start,
        CASE WHEN i.key IS NULL THEN NOT access_is_frozen(i.account) ELSE coalesce(k.state = 'active', false) END AS is_usable
      FROM unnest(accounts, keys) WITH ORDINALITY AS i(account, key, ord) LEFT JOIN LATERAL access_key_state(i.key, at) k ON true ORDER BY i.ord
    ) i;
  IF in_the_way IS NULL AND idempotencies IS NOT NULL THEN
    INSERT INTO idempotent_reply (account_id, idempotency_key, request_id, body_hash, claimed_at, expires_at, key_id)
      SELECT i.account, i.idempotency, i.request, i.hash, at, at + interval '24 hours', i.key
      FROM unnest(accounts, idempotencies, requests, hashes, keys) i(account, idempotency, request, hash, key) WHERE i.idempotency IS NOT NULL
      ON CONFLICT (account_id, idempotency_key) DO NOTHING;
    GET DIAGNOSTICS claimed = ROW_COUNT;
    IF claimed < cardinality(idempotencies) - cardinality(array_positions(idempotencies, NULL)) THEN
      in_the_way := (
        SELECT string_agg(DISTINCT i.account, ',') FROM unnest(accounts, idempotencies, requests) i(account, idempotency, request)
        JOIN idempotent_reply r ON r.account_id = i.account AND r.idempotency_key = i.idempotency AND r.request_id <> i.request);
    END IF;
  END IF;
  IF in_the_way IS NOT NULL THEN RAISE SQLSTATE 'PP001' USING DETAIL = in_the_way; END IF;
  settled := ledger_write_batch(settled_requests, settled_accounts, settled_keys, settled_ceilings, input_costs, output_costs, details,
    requests, accounts, keys, models, ceilings, coalesce(caps, '{}'), periods, starts, process, at, until);
  IF settled_idempotencies IS NOT NULL THEN
    PERFORM gateway_save_replies(settled_accounts, settled_idempotencies, settled_requests, statuses,
      ARRAY(SELECT d.streamed FROM unnest(details) d), bodies);
  END IF;
  RETURN coalesce(settled, '');
EXCEPTION WHEN SQLSTATE 'PP001' THEN
  GET STACKED DIAGNOSTICS in_the_way = PG_EXCEPTION_DETAIL;
  RETURN '!' || in_the_way;
END $$;

-- Decides a batch item by item, in order, settlements first. Returns a line for each, as gateway_settle_hold and gateway_place_hold do.
CREATE OR REPLACE FUNCTION gateway_decide_items(
  settled_requests text[], settled_accounts text[], settled_keys text[], settled_ceilings bigint[], input_costs bigint[], output_costs bigint[],
  details ledger_charge_details[], settled_idempotencies text[], statuses integer[], bodies text[],
  requests text[], accounts text[], keys text[], models text[], ceilings bigint[], idempotencies text[], hashes bytea[],
  process text, at timestamptz, until timestamptz
) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  has_begun boolean := CASE WHEN cardinality(settled_requests) > 0 THEN ledger_begin_charges() IS NOT NULL END;
  lines text[] := '{}';
BEGIN
  PERFORM ledger_lock_accounts(settled_accounts || accounts);
  FOR i IN 1 .. cardinality(settled_requests) LOOP
    lines := lines || gateway_settle_hold(settled_requests[i], settled_accounts[i], settled_keys[i], settled_ceilings[i], input_costs[i],
      output_costs[i], details[i], settled_idempotencies[i], statuses[i], bodies[i], at);
  END LOOP;
  FOR i IN 1 .. cardinality(requests) LOOP
    lines := lines || gateway_place_hold(requests[i], accounts[i], keys[i], models[i], ceilings[i], idempotencies[i], hashes[i], process, at, until);
  END LOOP;
  RETURN array_to_string(lines, E'\n');
END $$;

-- Frees holds that will not be settled (see ledger_expire_holds), together with the claims of their requests.
CREATE OR REPLACE FUNCTION gateway_expire_some(of_process text, only_overdue boolean, most integer, at timestamptz)
RETURNS TABLE (request_id text, account_id text, ceiling bigint) LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY
  WITH ended AS MATERIALIZED (SELECT * FROM ledger_expire_holds(of_process, only_overdue, most, db_time(at))), claims AS (
    DELETE FROM idempotent_reply r WHERE r.status IS NULL AND r.ctid = ANY (ARRAY(
      SELECT o.row_address FROM ended e
      CROSS JOIN LATERAL (SELECT c.ctid AS row_address FROM idempotent_reply c WHERE c.request_id = e.request_id AND c.status IS NULL OFFSET 0) o
    ))
  )
  SELECT e.request_id, e.account_id, e.ceiling FROM ended e;
END $$;

-- All holds of a process that ends, or without one those that are overdue.
CREATE OR REPLACE FUNCTION gateway_expire_holds(dead_process text, most integer, at timestamptz)
RETURNS TABLE (request_id text, account_id text, ceiling bigint) LANGUAGE sql AS $$
  SELECT e.request_id, e.account_id, e.ceiling FROM gateway_expire_some(dead_process, dead_process IS NULL, most, at) e
$$;

-- A process's own holds that are past their deadline.
CREATE OR REPLACE FUNCTION gateway_expire_own(own_process text, most integer, at timestamptz)
RETURNS TABLE (request_id text, account_id text, ceiling bigint) LANGUAGE sql AS $$
  SELECT e.request_id, e.account_id, e.ceiling FROM gateway_expire_some(own_process, true, most, at) e
$$;

-- The same for the holds of a dead process, unless it has beaten since it was judged (see db_lock_dead_process).
CREATE OR REPLACE FUNCTION gateway_free_dead_holds(dead_process text, judged_beat bigint, most integer, at timestamptz)
RETURNS TABLE (request_id text, account_id text, ceiling bigint) LANGUAGE plpgsql AS $$
BEGIN
  IF NOT db_lock_dead_process(dead_process, judged_beat) THEN RETURN; END IF;
  RETURN QUERY SELECT e.request_id, e.account_id, e.ceiling FROM gateway_expire_holds(dead_process, most, at) e;
END $$;

-- Those of these requests whose hold is open and whose idempotency key, if they have one, is still theirs. The arrays are parallel.
CREATE OR REPLACE FUNCTION gateway_confirm_holds(requests text[], accounts text[], idempotencies text[])
RETURNS TABLE (request_id text) LANGUAGE sql STABLE AS $$
  SELECT i.request FROM unnest(requests, accounts, idempotencies) i(request, account, idempotency)
  WHERE ledger_has_hold(i.request, i.account) AND (i.idempotency IS NULL OR EXISTS (
    SELECT FROM idempotent_reply r
    WHERE r.account_id = i.account AND r.idempotency_key = i.idempotency AND r.request_id = i.request AND r.status IS NULL))
$$;
