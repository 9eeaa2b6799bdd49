-- Every process is notified when a key or its account changes.

-- Not on last_used_at, which changes constantly and decides nothing.
CREATE OR REPLACE TRIGGER api_key_changed
  AFTER UPDATE OF state, expires_at, cap_nano_usd, cap_period, allowed_models, clip_min_tokens ON api_key
  FOR EACH ROW EXECUTE FUNCTION access_notify_change();
CREATE OR REPLACE TRIGGER account_changed
  AFTER UPDATE ON account FOR EACH ROW EXECUTE FUNCTION access_notify_change();
