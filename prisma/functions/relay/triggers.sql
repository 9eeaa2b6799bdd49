-- What is signed is never changed.

CREATE OR REPLACE TRIGGER relay_broadcast_immutable BEFORE UPDATE OR DELETE ON relay_broadcast FOR EACH ROW EXECUTE FUNCTION relay_refuse_change();
