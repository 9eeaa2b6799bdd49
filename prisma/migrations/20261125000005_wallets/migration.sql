-- wallets: where customers' money comes in. Owns the seed's public half, addresses made ahead, and who was given which.

-- One row: which seed this database's addresses come from. Another one is refused.
CREATE TABLE custody (
  id boolean PRIMARY KEY DEFAULT true CHECK (id),
  -- BIP-32 fingerprint of the seed's master key.
  fingerprint text COLLATE "C" NOT NULL,
  -- Public half of m/44'/60'/0'/0: every Base address follows from it.
  xpub text COLLATE "C" NOT NULL,
  -- The Solana mint that the token accounts are for.
  usdc_mint text COLLATE "C" NOT NULL,
  -- The operator's own addresses of the seed: where swept USDC goes, who pays for gas on Base, and for payments on Solana.
  treasury_base text COLLATE "C" NOT NULL,
  treasury_solana text COLLATE "C" NOT NULL,
  relayer_base text COLLATE "C" NOT NULL,
  sponsor_solana text COLLATE "C" NOT NULL,
  -- The first index that has never been made.
  next_index integer NOT NULL DEFAULT 0 CHECK (next_index >= 0),
  created_at timestamptz NOT NULL
);

-- Addresses that the signer made ahead, since Solana's cannot be derived without the seed. A row is deleted as it is taken.
CREATE TABLE address_pool (
  derivation_index integer PRIMARY KEY CHECK (derivation_index >= 0),
  base_address text COLLATE "C" NOT NULL,
  solana_owner text COLLATE "C" NOT NULL,
  solana_token_account text COLLATE "C" NOT NULL,
  -- The signer's signature over the four, which the xpub verifies: nobody else can put addresses here.
  attestation bytea NOT NULL
);

CREATE TABLE custodial_wallet (
  account_id text COLLATE "C" PRIMARY KEY,
  derivation_index integer NOT NULL CHECK (derivation_index >= 0),
  base_address text COLLATE "C" NOT NULL,
  solana_owner text COLLATE "C" NOT NULL,
  solana_token_account text COLLATE "C" NOT NULL,
  attestation bytea NOT NULL,
  created_at timestamptz NOT NULL
);
CREATE UNIQUE INDEX custodial_wallet_derivation_index_key ON custodial_wallet (derivation_index);
CREATE UNIQUE INDEX custodial_wallet_base_address_key ON custodial_wallet (base_address);
CREATE UNIQUE INDEX custodial_wallet_solana_owner_key ON custodial_wallet (solana_owner);
CREATE UNIQUE INDEX custodial_wallet_solana_token_account_key ON custodial_wallet (solana_token_account);

-- USDC that came in at an account's address. Its money is the ledger's: `state` says what the ledger was told.
CREATE TABLE deposit (
  -- Made of transaction, receiver and amount: a transfer keeps its name when a reorganisation moves it to another block.
  id text COLLATE "C" PRIMARY KEY,
  chain text COLLATE "C" NOT NULL CHECK (chain IN ('base', 'solana')),
  account_id text COLLATE "C" NOT NULL,
  address text COLLATE "C" NOT NULL,
  -- nano-USD
  amount bigint NOT NULL CHECK (amount > 0),
  -- Where it was seen last.
  block integer NOT NULL CHECK (block >= 0),
  block_hash text COLLATE "C" NOT NULL,
  transaction text COLLATE "C" NOT NULL,
  -- Among the logs of its block.
  place integer NOT NULL CHECK (place >= 0),
  -- confirming: a block has followed. below_minimum: ours to keep until its address has the minimum.
  state text COLLATE "C" NOT NULL CHECK (state IN ('seen', 'confirming', 'credited', 'below_minimum', 'reversed')),
  -- Its block is final: the money can leave again.
  finalized boolean NOT NULL DEFAULT false,
  -- Its block is no longer on the chain, and it was not found in another one since.
  missing_since timestamptz,
  -- How often the ledger took it back; it may come again after that.
  times_reversed integer NOT NULL DEFAULT 0 CHECK (times_reversed >= 0),
  seen_at timestamptz NOT NULL,
  credited_at timestamptz,
  reversed_at timestamptz,
  -- The sweep that took it away from its address, or is about to.
  swept_by text COLLATE "C",
  CONSTRAINT credited_when_its_state_says_so CHECK (state = 'reversed' OR (state = 'credited') = (credited_at IS NOT NULL)),
  CONSTRAINT reversed_when_its_state_says_so CHECK ((state = 'reversed') = (reversed_at IS NOT NULL)),
  CONSTRAINT only_what_is_booked_is_final CHECK (NOT finalized OR (state IN ('credited', 'below_minimum') AND missing_since IS NULL)),
  CONSTRAINT what_is_reversed_is_no_longer_missed CHECK (state <> 'reversed' OR missing_since IS NULL)
);
CREATE INDEX deposit_account_id_seen_at_id_idx ON deposit (account_id, seen_at, id);
CREATE INDEX deposit_chain_finalized_block_idx ON deposit (chain, finalized, block);
CREATE INDEX deposit_chain_address_idx ON deposit (chain, address);

