-- access: requests that were refused or failed, for 30 days. Outside the ledger: nothing here is money, and a crash may lose a second of it.

CREATE TABLE failed_request (
  request_id text COLLATE "C" PRIMARY KEY,
  account_id text COLLATE "C" NOT NULL,
  -- Null: the playground.
  key_id text COLLATE "C",
  endpoint text NOT NULL,
  -- Null when the body was not read so far.
  model text,
  status integer NOT NULL,
  code text NOT NULL,
  at timestamptz NOT NULL
);
CREATE INDEX failed_request_account_idx ON failed_request (account_id, request_id);
CREATE INDEX failed_request_at_idx ON failed_request (at);

-- Of an account that fails more often than rows are kept: how many of each code and minute were only counted.
CREATE TABLE failed_request_count (
  account_id text COLLATE "C" NOT NULL,
  minute timestamptz NOT NULL,
  code text NOT NULL,
  status integer NOT NULL,
  count integer NOT NULL,
  PRIMARY KEY (account_id, minute, code)
);
CREATE INDEX failed_request_count_minute_idx ON failed_request_count (minute);
