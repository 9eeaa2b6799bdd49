-- ledger: kinds of tokens. A process of the release before cannot book charges once the type has grown: stop it before.

-- Of the input: written into the provider's cache for minutes or for hours, and of images.
ALTER TABLE charge
  ADD COLUMN cache_write_tokens bigint NOT NULL DEFAULT 0,
  ADD COLUMN cache_write_1h_tokens bigint NOT NULL DEFAULT 0,
  ADD COLUMN image_tokens bigint NOT NULL DEFAULT 0;

ALTER TYPE ledger_charge_details
  ADD ATTRIBUTE cache_write_tokens bigint,
  ADD ATTRIBUTE cache_write_1h_tokens bigint,
  ADD ATTRIBUTE image_tokens bigint;

-- [{"kind", "price" (nano-USD per token), "fromInputTokens"}]; a version from before has none, and all its kinds cost input or output.
ALTER TABLE price_version ADD COLUMN kinds jsonb NOT NULL DEFAULT '[]';
