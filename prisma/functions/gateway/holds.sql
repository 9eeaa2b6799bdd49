-- Holds and settlements of requests, single or in a batch, each in one commit: access decides whether the key may spend, the gateway owns
-- idempotency keys, the ledger owns the money. Decided under the account's lock, which a change of a key's cap takes too, and by the
-- database's clock: of `at` and `until` only the time between them counts (see db_time).

-- The most that sessions may spend a day without a fresh signature: $5.
CREATE OR REPLACE FUNCTION gateway_unconfirmed_cap() RETURNS bigint LANGUAGE sql IMMUTABLE AS $$ SELECT 5000000000 $$;

-- The cap that a key's spending counts in, null without one; and whether the key may spend: `state` as in access_key_state. A `key` that is
-- the account itself is a session without a fresh signature: the spending of these sessions in a day is counted like that of a key with a
-- cap.
CREATE OR REPLACE FUNCTION gateway_counted_cap(account text, key text, at timestamptz) RETURNS TABLE (state text, of_cap ledger_cap) LANGUAGE sql STABLE ROWS 1 AS $$
  SELECT 'active', ROW(gateway_unconfirmed_cap(), 'day', access_cap_period_start('day', at))::ledger_cap WHERE key = account
  UNION ALL
  SELECT k.state, CASE WHEN k.cap IS NOT NULL THEN ROW(k.cap, k.period, k.period_start)::ledger_cap END
    FROM access_key_state(key, at) k WHERE key <> account
$$;

-- Why a key's cap does not cover a request, as JSON; null when it does.
CREATE OR REPLACE FUNCTION gateway_cap_refusal(of_cap ledger_cap, cap_left bigint, needed bigint) RETURNS jsonb LANGUAGE sql STABLE AS $$
  SELECT jsonb_build_object('outcome', 'cap_reached', 'cap', of_cap.cap::text, 'spent', (of_cap.cap - cap_left)::text,
    'resetsAt', access_cap_period_end(of_cap.period, of_cap.period_start)) WHERE needed > cap_left
$$;

-- The rest of the cap of an account's key, at least 0; null without a cap, and for a key that does not exist.
CREATE OR REPLACE FUNCTION gateway_cap_left(account text, key text, at timestamptz) RETURNS bigint LANGUAGE sql STABLE AS $$
  SELECT CASE WHEN c.of_cap IS NOT NULL THEN greatest(ledger_cap_left(key, c.of_cap), 0) END FROM gateway_counted_cap(account, key, db_time(at)) c
$$;

-- Decides one hold; `asked.key` as in gateway_counted_cap. Returns 'held'; otherwise a JSON object with `outcome`: key_unusable (`keyState`),
-- account_frozen (for a request without a key), mismatch, in_progress, replay (its idempotency key was used), insufficient (`available`),
-- cap_reached (`cap`, `spent`, `resetsAt`). Amounts are texts. A refusal for want of money or for the cap says whether its owner `isTold`
-- already: a smaller hold may be tried next, so only the caller knows which refusal is the last one, and tells (see gateway_tell_refused).
CREATE OR REPLACE FUNCTION gateway_place_hold(asked ledger_hold_request, process text, at timestamptz, until timestamptz)
RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  fits boolean := ledger_hold_money(asked.account, asked.ceiling);
  refusal jsonb;
  key_state text;
  of_cap ledger_cap;
  cap_left bigint;
  claim idempotent_reply;
