-- ledger: who used which model lately, and what customers were told of each model.

CREATE TABLE model_use (
  model text COLLATE "C" NOT NULL,
  account_id text COLLATE "C" NOT NULL,
  -- A day of UTC.
  last_used_on date NOT NULL,
  PRIMARY KEY (model, account_id)
);
CREATE INDEX model_use_last_used_on_idx ON model_use (last_used_on);

-- Charges up to the mark are summed already. Those after it are counted with their sums.
INSERT INTO model_use (model, account_id, last_used_on)
  SELECT c.model, c.account_id, max((c.at AT TIME ZONE 'UTC')::date) FROM charge c
  WHERE c.at > now() - interval '30 days' AND c.account_id NOT LIKE 'credit:%'
  GROUP BY c.model, c.account_id;

CREATE TABLE announced_model (
  model text COLLATE "C" PRIMARY KEY,
  -- The price and the date of retirement that customers know.
  price_version text COLLATE "C" NOT NULL,
  retires_on date,
  -- They heard of that date a second time, shortly before it.
  reminded boolean NOT NULL DEFAULT false,
  -- What is sold now, while it differs from that, and since when. Both are empty otherwise.
  new_price_version text COLLATE "C",
  new_retires_on date,
  differs_since timestamptz
);
