-- Booked rows are never changed, and lines are judged at the commit.

CREATE OR REPLACE TRIGGER transfer_immutable BEFORE UPDATE OR DELETE OR TRUNCATE ON transfer FOR EACH STATEMENT EXECUTE FUNCTION ledger_refuse_change();
CREATE OR REPLACE TRIGGER entry_immutable BEFORE UPDATE OR DELETE OR TRUNCATE ON entry FOR EACH STATEMENT EXECUTE FUNCTION ledger_refuse_change();
CREATE OR REPLACE TRIGGER charge_immutable BEFORE UPDATE OR DELETE OR TRUNCATE ON charge FOR EACH STATEMENT EXECUTE FUNCTION ledger_refuse_change();
CREATE OR REPLACE TRIGGER price_version_immutable BEFORE UPDATE OR DELETE OR TRUNCATE ON price_version FOR EACH STATEMENT EXECUTE FUNCTION ledger_refuse_change();

-- A constraint trigger cannot be replaced: one with another condition gets another name, and the old one is dropped here.
DO $$
BEGIN
  IF NOT EXISTS (SELECT FROM pg_trigger t WHERE t.tgname = 'low_line_is_judged') THEN
    CREATE CONSTRAINT TRIGGER low_line_is_judged AFTER UPDATE ON ledger_account DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
      WHEN (CASE WHEN NEW.low_armed THEN NEW.posted < NEW.low_line ELSE NEW.posted >= NEW.low_line + NEW.low_line / 10 END)
      EXECUTE FUNCTION ledger_judge_low_line();
  END IF;
  IF NOT EXISTS (SELECT FROM pg_trigger t WHERE t.tgname = 'cap_is_judged') THEN
    CREATE CONSTRAINT TRIGGER cap_is_judged AFTER INSERT OR UPDATE ON key_spend DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
      WHEN (NEW.spent >= NEW.cap - NEW.cap / 5 AND NOT NEW.told_near)
      EXECUTE FUNCTION ledger_judge_cap();
  END IF;
END $$;