BEGIN
  until := db_time(at) + (until - at);
  at := db_time(at);
  IF asked.ceiling < 0 THEN RAISE EXCEPTION 'request % asks for a hold of %', asked.request, asked.ceiling; END IF;
  IF NOT fits THEN
    -- The account is locked only now: money that came in meanwhile counts.
    PERFORM ledger_lock_accounts(ARRAY[asked.account]);
    fits := ledger_hold_money(asked.account, asked.ceiling);
  END IF;
  SELECT c.state, (c.of_cap).cap, (c.of_cap).period, (c.of_cap).period_start INTO key_state, of_cap.cap, of_cap.period, of_cap.period_start
    FROM gateway_counted_cap(asked.account, asked.key, at) c;
  IF asked.key <> asked.account THEN
    IF key_state IS DISTINCT FROM 'active' THEN
      refusal := jsonb_build_object('outcome', 'key_unusable', 'keyState', coalesce(key_state, 'unknown'));
    END IF;
  ELSIF access_is_frozen(asked.account) THEN
    refusal := jsonb_build_object('outcome', 'account_frozen');
  END IF;
  IF refusal IS NULL AND asked.idempotency IS NOT NULL THEN
    SELECT * INTO claim FROM idempotent_reply r WHERE r.account_id = asked.account AND r.idempotency_key = asked.idempotency;
    IF claim.expires_at <= at AND claim.status IS NOT NULL THEN
      DELETE FROM idempotent_reply r WHERE r.account_id = asked.account AND r.idempotency_key = asked.idempotency;
    ELSIF claim.request_id IS NOT NULL THEN
      refusal := jsonb_build_object('outcome',
        CASE WHEN claim.body_hash <> asked.hash OR NOT gateway_may_have_reply(claim.key_id, asked.account, asked.key) THEN 'mismatch'
          WHEN claim.status IS NULL THEN 'in_progress' ELSE 'replay' END);
    END IF;
  END IF;
  IF refusal IS NULL AND NOT fits THEN
    refusal := jsonb_build_object('outcome', 'insufficient', 'available', ledger_available(asked.account)::text,
      'isTold', ledger_told_exhausted(asked.account));
  END IF;
  IF refusal IS NULL THEN
    cap_left := ledger_open_hold(asked, of_cap, process, at, until);
    IF cap_left IS NULL THEN
      IF asked.idempotency IS NOT NULL THEN
        INSERT INTO idempotent_reply (account_id, idempotency_key, request_id, body_hash, claimed_at, expires_at, key_id)
          VALUES (asked.account, asked.idempotency, asked.request, asked.hash, at, at + interval '24 hours', asked.key);
      END IF;
      RETURN 'held';
    END IF;
    refusal := gateway_cap_refusal(of_cap, cap_left, asked.ceiling)
      || jsonb_build_object('isTold', asked.key = asked.account OR ledger_told_cap_reached(asked.key, of_cap.period, of_cap.period_start));
  END IF;
  IF fits THEN PERFORM ledger_hold_money(asked.account, -asked.ceiling); END IF;
  RETURN refusal;
END $$;

-- Tells an account's owner that a request was refused for its money or for its key's cap, which did not cover `needed`: each only once, until
-- money comes in or the next period. Nothing when it would be covered by now.
CREATE OR REPLACE FUNCTION gateway_tell_refused(account text, key text, needed bigint, at timestamptz) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  of_cap ledger_cap;
  cap_left bigint;
BEGIN
  at := db_time(at);
  PERFORM ledger_lock_accounts(ARRAY[account]); -- money that comes in meanwhile, or a new cap, is told anew
  IF ledger_available(account) < needed THEN PERFORM ledger_tell_exhausted(account, needed, at); END IF;
  IF key = account THEN RETURN; END IF; -- a session's day is no key's cap
  SELECT (c.of_cap).* INTO of_cap FROM gateway_counted_cap(account, key, at) c;
  cap_left := ledger_cap_left(key, of_cap);
  IF needed > cap_left THEN
    PERFORM ledger_tell_cap_reached(account, key, of_cap.period, of_cap.period_start, of_cap.cap, of_cap.cap - cap_left, needed,
      access_cap_period_end(of_cap.period, of_cap.period_start), at);
  END IF;
END $$;

-- Settles one hold: see ledger_settle_hold. With an idempotency key the answer is saved; without a body its claim is given back. Returns
-- the amount paid. When the hold is gone, it returns a JSON object with `outcome` and `paid`: already (it was settled before), released
-- (nothing had to be charged), late (as much as could still be taken was charged; for a whole answer all or nothing).
CREATE OR REPLACE FUNCTION gateway_settle_hold(ending ledger_settlement, body text, at timestamptz) RETURNS text LANGUAGE plpgsql AS $$
#variable_conflict use_variable
DECLARE
  decided timestamptz := db_time(at);
  -- Used as a value, the call costs a tenth of a statement.
  has_begun boolean := CASE WHEN ending.model IS NOT NULL THEN ledger_begin_charges() IS NOT NULL END;
  paid bigint := ledger_settle_hold(ending, decided);
  settled text := paid;
  of_cap ledger_cap;
  has_claim boolean;
  late_most bigint;
  saved_body text := body;
BEGIN
  IF paid IS NULL THEN
    PERFORM ledger_lock_accounts(ARRAY[ending.account]);
    paid := ledger_charged(ending.account, ending.request);
    IF paid IS NOT NULL OR ending.model IS NULL THEN
      settled := json_build_object('outcome', CASE WHEN paid IS NULL THEN 'released' ELSE 'already' END, 'paid', coalesce(paid, 0)::text);
    ELSE
      -- The claim is the fence: a request that lost its claim was considered dead, and may have been answered again.
      has_claim := ending.idempotency IS NULL OR EXISTS (
        SELECT FROM idempotent_reply r WHERE r.account_id = ending.account AND r.idempotency_key = ending.idempotency
          AND r.request_id = ending.request AND r.status IS NULL);
      SELECT (c.of_cap).* INTO of_cap FROM gateway_counted_cap(ending.account, ending.key, decided) c;
      late_most := CASE
        WHEN NOT has_claim THEN 0
        WHEN of_cap.cap IS NULL THEN ending.ceiling
        ELSE greatest(ledger_cap_left(ending.key, of_cap), 0)
      END;
      -- A whole answer is not sent yet. If it cannot be paid for, it is not sent at all, and costs nothing.
      IF NOT ending.streamed AND least(late_most, ledger_available(ending.account)) < least(ending.input_cost + ending.output_cost, ending.ceiling) THEN
        ending.outcome := 'lost';
        saved_body := NULL;
      END IF;
      ending.kept := ending.kept AND has_claim AND saved_body IS NOT NULL;
      paid := ledger_settle_hold(ending, decided, late_most, of_cap);
      settled := json_build_object('outcome', 'late', 'paid', paid::text);
    END IF;
  END IF;
  IF ending.idempotency IS NOT NULL THEN PERFORM gateway_save_replies(ARRAY[ending], ARRAY[saved_body]); END IF;
  RETURN settled;
