-- Keys at the moment of a request: what each may do, and the notice that one of them changed.

-- Every process caches keys and empties its cache of an account on this notice, so that a revocation works everywhere at once.
CREATE OR REPLACE FUNCTION access_notify_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('access', CASE TG_TABLE_NAME WHEN 'account' THEN NEW.id ELSE to_jsonb(NEW) ->> 'account_id' END);
  RETURN NULL;
END $$;

-- When the period that contains `at` began and when it ends, in UTC; weeks begin on Monday. 'total' never ends.
CREATE OR REPLACE FUNCTION access_cap_period_start(period text, at timestamptz) RETURNS timestamptz LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE period
    WHEN 'day' THEN date_trunc('day', at, 'UTC')
    WHEN 'week' THEN date_trunc('week', at, 'UTC')
    WHEN 'month' THEN date_trunc('month', at, 'UTC')
    WHEN 'total' THEN timestamptz '1970-01-01 00:00:00+00'
  END
$$;

CREATE OR REPLACE FUNCTION access_cap_period_end(period text, at timestamptz) RETURNS timestamptz LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE period
    WHEN 'day' THEN (date_trunc('day', at AT TIME ZONE 'UTC') + interval '1 day') AT TIME ZONE 'UTC'
    WHEN 'week' THEN (date_trunc('week', at AT TIME ZONE 'UTC') + interval '1 week') AT TIME ZONE 'UTC'
    WHEN 'month' THEN (date_trunc('month', at AT TIME ZONE 'UTC') + interval '1 month') AT TIME ZONE 'UTC'
  END
$$;

CREATE OR REPLACE FUNCTION access_state_of_key(state text, expires_at timestamptz, account_state text, at timestamptz) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE
    WHEN state <> 'active' THEN state
    WHEN expires_at <= at THEN 'expired'
    WHEN account_state <> 'open' THEN account_state
    ELSE 'active'
  END
$$;

-- What a key may do at this moment, decided from its row and not from a cache: `state` is active, paused, revoked, expired or
-- frozen; no row for a key that does not exist.
CREATE OR REPLACE FUNCTION access_key_state(wanted text, at timestamptz)
RETURNS TABLE (state text, cap bigint, period text, period_start timestamptz)
LANGUAGE sql STABLE ROWS 1 AS $$
  SELECT access_state_of_key(k.state, k.expires_at, a.state, at), k.cap_nano_usd, k.cap_period, access_cap_period_start(k.cap_period, at)
  FROM api_key k JOIN account a ON a.id = k.account_id
  WHERE k.id = wanted
$$;
