-- The audit log of endpoints: an endpoint's reader hears of the account. The URL of a chat is a secret: the log has only its host.

CREATE OR REPLACE FUNCTION events_endpoint_power(p endpoint) RETURNS jsonb LANGUAGE sql STABLE AS $$
  SELECT jsonb_build_object('kind', p.kind, 'host', coalesce(substring(p.target FROM '^[a-z]+://([^/?#]+)'), substring(p.target FROM '@(.*)$')),
    'types', p.types, 'state', p.state, 'disabledReason', p.disabled_reason)
    || CASE WHEN p.kind = 'email' THEN jsonb_build_object('email', p.target) ELSE '{}' END
$$;

CREATE OR REPLACE FUNCTION events_audit_endpoint() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  heard endpoint := CASE WHEN TG_OP = 'DELETE' THEN OLD ELSE NEW END;
BEGIN
  IF TG_OP = 'INSERT' THEN
    PERFORM audit_record(heard.account_id, 'endpoint.created', heard.id, NULL, events_endpoint_power(NEW));
  ELSIF heard.deleted_at IS NOT NULL AND TG_OP = 'DELETE' OR TG_OP = 'UPDATE' AND OLD.deleted_at IS NOT NULL THEN
    RETURN NULL; -- that was told when its owner deleted it
  ELSIF heard.deleted_at IS NOT NULL OR TG_OP = 'DELETE' THEN
    PERFORM audit_record(heard.account_id, 'endpoint.deleted', heard.id, events_endpoint_power(OLD), NULL);
  ELSIF heard.kind = 'webhook' AND NEW.secret_number <> OLD.secret_number THEN
    PERFORM audit_record(heard.account_id, 'endpoint.secret_rotated', heard.id, NULL,
      jsonb_build_object('host', events_endpoint_power(NEW) ->> 'host', 'oldWorksUntil', NEW.old_secret_until));
  ELSE
    PERFORM audit_record_change(heard.account_id, 'endpoint.changed', heard.id, events_endpoint_power(OLD), events_endpoint_power(NEW));
  END IF;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER endpoint_audited
  AFTER INSERT OR UPDATE OF target, types, state, disabled_reason, secret_number, deleted_at OR DELETE ON endpoint
  FOR EACH ROW EXECUTE FUNCTION events_audit_endpoint();
