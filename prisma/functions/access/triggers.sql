-- Every process is notified when a key or its account changes, and an absorbed account stays frozen.

-- Not on last_used_at, which changes constantly and decides nothing.
CREATE OR REPLACE TRIGGER api_key_changed
  AFTER UPDATE OF state, expires_at, cap_nano_usd, cap_period, allowed_models, clip_min_tokens, scopes, networks, hash, old_until ON api_key
  FOR EACH ROW EXECUTE FUNCTION access_notify_change();
CREATE OR REPLACE TRIGGER account_changed
  AFTER UPDATE ON account FOR EACH ROW EXECUTE FUNCTION access_notify_change();

-- Prevents an operator's UPDATE from reopening an absorbed account: its wallet, and money that comes in at its addresses, belong elsewhere.
CREATE OR REPLACE FUNCTION access_refuse_unfreezing() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'Account % was merged into % and stays frozen', NEW.id, NEW.absorbed_by
    USING ERRCODE = 'check_violation', HINT = format('Unfreeze %s instead, if it is frozen.', NEW.absorbed_by);
END $$;

CREATE OR REPLACE TRIGGER absorbed_account_stays_frozen BEFORE UPDATE OF state ON account
  FOR EACH ROW WHEN (NEW.absorbed_by IS NOT NULL AND NEW.state <> 'frozen') EXECUTE FUNCTION access_refuse_unfreezing();

-- Not on columns that change constantly and give no power, and not on a hash that only moved to another pepper.
CREATE OR REPLACE TRIGGER api_key_audited
  AFTER INSERT OR UPDATE OF state, name, expires_at, cap_nano_usd, cap_period, allowed_models, clip_min_tokens, alarm_factor, alarm_above,
    alarm_pauses, scopes, networks, last4, old_until ON api_key
  FOR EACH ROW EXECUTE FUNCTION access_audit_key();
CREATE OR REPLACE TRIGGER session_audited
  AFTER INSERT OR UPDATE OF ended_at OR DELETE ON session FOR EACH ROW EXECUTE FUNCTION access_audit_session();
CREATE OR REPLACE TRIGGER identity_audited
  AFTER INSERT OR UPDATE OF leaves_at OR DELETE ON identity FOR EACH ROW EXECUTE FUNCTION access_audit_wallet();
CREATE OR REPLACE TRIGGER account_audited
  AFTER UPDATE OF state, closed_at, absorbed_by, rate_per_minute, concurrency ON account FOR EACH ROW EXECUTE FUNCTION access_audit_account();
