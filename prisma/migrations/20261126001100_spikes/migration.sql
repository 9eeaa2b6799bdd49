-- ledger: what each key spent by minute, for two hours, and by hour, for five weeks; summed behind the charges, which know nothing of it.

CREATE TABLE spend_sum (
  key_id text COLLATE "C" NOT NULL,
  -- minute | hour
  width text COLLATE "C" NOT NULL CHECK (width IN ('minute', 'hour')),
  start timestamptz NOT NULL,
  account_id text COLLATE "C" NOT NULL,
  spent bigint NOT NULL CHECK (spent >= 0),
  PRIMARY KEY (key_id, width, start)
);
CREATE INDEX spend_sum_account_id_width_start_idx ON spend_sum (account_id, width, start);
CREATE INDEX spend_sum_width_start_idx ON spend_sum (width, start);

-- One row: charges up to this sequence number are in the sums.
CREATE TABLE spend_sum_mark (
  id boolean PRIMARY KEY DEFAULT true CHECK (id),
  summed_up_to bigint NOT NULL
);
INSERT INTO spend_sum_mark (summed_up_to) VALUES (0);

-- access: the alarm of a key, and an hour as a cap's period.
ALTER TABLE api_key
  -- How many times its usual spend of an hour a key may spend; null: no alarm.
  ADD COLUMN alarm_factor integer DEFAULT 5 CHECK (alarm_factor BETWEEN 2 AND 100),
  ADD COLUMN alarm_above bigint NOT NULL DEFAULT 1000000000 CHECK (alarm_above >= 0),
  ADD COLUMN alarm_pauses boolean NOT NULL DEFAULT false,
  ADD COLUMN alarm_muted_until timestamptz,
  DROP CONSTRAINT api_key_cap_period_check,
  ADD CONSTRAINT api_key_cap_period_check CHECK (cap_period IN ('hour', 'day', 'week', 'month', 'total'));
