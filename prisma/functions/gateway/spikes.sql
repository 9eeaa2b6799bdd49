-- The alarm of a key that spends far more than usual: the event, and the pause if its owner wants it, in one commit. Until the hour ends it
-- is raised once. Returns raised or paused; null, with nothing changed, when the key is not active, is muted, or has no alarm.
CREATE OR REPLACE FUNCTION gateway_raise_spike(account text, key text, spent bigint, usual bigint, may_pause boolean, at timestamptz)
RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  pauses boolean := access_hear_alarm(key, date_trunc('hour', at, 'UTC') + interval '1 hour', at);
BEGIN
  IF pauses IS NULL THEN RETURN NULL; END IF;
  PERFORM events_record(account, 'key.spike', jsonb_build_object('keyId', key, 'spent', spent::text, 'usual', usual::text,
    'underWay', ledger_held_by_key(account, key)::text, 'paused', CASE WHEN pauses AND may_pause THEN 'yes' ELSE 'no' END), at);
  IF NOT (pauses AND may_pause) THEN RETURN 'raised'; END IF;
  PERFORM set_config('pennyprompt.acting', '{"actor": {"kind": "job", "job": "watch-spikes"}}', true);
  PERFORM access_pause_key(key);
  RETURN 'paused';
END $$;
