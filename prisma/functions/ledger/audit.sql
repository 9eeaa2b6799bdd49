-- The audit log of the threshold below which an owner is told.

CREATE OR REPLACE FUNCTION ledger_audit_low_line() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM audit_record(NEW.id, 'alarm.changed', NEW.id, jsonb_build_object('lowBalance', OLD.low_line::text),
    jsonb_build_object('lowBalance', NEW.low_line::text));
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER ledger_account_audited AFTER UPDATE OF low_line ON ledger_account
  FOR EACH ROW WHEN (NEW.low_line IS DISTINCT FROM OLD.low_line) EXECUTE FUNCTION ledger_audit_low_line();
