-- Events about keys and wallets, for their owner: anybody with a session could have changed them.

CREATE OR REPLACE FUNCTION access_tell_key() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM events_record(NEW.account_id,
    CASE WHEN TG_OP = 'INSERT' THEN 'key.created' WHEN NEW.state = 'revoked' THEN 'key.revoked' ELSE 'key.paused' END,
    jsonb_build_object('keyId', NEW.id, 'name', NEW.name, 'last4', NEW.last4),
    CASE WHEN TG_OP = 'INSERT' THEN NEW.created_at WHEN NEW.state = 'revoked' THEN NEW.revoked_at ELSE clock_timestamp() END);
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION access_tell_wallet() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  wallet identity := CASE WHEN TG_OP = 'DELETE' THEN OLD ELSE NEW END;
BEGIN
  PERFORM events_record(wallet.account_id, CASE WHEN TG_OP = 'DELETE' THEN 'wallet.unlinked' ELSE 'wallet.linked' END,
    jsonb_build_object('chain', wallet.chain, 'address', wallet.address), CASE WHEN TG_OP = 'DELETE' THEN clock_timestamp() ELSE NEW.linked_at END);
  RETURN NULL;
END $$;

-- The person who unlinks a wallet may not be its holder, who has 24 hours to hear of it.
CREATE OR REPLACE FUNCTION access_tell_leaving() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM events_record(NEW.account_id, 'wallet.leaving',
    jsonb_build_object('chain', NEW.chain, 'address', NEW.address, 'leavesAt', NEW.leaves_at), clock_timestamp());
  RETURN NULL;
END $$;

-- The person who closed the account may not be its owner, who can open it again by signing in with a wallet.
CREATE OR REPLACE FUNCTION access_tell_closed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM events_record(NEW.id, 'account.closed', '{}', NEW.closed_at);
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER account_closed AFTER UPDATE OF closed_at ON account
  FOR EACH ROW WHEN (OLD.closed_at IS NULL AND NEW.closed_at IS NOT NULL) EXECUTE FUNCTION access_tell_closed();
CREATE OR REPLACE TRIGGER api_key_made AFTER INSERT ON api_key FOR EACH ROW EXECUTE FUNCTION access_tell_key();
CREATE OR REPLACE TRIGGER api_key_stopped AFTER UPDATE OF state ON api_key
  FOR EACH ROW WHEN (NEW.state <> OLD.state AND NEW.state IN ('paused', 'revoked')) EXECUTE FUNCTION access_tell_key();
-- The wallet that opened the account is not news to its owner.
CREATE OR REPLACE TRIGGER wallet_linked AFTER INSERT ON identity
  FOR EACH ROW WHEN (NOT NEW.is_first) EXECUTE FUNCTION access_tell_wallet();
CREATE OR REPLACE TRIGGER wallet_leaving AFTER UPDATE OF leaves_at ON identity
  FOR EACH ROW WHEN (OLD.leaves_at IS NULL AND NEW.leaves_at IS NOT NULL) EXECUTE FUNCTION access_tell_leaving();
CREATE OR REPLACE TRIGGER wallet_unlinked AFTER DELETE ON identity FOR EACH ROW EXECUTE FUNCTION access_tell_wallet();
