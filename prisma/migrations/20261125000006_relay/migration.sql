-- relay: transactions of ours on their way into a chain. What is stored here was signed; nothing is sent that is not stored.

-- Who sends with nonces, and the next one.
CREATE TABLE relay_sender (
  chain text COLLATE "C" NOT NULL,
  address text COLLATE "C" NOT NULL,
  next_nonce integer NOT NULL CHECK (next_nonce >= 0),
  -- Why nothing is stored and nothing is sent until an operator has looked: nonce_ahead | nonce_behind
  fault text COLLATE "C",
  -- The chain's head when mined transactions were last held against it: while it is on the chain, none of them has left it.
  seen_block integer,
  seen_hash text COLLATE "C",
  PRIMARY KEY (chain, address)
);

CREATE TABLE relayed (
  -- Given by whoever stores it; one id is one transaction, for ever.
  id text COLLATE "C" PRIMARY KEY,
  -- base | solana
  chain text COLLATE "C" NOT NULL CHECK (chain IN ('base', 'solana')),
  -- Who pays for it.
  sender text COLLATE "C" NOT NULL,
  -- What a raised fee is signed for again; Solana has none of the four.
  nonce integer CHECK (nonce >= 0),
  receiver text COLLATE "C",
  input bytea,
  gas bigint CHECK (gas > 0),
  -- The last block height at which Solana may run it, and a slot before which it is in no block.
  last_valid_height bigint,
  signed_slot bigint,
  -- stored | sent | succeeded | failed (in a block, without effect) | lost (it can never be in one)
  state text COLLATE "C" NOT NULL CHECK (state IN ('stored', 'sent', 'succeeded', 'failed', 'lost')),
  -- Nothing about it changes any more.
  finalized boolean NOT NULL DEFAULT false,
  -- In a block: the hash that is there. Before: that of the bytes signed last. Solana calls it the signature.
  hash text COLLATE "C" NOT NULL,
  -- Solana: its slot, and no hash.
  block integer,
  block_hash text COLLATE "C",
  -- wei or lamports, once it is in a block
  fee numeric(78, 0) CHECK (fee >= 0),
  -- Its block was held against the chain since it was seen there.
  checked boolean NOT NULL DEFAULT false,
  -- Why no node takes it: no_gas_money, or a node's own words.
  problem text COLLATE "C",
  stored_at timestamptz NOT NULL,
  -- When its bytes were sent last, and since when the nodes have those that were signed last.
  sent_at timestamptz,
  taken_at timestamptz,
  CHECK ((state IN ('succeeded', 'failed')) = (block IS NOT NULL)),
  CHECK (NOT finalized OR state IN ('succeeded', 'failed', 'lost')),
  CHECK (finalized OR state <> 'lost'),
  CHECK ((chain = 'base') = (nonce IS NOT NULL AND receiver IS NOT NULL AND input IS NOT NULL AND gas IS NOT NULL)),
  CHECK ((chain = 'solana') = (last_valid_height IS NOT NULL AND signed_slot IS NOT NULL))
);
CREATE UNIQUE INDEX relayed_chain_sender_nonce_key ON relayed (chain, sender, nonce);
CREATE INDEX relayed_finalized_chain_state_nonce_idx ON relayed (finalized, chain, state, nonce);

-- All bytes that were ever signed for it: any of them may be the one that comes into a block.
CREATE TABLE relay_broadcast (
  hash text COLLATE "C" PRIMARY KEY,
  relayed_id text COLLATE "C" NOT NULL REFERENCES relayed (id) ON DELETE NO ACTION ON UPDATE NO ACTION,
  raw bytea NOT NULL,
  -- wei a unit of gas; Solana has none
  max_fee numeric(78, 0),
  max_priority_fee numeric(78, 0),
  signed_at timestamptz NOT NULL
);
CREATE INDEX relay_broadcast_relayed_id_signed_at_idx ON relay_broadcast (relayed_id, signed_at);