-- One row a chain: the last block that was read, and the chain's head when it was.
CREATE TABLE chain_scan (
  chain text COLLATE "C" PRIMARY KEY CHECK (chain IN ('base', 'solana')),
  block integer NOT NULL CHECK (block >= 0),
  block_hash text COLLATE "C" NOT NULL,
  latest integer NOT NULL CHECK (latest >= 0),
  safe integer NOT NULL CHECK (safe >= 0),
  finalized integer NOT NULL CHECK (finalized >= 0),
  -- Up to here the chain was read a second time, once it was final.
  checked_block integer NOT NULL CHECK (checked_block BETWEEN 0 AND block),
  -- Up to here other tokens were looked for.
  foreign_block integer NOT NULL CHECK (foreign_block BETWEEN 0 AND block)
);

-- The last block of each range that was read: as long as it is on the chain, what was read up to it stands.
CREATE TABLE chain_scan_end (
  chain text COLLATE "C" NOT NULL CHECK (chain IN ('base', 'solana')),
  block integer NOT NULL CHECK (block >= 0),
  block_hash text COLLATE "C" NOT NULL,
  PRIMARY KEY (chain, block)
);

-- Other tokens that came in at our addresses: the operator sees them, nobody is credited.
CREATE TABLE foreign_token (
  chain text COLLATE "C" NOT NULL CHECK (chain IN ('base', 'solana')),
  transaction text COLLATE "C" NOT NULL,
  place integer NOT NULL CHECK (place >= 0),
  token text COLLATE "C" NOT NULL,
  sender text COLLATE "C" NOT NULL,
  address text COLLATE "C" NOT NULL,
  account_id text COLLATE "C" NOT NULL,
  -- The token's own.
  units numeric(78, 0) NOT NULL CHECK (units > 0),
  block integer NOT NULL CHECK (block >= 0),
  seen_at timestamptz NOT NULL,
  PRIMARY KEY (chain, transaction, place)
);
CREATE INDEX foreign_token_chain_block_idx ON foreign_token (chain, block);

-- Who watches a chain. Times are the database's own: the clocks of two processes need not agree.
CREATE TABLE watch_lease (
  chain text COLLATE "C" PRIMARY KEY CHECK (chain IN ('base', 'solana')),
  holder text COLLATE "C" NOT NULL,
  -- Rises whenever the lease changes hands or lapses; every write of a watcher names it.
  fence bigint NOT NULL CHECK (fence > 0),
  until timestamptz NOT NULL
);

-- wallets: how far Solana is read. There each token account is read for itself, by its own list of transactions.

-- No row before an account was looked at.
CREATE TABLE solana_cursor (
  token_account text COLLATE "C" PRIMARY KEY,
  -- The last final transaction that was read; null before the first, in slot 0.
  signature text COLLATE "C",
  slot integer NOT NULL,
  -- What it left, in base units. The next transaction finds as much, or one between them is missing.
  units bigint NOT NULL,
  -- Up to here the account was read a second time.
  checked_signature text COLLATE "C",
  checked_slot integer NOT NULL,
  checked_units bigint NOT NULL,
  -- When it is to be read a second time, or looked at although nothing seems to have happened.
  check_at timestamptz NOT NULL,
  CHECK (units >= 0 AND checked_units >= 0),
  CHECK (signature IS NOT NULL AND slot > 0 OR signature IS NULL AND slot = 0 AND units = 0),
  CHECK (checked_signature IS NOT NULL AND checked_slot > 0 OR checked_signature IS NULL AND checked_slot = 0 AND checked_units = 0)
);
CREATE INDEX solana_cursor_check_at_idx ON solana_cursor (check_at);

