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
