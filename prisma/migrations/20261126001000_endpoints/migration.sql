-- events: where an owner hears of events, and each event's way there.

CREATE TABLE endpoint (
  id text COLLATE "C" PRIMARY KEY,
  account_id text COLLATE "C" NOT NULL,
  kind text COLLATE "C" NOT NULL CHECK (kind IN ('webhook', 'chat', 'email')),
  -- A URL, or an e-mail address.
  target text NOT NULL,
  -- The types of events that it wants; all if empty.
  types text[] COLLATE "C" NOT NULL,
  state text COLLATE "C" NOT NULL CHECK (state IN ('unconfirmed', 'active', 'disabled')),
  -- owner: switched off; gone: it answered 410; failing: every attempt of five days failed.
  disabled_reason text COLLATE "C" CHECK (disabled_reason IN ('owner', 'gone', 'failing')),
  -- The secret follows from the id and this number; until old_secret_until the number before it signs too.
  secret_number integer NOT NULL DEFAULT 1 CHECK (secret_number > 0),
  old_secret_until timestamptz,
  -- The hash of the link that confirms an e-mail address, and when the link lapses.
  confirm_hash bytea,
  confirm_until timestamptz,
  -- Failed attempts in a row, since when, and until when the endpoint is left alone.
  failures integer NOT NULL DEFAULT 0 CHECK (failures >= 0),
  failing_since timestamptz,
  rests_until timestamptz,
  -- The process that sends to it: one at a time, in order.
  served_by text COLLATE "C",
  created_at timestamptz NOT NULL,
  CONSTRAINT endpoint_disabled_check CHECK ((state = 'disabled') = (disabled_reason IS NOT NULL)),
  CONSTRAINT endpoint_failing_check CHECK ((failures > 0) = (failing_since IS NOT NULL))
);
CREATE INDEX endpoint_account_id_idx ON endpoint (account_id);
CREATE INDEX endpoint_served_by_idx ON endpoint (served_by) WHERE served_by IS NOT NULL;

CREATE TABLE delivery (
  -- Ids sort by time.
  id text COLLATE "C" PRIMARY KEY,
  endpoint_id text COLLATE "C" NOT NULL REFERENCES endpoint (id) ON DELETE CASCADE,
  account_id text COLLATE "C" NOT NULL,
  -- Null for a sample.
  event_id text COLLATE "C" REFERENCES event (id) ON DELETE CASCADE,
  sequence bigint CHECK (sequence > 0),
  type text COLLATE "C" NOT NULL,
  state text COLLATE "C" NOT NULL CHECK (state IN ('pending', 'delivered', 'failed')),
  -- When it is tried next; null once it has ended.
  try_at timestamptz,
  -- Each attempt as {at, ms, status | error, bytes}; nothing else of an answer is kept.
  tries jsonb NOT NULL,
  -- Attempts since it was created or last resent.
  attempts integer NOT NULL CHECK (attempts >= 0),
  created_at timestamptz NOT NULL,
  ended_at timestamptz,
  CONSTRAINT delivery_event_check CHECK ((event_id IS NULL) = (sequence IS NULL)),
  CONSTRAINT delivery_pending_check CHECK ((state = 'pending') = (try_at IS NOT NULL) AND (state = 'pending') = (ended_at IS NULL))
);
CREATE INDEX delivery_account_id_id_idx ON delivery (account_id, id);
CREATE INDEX delivery_event_id_idx ON delivery (event_id);
CREATE INDEX delivery_endpoint_id_id_idx ON delivery (endpoint_id, id);
CREATE INDEX delivery_endpoint_id_sequence_idx ON delivery (endpoint_id, sequence) WHERE state = 'pending';