-- Token accounts of our owners that are not watched: other tokens, and USDC in another account than the owner's own. The operator
-- sees them, nobody is credited.
CREATE TABLE solana_foreign_token (
  token_account text COLLATE "C" PRIMARY KEY,
  mint text COLLATE "C" NOT NULL,
  owner text COLLATE "C" NOT NULL,
  account_id text COLLATE "C" NOT NULL,
  -- The token's own.
  units numeric(20, 0) NOT NULL CHECK (units > 0),
  seen_at timestamptz NOT NULL
);
CREATE INDEX solana_foreign_token_owner_idx ON solana_foreign_token (owner);

-- sweeps: USDC on its way from custodial addresses to the treasury. The ledger knows nothing of them: the money stays ours, at
-- another place.

CREATE TABLE sweep (
  -- On Base, its hash is the nonce of the owner's authorization: the chain carries out one, however often it was signed.
  id text COLLATE "C" PRIMARY KEY,
  chain text COLLATE "C" NOT NULL CHECK (chain IN ('base', 'solana')),
  derivation_index integer NOT NULL CHECK (derivation_index >= 0),
  -- Of the index: as its owner sees it.
  address text COLLATE "C" NOT NULL,
  -- USDC base units: all that was at the address, as of `read_block`, which was final.
  units bigint NOT NULL CHECK (units > 0),
  read_block integer NOT NULL CHECK (read_block >= 0),
  -- planned (to be signed at `try_at`) | relayed (signed, and stored with the relay) | done (final) | failed (given up: its money
  -- is for another sweep, or gone)
  state text COLLATE "C" NOT NULL CHECK (state IN ('planned', 'relayed', 'done', 'failed')),
  -- How often it was signed.
  attempt integer NOT NULL DEFAULT 0 CHECK (attempt >= 0),
  -- The last attempt, by the relay's name. On Solana several sweeps share one.
  relayed_id text COLLATE "C",
  -- Why it waits, or was given up.
  reason text COLLATE "C",
  waits_since timestamptz,
  try_at timestamptz NOT NULL,
  -- Of the chain, where it was done.
  block integer,
  planned_at timestamptz NOT NULL,
  ended_at timestamptz,
  CONSTRAINT relayed_as_often_as_signed CHECK ((attempt = 0) = (relayed_id IS NULL)),
  CONSTRAINT relayed_when_its_state_says_so CHECK (state NOT IN ('relayed', 'done') OR attempt > 0),
  CONSTRAINT only_what_is_planned_waits CHECK (state = 'planned' OR waits_since IS NULL),
  CONSTRAINT ended_when_its_state_says_so CHECK ((state IN ('done', 'failed')) = (ended_at IS NOT NULL)),
  CONSTRAINT done_in_a_block CHECK ((state = 'done') = (block IS NOT NULL))
);
CREATE INDEX sweep_chain_state_try_at_idx ON sweep (chain, state, try_at);
CREATE INDEX sweep_chain_address_read_block_idx ON sweep (chain, address, read_block);
CREATE INDEX sweep_relayed_id_idx ON sweep (relayed_id);
CREATE INDEX deposit_chain_finalized_swept_by_idx ON deposit (chain, finalized, swept_by);

-- withdrawals: customers' money on its way out. What a withdrawal costs leaves its customer as it is asked for, lies in
-- `withdrawal_pending` while it is open, and ends once: paid out on its chain, or back with the customer.

