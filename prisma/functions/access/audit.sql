-- The audit log of keys, sessions, wallets and accounts: one entry for each row that is written, by any writer.

-- What a key may do.
CREATE OR REPLACE FUNCTION access_key_power(k api_key) RETURNS jsonb LANGUAGE sql STABLE AS $$
  SELECT jsonb_build_object('name', k.name, 'expiresAt', k.expires_at, 'cap', k.cap_nano_usd::text, 'capPeriod', k.cap_period,
    'models', k.allowed_models, 'scopes', k.scopes, 'networks', k.networks, 'clipMinTokens', k.clip_min_tokens,
    'alarmFactor', k.alarm_factor, 'alarmAbove', k.alarm_above::text, 'alarmPauses', k.alarm_pauses)
$$;

CREATE OR REPLACE FUNCTION access_audit_key() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    PERFORM audit_record(NEW.account_id, 'key.created', NEW.id, NULL, access_key_power(NEW) || jsonb_build_object('last4', NEW.last4));
    RETURN NULL;
  END IF;
  IF NEW.state <> OLD.state THEN
    PERFORM audit_record(NEW.account_id,
      CASE NEW.state WHEN 'active' THEN 'key.resumed' WHEN 'paused' THEN 'key.paused' ELSE 'key.revoked' END, NEW.id,
      jsonb_build_object('name', NEW.name, 'state', OLD.state), jsonb_build_object('name', NEW.name, 'state', NEW.state));
  END IF;
  IF NEW.last4 <> OLD.last4 OR NEW.prefix <> OLD.prefix THEN
    PERFORM audit_record(NEW.account_id, 'key.secret_rotated', NEW.id, jsonb_build_object('name', NEW.name, 'last4', OLD.last4),
      jsonb_build_object('name', NEW.name, 'last4', NEW.last4, 'oldWorksUntil', NEW.old_until));
  ELSIF NEW.old_until IS DISTINCT FROM OLD.old_until THEN
    PERFORM audit_record(NEW.account_id, 'key.old_secret_ended', NEW.id,
      jsonb_build_object('name', NEW.name, 'last4', OLD.old_last4, 'oldWorksUntil', OLD.old_until),
      jsonb_build_object('name', NEW.name, 'last4', OLD.old_last4, 'oldWorksUntil', NEW.old_until));
  END IF;
  PERFORM audit_record_change(NEW.account_id, 'key.changed', NEW.id, access_key_power(OLD), access_key_power(NEW));
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION access_audit_session() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  browser session := CASE WHEN TG_OP = 'DELETE' THEN OLD ELSE NEW END;
  wallet jsonb := jsonb_build_object('chain', browser.chain, 'address', browser.address);
BEGIN
  IF TG_OP = 'INSERT' THEN
    PERFORM audit_record(browser.account_id, 'session.opened', browser.id, NULL,
      wallet || jsonb_build_object('expiresAt', browser.expires_at));
  ELSIF TG_OP = 'DELETE' OR OLD.ended_at IS NULL THEN
    PERFORM audit_record(browser.account_id, 'session.ended', browser.id, wallet || jsonb_build_object('openedAt', browser.created_at),
      wallet || jsonb_build_object('reason', CASE WHEN TG_OP = 'DELETE' THEN 'deleted' ELSE browser.end_reason END));
  END IF;
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION access_audit_wallet() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  owned identity := CASE WHEN TG_OP = 'DELETE' THEN OLD ELSE NEW END;
  wallet jsonb := jsonb_build_object('chain', owned.chain, 'address', owned.address);
BEGIN
  IF TG_OP = 'INSERT' THEN
    PERFORM audit_record(owned.account_id, 'wallet.linked', owned.address, NULL, wallet || jsonb_build_object('isFirst', owned.is_first));
  ELSIF TG_OP = 'DELETE' THEN
    -- All that is left of the row.
    PERFORM audit_record(owned.account_id, 'wallet.unlinked', owned.address, wallet || jsonb_build_object('isFirst', owned.is_first,
      'linkedAt', owned.linked_at, 'leavesAt', owned.leaves_at), NULL);
  ELSE
    PERFORM audit_record(owned.account_id, CASE WHEN NEW.leaves_at IS NULL THEN 'wallet.kept' ELSE 'wallet.leaving' END, owned.address,
      wallet || jsonb_build_object('leavesAt', OLD.leaves_at), wallet || jsonb_build_object('leavesAt', NEW.leaves_at));
  END IF;
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION access_audit_account() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.absorbed_by IS DISTINCT FROM OLD.absorbed_by THEN
    -- Told to the account that absorbed it: nobody can sign in to the other one any more.
    PERFORM audit_record(coalesce(NEW.absorbed_by, OLD.absorbed_by), 'account.absorbed', NEW.id,
      jsonb_build_object('state', OLD.state), jsonb_build_object('absorbedBy', NEW.absorbed_by, 'state', NEW.state));
  ELSIF NEW.state <> OLD.state THEN
    PERFORM audit_record(NEW.id, CASE NEW.state WHEN 'open' THEN 'account.unfrozen' ELSE 'account.frozen' END, NEW.id,
      jsonb_build_object('state', OLD.state), jsonb_build_object('state', NEW.state));
  END IF;
  IF (NEW.closed_at IS NULL) <> (OLD.closed_at IS NULL) THEN
    PERFORM audit_record(NEW.id, CASE WHEN NEW.closed_at IS NULL THEN 'account.reopened' ELSE 'account.closed' END, NEW.id, NULL, NULL);
  END IF;
  PERFORM audit_record_change(NEW.id, 'account.limits_changed', NEW.id,
    jsonb_build_object('ratePerMinute', OLD.rate_per_minute, 'concurrency', OLD.concurrency),
    jsonb_build_object('ratePerMinute', NEW.rate_per_minute, 'concurrency', NEW.concurrency));
  RETURN NULL;
END $$;
