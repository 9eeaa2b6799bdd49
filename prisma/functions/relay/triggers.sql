-- Signed bytes are never changed: after a crash exactly the same bytes are sent again.

CREATE OR REPLACE FUNCTION relay_refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '% keeps what was signed and is never changed', TG_TABLE_NAME;
END $$;

CREATE OR REPLACE TRIGGER relay_broadcast_immutable BEFORE UPDATE OR DELETE ON relay_broadcast FOR EACH ROW EXECUTE FUNCTION relay_refuse_change();
