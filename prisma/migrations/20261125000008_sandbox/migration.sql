-- sandbox: what only a sandbox keeps; empty in live mode.

-- What the faucet gives, one row a time: written before it gives, and removed when it could not.
CREATE TABLE faucet_gift (
  account_id text COLLATE "C" NOT NULL,
  -- In UTC.
  day date NOT NULL,
  -- Counts the account's gifts of the day, from 1.
  place integer NOT NULL,
  -- base | solana
  chain text COLLATE "C" NOT NULL,
  -- Null until the chain has it, and for ever when the process died then: it counts, since nobody knows.
  transaction text COLLATE "C",
  asked_at timestamptz NOT NULL,
  PRIMARY KEY (account_id, day, place)
);
