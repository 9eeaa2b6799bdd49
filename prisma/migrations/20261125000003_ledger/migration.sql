-- ledger: the only writer of money. Amounts are whole nano-USD. A customer's `posted` is what we owe them.
-- There are no foreign keys between the tables of the hot path: each would lock one more row per request;
-- `ledger_check` proves what they would.

CREATE TABLE ledger_account (
  id text COLLATE "C" PRIMARY KEY,
  -- customer | funding | liability (money in, not yet a customer's) | revenue | operator_loss
  kind text NOT NULL,
  posted bigint NOT NULL DEFAULT 0,
  held bigint NOT NULL DEFAULT 0,
  -- What a reversal could not take back because it was held; it is taken once that is free again, and never available. See `debt`.
  debt bigint NOT NULL DEFAULT 0,
  -- For accounts that charges do not touch (revenue, operator_loss): charges up to this one are in `posted`.
  rolled_up_to bigint,
  created_at timestamptz NOT NULL,
  -- One constraint a table on the way of a request: each is parsed anew by every statement that writes.
  CONSTRAINT customer_never_negative CHECK (least(held, debt) >= 0 AND (posted >= held OR kind <> 'customer'))
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000, vacuum_truncate = off);

-- Money that moves for another reason than a request: one row for what happened, and one for each account it moved.
CREATE TABLE transfer (
  -- The idempotency key of what caused it, such as a deposit's place on its chain.
  id text COLLATE "C" PRIMARY KEY,
  kind text NOT NULL,
  at timestamptz NOT NULL
);

CREATE TABLE entry (
  transfer_id text COLLATE "C" NOT NULL,
  account_id text COLLATE "C" NOT NULL,
  amount bigint NOT NULL CHECK (amount <> 0),
  PRIMARY KEY (transfer_id, account_id)
);

-- Money that came in with a transaction of a chain, and whose it is: it counts as spendable at once, and may go again until its
-- block is final. One row for each account that has some of it; of what was spent, nothing is subtracted.
CREATE TABLE arrival (
  transfer_id text COLLATE "C" NOT NULL,
  account_id text COLLATE "C" NOT NULL,
  -- The chain's account.
  funding_id text COLLATE "C" NOT NULL,
  amount bigint NOT NULL CHECK (amount > 0),
  block integer NOT NULL CHECK (block >= 0),
  finalized boolean NOT NULL DEFAULT false,
  PRIMARY KEY (transfer_id, account_id)
);
CREATE INDEX arrival_account_id_finalized_block_idx ON arrival (account_id, finalized, block);
CREATE INDEX arrival_funding_id_finalized_block_idx ON arrival (funding_id, finalized, block);

CREATE TABLE hold (
  request_id text COLLATE "C" PRIMARY KEY,
  account_id text COLLATE "C" NOT NULL,
  key_id text COLLATE "C",
  model text NOT NULL,
  ceiling bigint NOT NULL,
  -- The key_spend row that this hold counts in; null when its key has no cap.
  period text,
  period_start timestamptz,
  -- The process whose request it is: when that dies, its holds are freed at once.
  process_id text COLLATE "C" NOT NULL,
  placed_at timestamptz NOT NULL,
  deadline timestamptz NOT NULL
-- Giving an empty tail back to the system would lock the table against every request.
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000, vacuum_truncate = off);

-- A hold that nobody settled: its process died, or its deadline passed. The provider may have been asked, and may bill for it.
CREATE TABLE expired_hold (
  request_id text COLLATE "C" PRIMARY KEY,
  account_id text COLLATE "C" NOT NULL,
  key_id text COLLATE "C",
  model text NOT NULL,
  ceiling bigint NOT NULL,
  placed_at timestamptz NOT NULL,
  expired_at timestamptz NOT NULL,
  reason text NOT NULL CHECK (reason IN ('deadline', 'process_died'))
);
CREATE INDEX expired_hold_expired_at_idx ON expired_hold (expired_at);

-- What a reversal has still to take back of an account, once the holds are free that kept it from doing so.
CREATE TABLE debt (
  -- The reversal's transfer.
  transfer_id text COLLATE "C" NOT NULL,
  account_id text COLLATE "C" NOT NULL,
  -- Who bears it until then, and for ever what is missing then.
  loss_id text COLLATE "C" NOT NULL,
  amount bigint NOT NULL CHECK (amount > 0),
  since timestamptz NOT NULL,
  PRIMARY KEY (transfer_id, account_id)
);
CREATE INDEX debt_account_id_idx ON debt (account_id);

CREATE TABLE price_version (
  id text COLLATE "C" PRIMARY KEY,
  model text NOT NULL,
  input_price bigint NOT NULL CHECK (input_price >= 0),
  output_price bigint NOT NULL CHECK (output_price >= 0),
  recorded_at timestamptz NOT NULL
);

-- One row per charged request, which is at once its transfer: what the customer paid and what the operator lost are revenue.
-- `ledger_entry` shows both sides. Request ids sort by time, so the primary key is also the owner's statement.
CREATE TABLE charge (
  account_id text COLLATE "C" NOT NULL,
  request_id text COLLATE "C" NOT NULL,
  key_id text COLLATE "C",
  model text NOT NULL,
  provider text NOT NULL,
  -- The provider's own name of the answer, which its invoices and its support know.
  provider_request_id text,
  price_version text NOT NULL,
  input_tokens bigint NOT NULL,
  output_tokens bigint NOT NULL,
  cached_input_tokens bigint NOT NULL,
  reasoning_tokens bigint NOT NULL,
  -- What the customer paid; `operator_loss` is what the answer cost beyond it.
  input_cost bigint NOT NULL,
  output_cost bigint NOT NULL,
  operator_loss bigint NOT NULL,
  -- The most that the customer could pay: what was held.
  ceiling bigint NOT NULL,
  -- True when its hold was gone: what is available was charged, up to the ceiling and to what the key's cap left.
  late boolean NOT NULL,
  -- The key_spend row that it counts in; null when its key had no cap.
  period text,
  period_start timestamptz,
  -- complete | partial (the provider broke off) | cancelled (the client went)
  outcome text NOT NULL,
  streamed boolean NOT NULL,
  -- True when the provider gave no count and ours was used.
  estimated boolean NOT NULL,
  paid_by text NOT NULL,
  first_token_ms integer,
  provider_ms integer NOT NULL,
  at timestamptz NOT NULL,
  seq bigint GENERATED ALWAYS AS IDENTITY,
  PRIMARY KEY (account_id, request_id),
  CONSTRAINT costs_are_not_negative CHECK (least(input_cost, output_cost, operator_loss) >= 0)
);

-- Only the roll-up reads by sequence, and only the newest rows: a BRIN index costs an insert nothing.
CREATE INDEX charge_seq_idx ON charge USING brin (seq) WITH (autosummarize = on, pages_per_range = 32);

-- All entries of the books, nano-USD; those of a transfer, or of a request's charge, sum to zero. `seq` is the charge's.
CREATE VIEW ledger_entry (transfer_id, account_id, amount, seq) AS
  SELECT e.transfer_id, e.account_id, e.amount, NULL::bigint FROM entry e
  UNION ALL SELECT c.request_id, c.account_id, -(c.input_cost + c.output_cost), c.seq FROM charge c
  UNION ALL SELECT c.request_id, 'revenue', c.input_cost + c.output_cost + c.operator_loss, c.seq FROM charge c
  UNION ALL SELECT c.request_id, 'operator_loss', -c.operator_loss, c.seq FROM charge c WHERE c.operator_loss <> 0;

CREATE TABLE key_spend (
  key_id text COLLATE "C" NOT NULL,
  period text NOT NULL,
  period_start timestamptz NOT NULL,
  spent bigint NOT NULL,
  held bigint NOT NULL,
  -- Charges up to this sequence number were counted by their time, when the period was opened after the key had been used; later
  -- ones are counted as they name the period.
  counted_up_to bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (key_id, period, period_start),
  CONSTRAINT spend_is_not_negative CHECK (least(spent, held) >= 0)
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000, vacuum_truncate = off);

INSERT INTO ledger_account (id, kind, rolled_up_to, created_at) VALUES
  ('revenue', 'revenue', 0, now()),
  ('operator_loss', 'operator_loss', 0, now());

-- What a charge says beside its money: one value on its way through the functions that book it.
CREATE TYPE ledger_charge_details AS (
  model text, provider text, provider_request_id text, price_version text, input_tokens bigint, output_tokens bigint,
  cached_input_tokens bigint, reasoning_tokens bigint, outcome text, streamed boolean, estimated boolean, paid_by text,
  first_token_ms integer, provider_ms integer
);
