-- Keys at the time of a request: what each may do, and the notice that a key changed.

-- Every process caches keys, and on this notice drops the account's keys from its cache, so that a revocation works everywhere at once.
CREATE OR REPLACE FUNCTION access_notify_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('access', CASE TG_TABLE_NAME WHEN 'account' THEN NEW.id ELSE to_jsonb(NEW) ->> 'account_id' END);
  RETURN NULL;
END $$;

-- When the period that contains `at` began and when it ends, in UTC; weeks begin on Monday. 'total' never ends.
CREATE OR REPLACE FUNCTION access_cap_period_start(period text, at timestamptz) RETURNS timestamptz LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE period
    WHEN 'hour' THEN date_trunc('hour', at, 'UTC')
    WHEN 'day' THEN date_trunc('day', at, 'UTC')
    WHEN 'week' THEN date_trunc('week', at, 'UTC')
    WHEN 'month' THEN date_trunc('month', at, 'UTC')
    WHEN 'total' THEN timestamptz '1970-01-01 00:00:00+00'
  END
$$;

CREATE OR REPLACE FUNCTION access_cap_period_end(period text, at timestamptz) RETURNS timestamptz LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE period
    WHEN 'hour' THEN date_trunc('hour', at, 'UTC') + interval '1 hour'
    WHEN 'day' THEN (date_trunc('day', at AT TIME ZONE 'UTC') + interval '1 day') AT TIME ZONE 'UTC'
    WHEN 'week' THEN (date_trunc('week', at AT TIME ZONE 'UTC') + interval '1 week') AT TIME ZONE 'UTC'
    WHEN 'month' THEN (date_trunc('month', at AT TIME ZONE 'UTC') + interval '1 month') AT TIME ZONE 'UTC'
  END
$$;

-- The power of a key now, decided from its row and not from a cache: `state` is active, paused, revoked, expired or frozen; no row for a
-- key that does not exist.
CREATE OR REPLACE FUNCTION access_key_state(wanted text, at timestamptz)
RETURNS TABLE (state text, cap bigint, period text, period_start timestamptz)
LANGUAGE sql STABLE ROWS 1 AS $$
  SELECT CASE WHEN k.state <> 'active' THEN k.state WHEN k.expires_at <= at THEN 'expired' WHEN a.state <> 'open' THEN a.state ELSE 'active' END,
    k.cap_nano_usd, k.cap_period, access_cap_period_start(k.cap_period, at)
  FROM api_key k JOIN account a ON a.id = k.account_id
  WHERE k.id = wanted
$$;

-- Whether a key may read what other keys of its account did.
CREATE OR REPLACE FUNCTION access_reads_account(wanted text) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT EXISTS (SELECT FROM api_key k WHERE k.id = wanted AND 'account' = ANY (k.scopes))
$$;

-- Replaces a key's limits; `others` are further columns of the table with their new values. Returns the period that its cap counted before
-- (null without a cap), and whether the account has the key; a revoked key counts as unknown.
CREATE OR REPLACE FUNCTION access_limit_key(
  account text, key text, new_expiry timestamptz, keeps_expiry boolean, new_cap bigint, new_period text, models text[],
  others jsonb DEFAULT '{}'
) RETURNS TABLE (is_known boolean, old_period text) LANGUAGE plpgsql ROWS 1 AS $$
BEGIN
  SELECT k.cap_period INTO old_period FROM api_key k WHERE k.id = key AND k.account_id = account AND k.state <> 'revoked' FOR UPDATE;
  is_known := FOUND;
  UPDATE api_key k SET expires_at = CASE WHEN keeps_expiry THEN k.expires_at ELSE new_expiry END, cap_nano_usd = new_cap,
      cap_period = new_period, allowed_models = models, clip_min_tokens = n.clip_min_tokens, scopes = n.scopes, networks = n.networks,
      alarm_factor = n.alarm_factor, alarm_above = n.alarm_above, alarm_pauses = n.alarm_pauses
    FROM (SELECT (jsonb_populate_record(o, others)).* FROM api_key o WHERE o.id = key) n
    WHERE k.id = key AND is_known;
  RETURN NEXT;
END $$;

-- Mutes an active key's alarm until the given time. Returns whether its owner wants it paused; null, with nothing changed, when the key is
-- not active, has no alarm, or is muted.
CREATE OR REPLACE FUNCTION access_hear_alarm(key text, until timestamptz, at timestamptz) RETURNS boolean LANGUAGE sql AS $$
  UPDATE api_key k SET alarm_muted_until = until
    WHERE k.id = key AND k.state = 'active' AND k.alarm_factor IS NOT NULL AND (k.alarm_muted_until IS NULL OR k.alarm_muted_until <= at)
    RETURNING k.alarm_pauses
$$;

CREATE OR REPLACE FUNCTION access_pause_key(key text) RETURNS void LANGUAGE sql AS $$
  UPDATE api_key k SET state = 'paused' WHERE k.id = key AND k.state = 'active'
$$;