END $$;

-- Decides a batch as a whole: settlements first, so that holds can use the money that they free, then holds. `bodies` are the answers of
-- `endings`, null when none has an idempotency key. Returns a line for each settlement, with the amount paid; all holds are held. When it
-- cannot be decided as a whole nothing is changed, and it returns an exclamation mark and the accounts that prevent it; without any
-- account, the cause is unknown.
CREATE OR REPLACE FUNCTION gateway_decide_batch(
  endings ledger_settlement[], bodies text[], asked ledger_hold_request[], has_claims boolean, process text, at timestamptz, until timestamptz
) RETURNS text LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  -- Holds alone book nothing, and wait for no roll-up.
  has_begun boolean := CASE WHEN cardinality(endings) > 0 THEN ledger_begin_charges() IS NOT NULL END;
  in_the_way text;
  caps ledger_cap[];
  claimed integer;
  settled text;
BEGIN
  until := db_time(at) + (until - at);
  at := db_time(at);
  PERFORM ledger_begin_batch(endings, asked);
  SELECT string_agg(i.account, ',') FILTER (WHERE NOT i.is_usable), array_agg(i.of_cap) INTO in_the_way, caps
    FROM (
      SELECT h.account, CASE WHEN k.cap IS NOT NULL THEN ROW(k.cap, k.period, k.period_start)::ledger_cap END AS of_cap,
        CASE WHEN h.key IS NULL THEN NOT access_is_frozen(h.account) ELSE coalesce(k.state = 'active', false) END AS is_usable
      FROM unnest(asked) WITH ORDINALITY AS h LEFT JOIN LATERAL access_key_state(h.key, at) k ON true ORDER BY h.ordinality
    ) i;
  IF in_the_way IS NULL AND has_claims THEN
    INSERT INTO idempotent_reply (account_id, idempotency_key, request_id, body_hash, claimed_at, expires_at, key_id)
      SELECT h.account, h.idempotency, h.request, h.hash, at, at + interval '24 hours', h.key
      FROM unnest(asked) h WHERE h.idempotency IS NOT NULL
      ON CONFLICT (account_id, idempotency_key) DO NOTHING;
    GET DIAGNOSTICS claimed = ROW_COUNT;
    IF claimed < (SELECT count(*) FROM unnest(asked) h WHERE h.idempotency IS NOT NULL) THEN
      in_the_way := (
        SELECT string_agg(DISTINCT h.account, ',') FROM unnest(asked) h
        JOIN idempotent_reply r ON r.account_id = h.account AND r.idempotency_key = h.idempotency AND r.request_id <> h.request);
    END IF;
  END IF;
  IF in_the_way IS NOT NULL THEN RAISE SQLSTATE 'PP001' USING DETAIL = in_the_way; END IF;
  settled := ledger_write_batch(endings, asked, coalesce(caps, '{}'), process, at, until);
  IF bodies IS NOT NULL THEN PERFORM gateway_save_replies(endings, bodies); END IF;
  RETURN coalesce(settled, '');
EXCEPTION WHEN SQLSTATE 'PP001' THEN
  GET STACKED DIAGNOSTICS in_the_way = PG_EXCEPTION_DETAIL;
  RETURN '!' || in_the_way;
END $$;

-- Decides a batch item by item, in order, settlements first. Returns a line for each, as gateway_settle_hold and gateway_place_hold do.
CREATE OR REPLACE FUNCTION gateway_decide_items(
  endings ledger_settlement[], bodies text[], asked ledger_hold_request[], has_claims boolean, process text, at timestamptz, until timestamptz
) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  has_begun boolean := CASE WHEN cardinality(endings) > 0 THEN ledger_begin_charges() IS NOT NULL END;
  lines text[] := '{}';
BEGIN
  PERFORM ledger_lock_accounts(ARRAY(SELECT e.account FROM unnest(endings) e UNION ALL SELECT h.account FROM unnest(asked) h));
  FOR i IN 1 .. cardinality(endings) LOOP
    lines := lines || gateway_settle_hold(endings[i], bodies[i], at);
  END LOOP;
  FOR i IN 1 .. cardinality(asked) LOOP
    lines := lines || gateway_place_hold(asked[i], process, at, until);
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
