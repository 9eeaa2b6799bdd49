-- ledger: the charge in its new form. Its counts of tokens are one array, so that a new kind of token needs no column; `tag` and `end_user` are
-- what its caller names it by; `seq` comes from a plain sequence, which partitions may share. What goes into a hold, a settlement and a cap is
-- one value each. A process of the release before cannot book with these types: this migration is refused while one runs (see
-- prisma/functions/VERSION).

DROP VIEW ledger_entry;
ALTER TABLE charge RENAME TO charge_before;
ALTER TABLE charge_before RENAME CONSTRAINT charge_pkey TO charge_before_pkey;
DROP INDEX charge_seq_idx;
CREATE SEQUENCE charge_number;
SELECT setval('charge_number', last_value, is_called) FROM charge_seq_seq;

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
  -- Counts by kind, in the places of lib/base/tokens/token-kinds.ts; those that are not there are 0.
  tokens integer[] NOT NULL,
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
  -- complete | partial (the provider broke off) | cancelled (the client went) | lost (never delivered)
  outcome text NOT NULL,
  streamed boolean NOT NULL,
  -- True when the provider gave no count and ours was used.
  estimated boolean NOT NULL,
  paid_by text NOT NULL,
  first_token_ms integer,
  provider_ms integer NOT NULL,
  at timestamptz NOT NULL,
  seq bigint NOT NULL DEFAULT nextval('charge_number'),
  -- What its provider probably bills beyond an estimated charge, nano-USD at our prices; nobody pays it.
  unbilled bigint NOT NULL DEFAULT 0,
  -- Its answer was saved under its Idempotency-Key, or for its payment.
  kept boolean NOT NULL DEFAULT false,
  -- The caller's own names: of what asks, and for whom.
  tag text,
  end_user text,
  PRIMARY KEY (account_id, request_id),
  CONSTRAINT costs_are_not_negative CHECK (least(input_cost, output_cost, operator_loss) >= 0),
  CONSTRAINT only_estimates_leave_something_out CHECK (unbilled = 0 OR (unbilled > 0 AND estimated)),
  CONSTRAINT names_are_short CHECK (length(tag) <= 64 AND length(end_user) <= 64)
);

INSERT INTO charge SELECT c.account_id, c.request_id, c.key_id, c.model, c.provider, c.provider_request_id, c.price_version,
    -- Up to the last count that is not 0.
    (ARRAY[c.input_tokens, c.output_tokens, c.cached_input_tokens, c.cache_write_tokens, c.cache_write_1h_tokens, c.image_tokens,
      c.reasoning_tokens]::integer[])[1:CASE WHEN c.reasoning_tokens > 0 THEN 7 WHEN c.image_tokens > 0 THEN 6
      WHEN c.cache_write_1h_tokens > 0 THEN 5 WHEN c.cache_write_tokens > 0 THEN 4 WHEN c.cached_input_tokens > 0 THEN 3
      WHEN c.output_tokens > 0 THEN 2 WHEN c.input_tokens > 0 THEN 1 ELSE 0 END],
    c.input_cost, c.output_cost, c.operator_loss, c.ceiling, c.late, c.period, c.period_start, c.outcome, c.streamed, c.estimated, c.paid_by,
    c.first_token_ms, c.provider_ms, c.at, c.seq, c.unbilled, c.kept
  FROM charge_before c ORDER BY c.seq;

DROP TABLE charge_before;
ALTER SEQUENCE charge_number RENAME TO charge_seq_seq;
ALTER SEQUENCE charge_seq_seq OWNED BY charge.seq;

-- Only the roll-up reads by sequence, and only the newest rows: a BRIN index costs an insert nothing.
CREATE INDEX charge_seq_idx ON charge USING brin (seq) WITH (autosummarize = on, pages_per_range = 32);

-- All entries of the books, nano-USD; those of a transfer, or of a request's charge, sum to zero. `seq` is the charge's.
CREATE VIEW ledger_entry (transfer_id, account_id, amount, seq) AS
  SELECT e.transfer_id, e.account_id, e.amount, NULL::bigint FROM entry e
  UNION ALL SELECT c.request_id, c.account_id, -(c.input_cost + c.output_cost), c.seq FROM charge c
  UNION ALL SELECT c.request_id, 'revenue', c.input_cost + c.output_cost + c.operator_loss, c.seq FROM charge c
  UNION ALL SELECT c.request_id, 'operator_loss', -c.operator_loss, c.seq FROM charge c WHERE c.operator_loss <> 0;

-- A request's hold, on its way through the functions that decide it; `idempotency` and `hash` are the key that it claims.
CREATE TYPE ledger_hold_request AS (request text, account text, key text, model text, ceiling bigint, idempotency text, hash bytea);

-- The end of a hold. Without a model it is released; with one, the fields from there on are its charge's. `idempotency` and `status` belong
-- to the answer that its claim keeps.
CREATE TYPE ledger_settlement AS (
  request text, account text, key text, ceiling bigint, input_cost bigint, output_cost bigint, idempotency text, status integer,
  model text, provider text, provider_request_id text, price_version text, tokens integer[], outcome text, streamed boolean, estimated boolean,
  paid_by text, first_token_ms integer, provider_ms integer, unbilled bigint, kept boolean, tag text, end_user text
);

-- A key's cap in one of its periods, nano-USD.
CREATE TYPE ledger_cap AS (cap bigint, period text, period_start timestamptz);

DROP TYPE ledger_charge_details CASCADE;
