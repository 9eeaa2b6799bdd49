-- payments: money that a wallet signed away with one request. A payment is claimed, settled on its chain and credited, each once
-- however often it comes.

CREATE TABLE payment_claim (
  id text COLLATE "C" PRIMARY KEY,
  -- proof | exact_evm | exact_svm
  scheme text COLLATE "C" NOT NULL CHECK (scheme IN ('proof', 'exact_evm', 'exact_svm')),
  -- CAIP-2; with its payer and the payer's nonce it names a payment for ever.
  network text COLLATE "C" NOT NULL,
  -- Lower-case hex on EVM chains, base58 on Solana.
  payer text COLLATE "C" NOT NULL,
  nonce text COLLATE "C" NOT NULL,
  -- nano-USD
  amount bigint NOT NULL,
  -- Of the key that it came with; null where none is asked for.
  account_id text COLLATE "C",
  key_id text COLLATE "C",
  idempotency_key text COLLATE "C",
  body_hash bytea NOT NULL,
  -- From then on its chain refuses it.
  valid_until timestamptz NOT NULL,
  -- What settling it needs.
  settlement jsonb NOT NULL,
  -- claimed | paid | covered (the payer's credit was enough, nothing was submitted) | failed (nothing moved) | reversed (its block is gone)
  state text COLLATE "C" NOT NULL CHECK (state IN ('claimed', 'paid', 'covered', 'failed', 'reversed')),
  -- Counts from 1; each has its own transaction in the relay.
  attempt integer NOT NULL DEFAULT 1 CHECK (attempt > 0),
  -- The attempt's transaction is stored in the relay.
  relayed boolean NOT NULL DEFAULT false,
  failure text COLLATE "C",
  failure_message text,
  credited_account text COLLATE "C",
  -- On its chain, as far as known.
  transaction text COLLATE "C",
  block integer,
  -- Nothing about it changes any more by itself.
  finalized boolean NOT NULL DEFAULT false,
  times_reversed integer NOT NULL DEFAULT 0,
  -- The last request that was held from it.
  request_id text COLLATE "C",
  claimed_at timestamptz NOT NULL,
  -- When somebody last asked for it: until a while after that, somebody waits for its outcome.
  wanted_at timestamptz NOT NULL,
  paid_at timestamptz,
  -- Whether the attempt that is under way is of a payer on trust.
  on_trust boolean NOT NULL DEFAULT false,
  -- Whole units of USDC: a chain moves nothing smaller.
  CONSTRAINT payment_claim_amount_check CHECK (amount > 0 AND amount % 1000 = 0),
  CONSTRAINT payment_claim_state_of_money_check CHECK (CASE state
    WHEN 'paid' THEN credited_account IS NOT NULL AND transaction IS NOT NULL AND block IS NOT NULL AND paid_at IS NOT NULL
    WHEN 'covered' THEN credited_account IS NOT NULL
    WHEN 'failed' THEN failure IS NOT NULL
    ELSE true END)
);
CREATE UNIQUE INDEX payment_claim_network_payer_nonce_key ON payment_claim (network, payer, nonce);
CREATE UNIQUE INDEX payment_claim_account_id_idempotency_key_key ON payment_claim (account_id, idempotency_key);
CREATE INDEX payment_claim_account_id_request_id_idx ON payment_claim (account_id, request_id);
CREATE INDEX payment_claim_finalized_state_wanted_at_idx ON payment_claim (finalized, state, wanted_at);

-- payments: transactions that move nothing cost the operator their fee. A wallet can have them made on purpose: its contract says yes
-- when the payment is tried out and no in the block, or its money goes in between. So nobody has many made for nothing.

-- Attempts whose transaction came into a block and moved nothing.
CREATE TABLE payment_waste (
  claim_id text COLLATE "C" NOT NULL,
  attempt integer NOT NULL,
  network text COLLATE "C" NOT NULL,
  payer text COLLATE "C" NOT NULL,
  -- Its payer had not paid more often than it had wasted.
  on_trust boolean NOT NULL,
  at timestamptz NOT NULL,
  PRIMARY KEY (claim_id, attempt)
);
CREATE INDEX payment_waste_network_payer_at_idx ON payment_waste (network, payer, at);
CREATE INDEX payment_waste_network_at_idx ON payment_waste (network, at);
CREATE INDEX payment_claim_network_payer_paid_at_idx ON payment_claim (network, payer, paid_at) WHERE state = 'paid';
CREATE INDEX payment_claim_network_payer_open_idx ON payment_claim (network, payer) WHERE state = 'claimed' AND relayed;
CREATE INDEX payment_claim_void_idx ON payment_claim (wanted_at) WHERE state = 'failed' AND finalized AND NOT relayed;
