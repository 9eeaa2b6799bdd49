-- An owner's decisions about keys.

-- Replaces a key's limits, and the columns that `others` names. A cap whose period was not counted before includes what the key has already spent in it: `counted`, since
-- `counted_from`, up to the charge `counted_up_to`. Outcomes: limited; unknown (no such key, or it is revoked); recount, with nothing
-- changed, when a new period has begun since the count. Key and count change in one commit: no charge falls between them.
CREATE OR REPLACE FUNCTION console_limit_key(
  account text, key text, new_expiry timestamptz, keeps_expiry boolean, new_cap bigint, new_period text, models text[],
  counted bigint, counted_from timestamptz, counted_up_to bigint, at timestamptz,
  others jsonb DEFAULT '{}'
) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  limited record;
BEGIN
  IF new_period IS NOT NULL AND access_cap_period_start(new_period, at) <> counted_from THEN RETURN 'recount'; END IF;
  SELECT * INTO limited FROM access_limit_key(account, key, new_expiry, keeps_expiry, new_cap, new_period, models, others);
  IF NOT limited.is_known THEN RETURN 'unknown'; END IF;
  IF new_period IS NOT NULL AND limited.old_period IS DISTINCT FROM new_period THEN
    PERFORM ledger_open_key_spend(account, key, new_period, counted_from, counted, counted_up_to);
  END IF;
  IF new_cap IS NOT NULL THEN PERFORM ledger_set_spend_cap(account, key, new_period, counted_from, new_cap); END IF;
  RETURN 'limited';
END $$;
