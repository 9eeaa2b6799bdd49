-- Lines: an event when a balance falls below its owner's line, or a key's spend comes near its cap. One rule for every writer of money, at
-- its commit: a settlement that is undone within its commit crosses nothing. A request that crosses no line pays the comparison in the
-- trigger's condition.

-- Sets the balance below which the account's owner is told; null: none. A line above the balance tells once, in this commit.
CREATE OR REPLACE FUNCTION ledger_set_low_line(account text, line bigint) RETURNS void LANGUAGE sql AS $$
  UPDATE ledger_account a SET low_line = line, low_armed = line IS NOT NULL
    WHERE a.id = account AND a.low_line IS DISTINCT FROM line
$$;

CREATE OR REPLACE FUNCTION ledger_judge_low_line() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  judged ledger_account;
BEGIN
  -- The row as it is at the commit, which has it locked: only the first of several changes finds the line still to be judged.
  UPDATE ledger_account a SET low_armed = NOT a.low_armed
    WHERE a.id = NEW.id AND CASE WHEN a.low_armed THEN a.posted < a.low_line ELSE a.posted >= a.low_line + a.low_line / 10 END
    RETURNING a.* INTO judged;
  IF FOUND AND NOT judged.low_armed THEN
    PERFORM events_record(judged.id, 'balance.low',
      jsonb_build_object('balance', judged.posted::text, 'threshold', judged.low_line::text), clock_timestamp());
  END IF;
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION ledger_judge_cap() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  judged key_spend;
BEGIN
  UPDATE key_spend s SET told_near = true
    WHERE s.key_id = NEW.key_id AND s.period = NEW.period AND s.period_start = NEW.period_start
      AND s.spent >= s.cap - s.cap / 5 AND NOT s.told_near
      AND s.key_id <> s.account_id -- a session's day is no key's cap
    RETURNING s.* INTO judged;
  IF FOUND THEN
    PERFORM events_record(judged.account_id, 'key.cap_80', jsonb_build_object('keyId', judged.key_id, 'cap', judged.cap::text,
      'spent', judged.spent::text, 'period', judged.period), clock_timestamp());
  END IF;
  RETURN NULL;
END $$;

-- Tells the owner that a request was refused for want of money: the first since money came in, by one conditional write.
CREATE OR REPLACE FUNCTION ledger_tell_exhausted(account text, needed bigint, at timestamptz) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  UPDATE ledger_account a SET told_exhausted = true WHERE a.id = account AND NOT a.told_exhausted AND a.id NOT LIKE 'credit:%';
  IF FOUND THEN
    PERFORM events_record(account, 'balance.exhausted',
      jsonb_build_object('available', ledger_available(account)::text, 'needed', needed::text), at);
  END IF;
END $$;

-- Whether the owner was told so since money came in; never of a payment's credit.
CREATE OR REPLACE FUNCTION ledger_told_exhausted(account text) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT coalesce((SELECT a.told_exhausted OR a.id LIKE 'credit:%' FROM ledger_account a WHERE a.id = account), true)
$$;

-- Whether the owner was told in this period that the key's cap is reached.
CREATE OR REPLACE FUNCTION ledger_told_cap_reached(key text, key_period text, key_period_start timestamptz) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT coalesce((SELECT s.told_reached FROM key_spend s WHERE s.key_id = key AND s.period = key_period AND s.period_start = key_period_start), false)
$$;

-- Tells the owner that a request was refused for its key's cap: the first in this period, by one conditional write.
CREATE OR REPLACE FUNCTION ledger_tell_cap_reached(
  account text, key text, key_period text, key_period_start timestamptz, cap bigint, used bigint, needed bigint, resets timestamptz, at timestamptz
) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO key_spend AS s (key_id, period, period_start, spent, held, account_id, cap, told_reached)
    VALUES (key, key_period, key_period_start, 0, 0, account, cap, true)
    ON CONFLICT (key_id, period, period_start) DO UPDATE SET told_reached = true WHERE NOT s.told_reached;
  IF FOUND THEN
    PERFORM events_record(account, 'key.cap_reached', jsonb_build_object('keyId', key, 'cap', cap::text, 'used', used::text,
      'needed', needed::text, 'period', key_period, 'resetsAt', resets), at);
  END IF;
END $$;

-- A changed cap has a line of its own, and its owner is told anew. Call it with the account locked.
CREATE OR REPLACE FUNCTION ledger_set_spend_cap(account text, key text, key_period text, key_period_start timestamptz, new_cap bigint)
RETURNS void LANGUAGE sql AS $$
  UPDATE key_spend s SET account_id = account, cap = new_cap, told_near = false, told_reached = false
    WHERE s.key_id = key AND s.period = key_period AND s.period_start = key_period_start AND s.cap IS DISTINCT FROM new_cap
$$;
