-- access: who may call. Accounts, the wallets that own them, their sessions and their API keys.

CREATE TABLE account (
  id text COLLATE "C" PRIMARY KEY,
  state text NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'frozen')),
  -- Overrides of the service's limits ("higher limits available on request"); null = the default.
  rate_per_minute integer CHECK (rate_per_minute > 0),
  concurrency integer CHECK (concurrency > 0),
  -- Below this balance the console says so; null = it does not.
  low_balance_nano_usd bigint CHECK (low_balance_nano_usd >= 0),
  created_at timestamptz NOT NULL
);

-- A wallet that was proved to be an account's, and of no other: lower-case hex on EVM chains, base58 on Solana.
CREATE TABLE identity (
  chain text NOT NULL CHECK (chain IN ('evm', 'solana')),
  address text COLLATE "C" NOT NULL,
  account_id text COLLATE "C" NOT NULL REFERENCES account (id),
  linked_at timestamptz NOT NULL,
  -- True when signing in with this wallet opened the account.
  is_first boolean NOT NULL,
  PRIMARY KEY (chain, address),
  CHECK (CASE chain WHEN 'evm' THEN address ~ '^0x[0-9a-f]{40}$' ELSE address ~ '^[1-9A-HJ-NP-Za-km-z]{32,44}$' END)
);
CREATE INDEX identity_account_id_idx ON identity (account_id);

-- A text that a wallet was asked to sign. It is deleted by its first use, whether that succeeds or not.
CREATE TABLE sign_in_nonce (
  nonce text COLLATE "C" PRIMARY KEY,
  purpose text NOT NULL CHECK (purpose IN ('sign_in', 'link_allow', 'link_join')),
  chain text NOT NULL CHECK (chain IN ('evm', 'solana')),
  address text COLLATE "C" NOT NULL,
  -- Linking only: the account, and the nonce of the other text of the two.
  account_id text COLLATE "C" REFERENCES account (id),
  pair text COLLATE "C",
  text text NOT NULL,
  expires_at timestamptz NOT NULL,
  CHECK ((purpose = 'sign_in') = (account_id IS NULL) AND (account_id IS NULL) = (pair IS NULL))
);
CREATE INDEX sign_in_nonce_expires_at_idx ON sign_in_nonce (expires_at);

-- A browser that is signed in. Of its cookie, 256 random bits, only the SHA-256 is kept.
CREATE TABLE session (
  id text COLLATE "C" PRIMARY KEY,
  token_hash bytea NOT NULL,
  account_id text COLLATE "C" NOT NULL REFERENCES account (id),
  -- The wallet that signed in.
  chain text NOT NULL CHECK (chain IN ('evm', 'solana')),
  address text COLLATE "C" NOT NULL,
  created_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  -- Written at most once a minute.
  last_seen_at timestamptz NOT NULL,
  user_agent text NOT NULL CHECK (length(user_agent) <= 300),
  client_address text NOT NULL
);
CREATE UNIQUE INDEX session_token_hash_key ON session (token_hash);
CREATE INDEX session_account_id_idx ON session (account_id);
CREATE INDEX session_expires_at_idx ON session (expires_at);

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

-- True for an account that may not spend at this moment, decided from its row. An account that nobody opened is not frozen:
-- whoever pays without one has a balance, or has not.
CREATE FUNCTION access_is_frozen(account_id text) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT EXISTS (SELECT 1 FROM account a WHERE a.id = account_id AND a.state <> 'open')
$$;

-- The account that a wallet was proved to be of; null when it is of none.
CREATE FUNCTION access_owner_of(wallet_chain text, wallet_address text) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT i.account_id FROM identity i WHERE i.chain = wallet_chain AND i.address = wallet_address
$$;
