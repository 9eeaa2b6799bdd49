-- The spending of keys by minute and by hour, for the alarm, and the models that accounts use. Charges are summed after they are committed:
-- a request does nothing for it.

-- Sums charges up to `mark` (from ledger_roll_up_mark, in an earlier transaction), at most `most` sequence numbers per call. Returns the
-- sequence number up to which all are summed now, and the keys that were charged.
CREATE OR REPLACE FUNCTION ledger_sum_spend(mark bigint, most bigint, at timestamptz, OUT summed bigint, OUT keys text[]) LANGUAGE plpgsql AS $$
DECLARE
  known bigint;
BEGIN
  SELECT m.summed_up_to INTO known FROM spend_sum_mark m FOR UPDATE;
  summed := greatest(known, least(mark, known + most));
  IF summed = known THEN RETURN; END IF;
  WITH spent AS (
    SELECT c.key_id, c.account_id, date_trunc('minute', c.at, 'UTC') AS minute, sum(c.input_cost + c.output_cost)::bigint AS amount
    FROM charge c WHERE c.seq > known AND c.seq <= ledger_sum_spend.summed AND c.key_id IS NOT NULL AND c.at > ledger_sum_spend.at - interval '36 days'
    GROUP BY 1, 2, 3
  ), wide AS (
    SELECT s.key_id, s.account_id, 'minute' AS width, s.minute AS start, s.amount FROM spent s WHERE s.minute > ledger_sum_spend.at - interval '2 hours'
    UNION ALL SELECT s.key_id, s.account_id, 'hour', date_trunc('hour', s.minute, 'UTC'), sum(s.amount)::bigint FROM spent s GROUP BY 1, 2, 4
  ), written AS (
    INSERT INTO spend_sum AS t (key_id, width, start, account_id, spent) SELECT w.key_id, w.width, w.start, w.account_id, w.amount FROM wide w
      ON CONFLICT (key_id, width, start) DO UPDATE SET spent = t.spent + excluded.spent
  ), used AS (
    -- A row is written once a day. The credit of an address belongs to no account.
    INSERT INTO model_use AS u (model, account_id, last_used_on)
      SELECT c.model, c.account_id, max((c.at AT TIME ZONE 'UTC')::date) FROM charge c
        WHERE c.seq > known AND c.seq <= ledger_sum_spend.summed AND c.at > ledger_sum_spend.at - interval '30 days' AND c.account_id NOT LIKE 'credit:%'
        GROUP BY c.model, c.account_id
      ON CONFLICT (model, account_id) DO UPDATE SET last_used_on = excluded.last_used_on WHERE u.last_used_on < excluded.last_used_on
  )
  SELECT array_agg(DISTINCT s.key_id) INTO keys FROM spent s;
  UPDATE spend_sum_mark m SET summed_up_to = summed WHERE m.summed_up_to = known;
END $$;

-- For each of these keys its spending in the 60 minutes before `at`; and the spending of the key and of its account in the same hour of
-- each of the five weeks before, since the key and the account have sums. Amounts in nano-USD.
CREATE OR REPLACE FUNCTION ledger_spend_of_hour(keys text[], at timestamptz)
RETURNS TABLE (key_id text, account_id text, spent bigint, of_key bigint[], of_account bigint[]) LANGUAGE sql STABLE AS $$
  WITH window_sum AS (
    SELECT s.key_id, s.account_id, sum(s.spent)::bigint AS spent FROM spend_sum s
    WHERE s.key_id = ANY (keys) AND s.width = 'minute' AND s.start > date_trunc('minute', at, 'UTC') - interval '1 hour' AND s.start <= at
    GROUP BY s.key_id, s.account_id
  ), week AS (
    SELECT date_trunc('hour', at, 'UTC') - make_interval(days => 7 * n) AS start FROM generate_series(1, 5) n
  )
  SELECT w.key_id, w.account_id, w.spent,
    ARRAY(
      SELECT coalesce((SELECT s.spent FROM spend_sum s WHERE s.key_id = w.key_id AND s.width = 'hour' AND s.start = k.start), 0) FROM week k
      WHERE k.start >= (SELECT min(s.start) FROM spend_sum s WHERE s.key_id = w.key_id AND s.width = 'hour')),
    ARRAY(
      SELECT coalesce((SELECT sum(s.spent)::bigint FROM spend_sum s WHERE s.account_id = w.account_id AND s.width = 'hour' AND s.start = k.start), 0)
      FROM week k WHERE k.start >= (SELECT min(s.start) FROM spend_sum s WHERE s.account_id = w.account_id AND s.width = 'hour'))
  FROM window_sum w
$$;

-- The most that a key's requests under way can cost.
CREATE OR REPLACE FUNCTION ledger_held_by_key(account text, key text) RETURNS bigint LANGUAGE sql STABLE AS $$
  SELECT coalesce(sum(h.ceiling), 0)::bigint FROM hold h WHERE h.account_id = account AND h.key_id = key
$$;
