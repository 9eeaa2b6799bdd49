-- Every process is notified when a key or its account changes, and an absorbed account stays frozen.

-- Not on last_used_at, which changes constantly and decides nothing.
CREATE OR REPLACE TRIGGER api_key_changed
  AFTER UPDATE OF state, expires_at, cap_nano_usd, cap_period, allowed_models, clip_min_tokens, scopes, networks, hash, old_until ON api_key
  FOR EACH ROW EXECUTE FUNCTION access_notify_change();
CREATE OR REPLACE TRIGGER account_changed
  AFTER UPDATE ON account FOR EACH ROW EXECUTE FUNCTION access_notify_change();

-- Prevents an operator's UPDATE from reopening an absorbed account: its wallet, and what comes in at its addresses, belong elsewhere.
CREATE OR REPLACE FUNCTION access_refuse_unfreezing() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'Account % was merged into % and stays frozen', NEW.id, NEW.absorbed_by
    USING ERRCODE = 'check_violation', HINT = format('Unfreeze %s instead, if it is frozen.', NEW.absorbed_by);
END $$;

CREATE OR REPLACE TRIGGER absorbed_account_stays_frozen BEFORE UPDATE OF state ON account
  FOR EACH ROW WHEN (NEW.absorbed_by IS NOT NULL AND NEW.state <> 'frozen') EXECUTE FUNCTION access_refuse_unfreezing();
