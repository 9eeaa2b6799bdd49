-- events: what happened to an account, for its owner and the owner's programs. A row is written in the commit that makes it true.

CREATE TABLE event (
  -- The order in which rows were written; a row may be committed after one that was written later.
  place bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  id text COLLATE "C" NOT NULL UNIQUE,
  account_id text COLLATE "C" NOT NULL,
  type text COLLATE "C" NOT NULL,
  at timestamptz NOT NULL,
  -- Amounts are texts, in nano-USD.
  data jsonb NOT NULL,
  -- Counts an account's events from 1, without gaps; null until a job has numbered the committed row.
  sequence bigint CHECK (sequence > 0)
);
CREATE UNIQUE INDEX event_account_id_sequence_key ON event (account_id, sequence);
CREATE INDEX event_place_idx ON event (place) WHERE sequence IS NULL;
CREATE INDEX event_at_idx ON event (at);

-- How many events of an account are numbered, also once they are deleted.
CREATE TABLE event_count (
  account_id text COLLATE "C" PRIMARY KEY,
  numbered bigint NOT NULL CHECK (numbered > 0)
);

-- ledger: lines whose crossing is an event. A line is armed until it is crossed, and again once the balance was a tenth above it.
ALTER TABLE ledger_account
  ADD COLUMN low_line bigint CHECK (low_line > 0),
  ADD COLUMN low_armed boolean NOT NULL DEFAULT false,
  -- True once the owner was told that a request was refused, until money comes in.
  ADD COLUMN told_exhausted boolean NOT NULL DEFAULT false;

-- Nobody is told again what their balance already shows.
UPDATE ledger_account l SET low_line = a.low_balance_nano_usd, low_armed = l.posted >= a.low_balance_nano_usd
  FROM account a WHERE a.id = l.id AND a.low_balance_nano_usd > 0;
ALTER TABLE account DROP COLUMN low_balance_nano_usd;

-- Whose key it is, the cap whose owner is told once four fifths of it are spent, and what they were told in this period.
ALTER TABLE key_spend
  ADD COLUMN account_id text COLLATE "C",
  ADD COLUMN cap bigint,
  ADD COLUMN told_near boolean NOT NULL DEFAULT false,
  ADD COLUMN told_reached boolean NOT NULL DEFAULT false;
UPDATE key_spend s SET account_id = k.account_id, cap = k.cap_nano_usd, told_near = s.spent >= k.cap_nano_usd - k.cap_nano_usd / 5
  FROM api_key k WHERE k.id = s.key_id AND k.cap_nano_usd IS NOT NULL AND k.cap_period = s.period;
