-- The audit log of withdrawals: who decided what. The money of it is in the ledger, and how it was paid in the row.

CREATE OR REPLACE FUNCTION wallets_audit_withdrawal() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM audit_record(NEW.account_id, 'withdrawal.' || CASE WHEN TG_OP = 'INSERT' THEN 'ordered' ELSE NEW.state END, NEW.id,
    CASE WHEN TG_OP = 'UPDATE' THEN jsonb_build_object('state', OLD.state) END,
    jsonb_strip_nulls(jsonb_build_object('state', NEW.state, 'reason', NEW.reason)));
  RETURN NULL;
END $$;

-- Rules that hold no more are deleted: the rules before these are read from the log.
CREATE OR REPLACE FUNCTION wallets_audit_rules() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM audit_record(NEW.account_id, 'withdrawal.rules_changed', NULL, audit_latest(NEW.account_id, 'withdrawal.rules_changed'),
    jsonb_build_object('dailyLimit', NEW.daily_limit::text, 'waitSeconds', NEW.wait_seconds, 'destinations', NEW.destinations));
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER withdrawal_rules_audited AFTER INSERT ON withdrawal_rules
  FOR EACH ROW EXECUTE FUNCTION wallets_audit_rules();
CREATE OR REPLACE TRIGGER withdrawal_ordered_audited AFTER INSERT ON withdrawal
  FOR EACH ROW EXECUTE FUNCTION wallets_audit_withdrawal();
-- Its steps on the chain are no decisions, nor is another try.
CREATE OR REPLACE TRIGGER withdrawal_decided_audited AFTER UPDATE OF state ON withdrawal
  FOR EACH ROW WHEN (NEW.state <> OLD.state AND (NEW.state IN ('cancelled', 'refused') OR OLD.state = 'awaiting_approval' AND NEW.state = 'approved'))
  EXECUTE FUNCTION wallets_audit_withdrawal();
