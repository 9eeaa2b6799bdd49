-- Entries of the audit log are never changed and never deleted.

CREATE OR REPLACE TRIGGER audit_entry_immutable BEFORE UPDATE OR DELETE ON audit_entry
  FOR EACH ROW EXECUTE FUNCTION audit_refuse_change();
CREATE OR REPLACE TRIGGER audit_entry_kept BEFORE TRUNCATE ON audit_entry
  FOR EACH STATEMENT EXECUTE FUNCTION audit_refuse_change();
