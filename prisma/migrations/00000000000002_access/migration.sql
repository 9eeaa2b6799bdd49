-- access: who may call. Accounts and their API keys.

CREATE TABLE account (
  id text COLLATE "C" PRIMARY KEY,
  state text NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'frozen')),
  -- Overrides of the service's limits ("higher limits available on request"); null = the default.
  rate_per_minute integer CHECK (rate_per_minute > 0),
  concurrency integer CHECK (concurrency > 0),
  created_at timestamptz NOT NULL
);

CREATE TABLE api_key (
  id text COLLATE "C" PRIMARY KEY,
  account_id text COLLATE "C" NOT NULL REFERENCES account (id),
  -- HMAC-SHA256 of the key under the server's pepper. The key itself is stored nowhere.
  hash bytea NOT NULL,
  prefix text NOT NULL,
  last4 text NOT NULL,
  name text NOT NULL,
  state text NOT NULL DEFAULT 'active' CHECK (state IN ('active', 'paused', 'revoked')),
  expires_at timestamptz,
  cap_nano_usd bigint CHECK (cap_nano_usd >= 0),
  cap_period text CHECK (cap_period IN ('day', 'week', 'month', 'total')),
  -- Model names this key may use; null = every model.
  allowed_models text[],
  created_at timestamptz NOT NULL,
  last_used_at timestamptz,
  revoked_at timestamptz,
  CHECK ((cap_nano_usd IS NULL) = (cap_period IS NULL))
);
CREATE UNIQUE INDEX api_key_hash_key ON api_key (hash);
CREATE INDEX api_key_account_id_idx ON api_key (account_id);

-- Every process caches keys and empties its cache of an account on this notice, so that a revocation works everywhere at once.
CREATE FUNCTION access_notify_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('access', CASE TG_TABLE_NAME WHEN 'account' THEN NEW.id ELSE to_jsonb(NEW) ->> 'account_id' END);
  RETURN NULL;
END $$;
-- Not for last_used_at, which changes all the time and decides nothing.
CREATE TRIGGER api_key_changed
  AFTER UPDATE OF state, expires_at, cap_nano_usd, cap_period, allowed_models ON api_key
  FOR EACH ROW EXECUTE FUNCTION access_notify_change();
CREATE TRIGGER account_changed
  AFTER UPDATE ON account FOR EACH ROW EXECUTE FUNCTION access_notify_change();

-- When the period that contains `at` began and when it ends, in UTC; weeks begin on Monday. 'total' never ends.
CREATE FUNCTION access_cap_period_start(period text, at timestamptz) RETURNS timestamptz LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE period
    WHEN 'day' THEN date_trunc('day', at, 'UTC')
    WHEN 'week' THEN date_trunc('week', at, 'UTC')
    WHEN 'month' THEN date_trunc('month', at, 'UTC')
    WHEN 'total' THEN timestamptz '1970-01-01 00:00:00+00'
  END
$$;
CREATE FUNCTION access_cap_period_end(period text, at timestamptz) RETURNS timestamptz LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE period
    WHEN 'day' THEN (date_trunc('day', at AT TIME ZONE 'UTC') + interval '1 day') AT TIME ZONE 'UTC'
    WHEN 'week' THEN (date_trunc('week', at AT TIME ZONE 'UTC') + interval '1 week') AT TIME ZONE 'UTC'
    WHEN 'month' THEN (date_trunc('month', at AT TIME ZONE 'UTC') + interval '1 month') AT TIME ZONE 'UTC'
  END
$$;

-- What a key may do at this moment, decided from its row and not from a cache: `state` is active, paused, revoked,
-- expired, frozen or unknown.
CREATE FUNCTION access_key_states(key_ids text[], at timestamptz)
RETURNS TABLE (key_id text, state text, cap bigint, period text, period_start timestamptz)
LANGUAGE sql STABLE ROWS 20 AS $$
  SELECT k.id,
    CASE
      WHEN k.state <> 'active' THEN k.state
      WHEN k.expires_at <= at THEN 'expired'
      WHEN a.state <> 'open' THEN a.state
      ELSE 'active'
    END,
    k.cap_nano_usd, k.cap_period, access_cap_period_start(k.cap_period, at)
  FROM api_key k JOIN account a ON a.id = k.account_id
  WHERE k.id = ANY (key_ids)
$$;