CREATE TABLE withdrawal (
  id text COLLATE "C" PRIMARY KEY,
  account_id text COLLATE "C" NOT NULL,
  chain text COLLATE "C" NOT NULL,
  -- A wallet of the account's: lower-case hex on Base, base58 on Solana.
  destination text COLLATE "C" NOT NULL,
  -- nano-USD: what arrives, and what the customer pays beside it.
  amount bigint NOT NULL,
  fee bigint NOT NULL,
  -- The fee is for a token account of the destination's too, which Solana asks rent for.
  opens_account boolean NOT NULL,
  -- With the fields above, these are the whole text that the owner signed.
  nonce text COLLATE "C" NOT NULL,
  issued_at timestamptz NOT NULL,
  valid_until timestamptz NOT NULL,
  -- The wallet that signed it: evm | solana, as identities are stored.
  signer_chain text COLLATE "C" NOT NULL,
  signer_address text COLLATE "C" NOT NULL,
  signature text COLLATE "C" NOT NULL,
  state text COLLATE "C" NOT NULL,
  -- How often a payout of it was signed.
  attempt integer NOT NULL DEFAULT 0,
  -- On Base: from then on the last attempt's authorization counts for nothing.
  valid_before timestamptz,
  -- Why an approved one is not signed yet.
  waits_for text COLLATE "C",
  -- On its chain, of the last attempt.
  transaction text COLLATE "C",
  -- Why it was refused, or failed.
  reason text,
  requested_at timestamptz NOT NULL,
  approved_at timestamptz,
  signed_at timestamptz,
  confirmed_at timestamptz,
  ended_at timestamptz,
  CONSTRAINT withdrawal_chain_check CHECK (CASE chain
    WHEN 'base' THEN destination ~ '^0x[0-9a-f]{40}$' AND NOT opens_account
    WHEN 'solana' THEN destination ~ '^[1-9A-HJ-NP-Za-km-z]{32,44}$'
    ELSE false END),
  -- Whole units of USDC: a chain moves nothing smaller.
  CONSTRAINT withdrawal_amount_check CHECK (amount > 0 AND fee >= 0 AND amount % 1000 = 0 AND fee % 1000 = 0),
  CONSTRAINT withdrawal_nonce_check CHECK (nonce ~ '^[0-9A-Za-z]{22}$'),
  CONSTRAINT withdrawal_time_check CHECK (issued_at < valid_until AND requested_at < valid_until),
  CONSTRAINT withdrawal_state_check CHECK (CASE
    WHEN state = 'awaiting_approval' THEN approved_at IS NULL AND attempt = 0 AND ended_at IS NULL
    WHEN state = 'approved' THEN approved_at IS NOT NULL AND ended_at IS NULL
    WHEN state IN ('signed', 'sent', 'confirmed') THEN attempt > 0 AND signed_at IS NOT NULL AND waits_for IS NULL AND ended_at IS NULL
    WHEN state = 'final' THEN attempt > 0 AND confirmed_at IS NOT NULL AND ended_at IS NOT NULL
    WHEN state IN ('cancelled', 'refused', 'failed') THEN ended_at IS NOT NULL
    ELSE false END)
);

-- A signed text is an order once.
CREATE UNIQUE INDEX withdrawal_nonce_key ON withdrawal (nonce);
CREATE INDEX withdrawal_account_id_requested_at_id_idx ON withdrawal (account_id, requested_at, id);
CREATE INDEX withdrawal_state_requested_at_idx ON withdrawal (state, requested_at);

-- reserves: what is held on the chains against what is owed, each time it was reckoned. Amounts are nano-USD.

CREATE TABLE reserve_report (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  -- When the books were read; the chains were read at heights of their own.
  at timestamptz NOT NULL,
  state text COLLATE "C" NOT NULL CHECK (state IN ('covered', 'deficit', 'unknown')),
  -- Why it is unknown: away | doubtful | behind | disputed | starting; and of which chain, when it is one's matter.
  reason text COLLATE "C",
  chain text COLLATE "C",
  held bigint CHECK (held >= 0),
  owed bigint,
  -- Of what is owed: the balances of customers. The rest is on its way in or out.
  customers bigint,
  -- Of these, the credits of addresses that no account has proved as its own.
  credits bigint,
  -- What customers were given that came over no chain. Only a sandbox does that.
  granted bigint,
  CONSTRAINT unknown_has_a_reason_and_no_figures CHECK (CASE state
    WHEN 'unknown' THEN reason IS NOT NULL AND num_nonnulls(held, owed, customers, credits, granted) = 0
    ELSE reason IS NULL AND chain IS NULL AND num_nulls(held, owed, customers, credits, granted) = 0 END),
  CONSTRAINT a_deficit_is_less_than_is_owed CHECK ((state = 'deficit') = (held < owed) OR state = 'unknown')
);
CREATE INDEX reserve_report_at_id_idx ON reserve_report (at, id);

-- What a report found on each chain.
CREATE TABLE reserve_holding (
  report_id bigint NOT NULL REFERENCES reserve_report (id) ON DELETE CASCADE ON UPDATE NO ACTION,
  chain text COLLATE "C" NOT NULL CHECK (chain IN ('base', 'solana')),
  -- A final block, or on Solana a final slot, which is known by no hash.
  height integer NOT NULL CHECK (height >= 0),
  block_hash text COLLATE "C",
  treasury bigint NOT NULL CHECK (treasury >= 0),
  -- At all addresses where customers ever paid in, and how many these are.
  at_addresses bigint NOT NULL CHECK (at_addresses >= 0),
  addresses integer NOT NULL CHECK (addresses >= 0),
  PRIMARY KEY (report_id, chain)
);
