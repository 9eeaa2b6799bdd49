-- Events about endpoints, for their owner: the person who silences an endpoint may not be its reader, who hears of it there a last time.

CREATE OR REPLACE FUNCTION events_tell_endpoint() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  -- There is nobody to tell of the first one.
  IF TG_OP = 'INSERT' AND NOT EXISTS (SELECT FROM endpoint p WHERE p.account_id = NEW.account_id AND p.id <> NEW.id) THEN RETURN NULL; END IF;
  PERFORM events_record(NEW.account_id, 'endpoint.changed', jsonb_build_object('endpointId', NEW.id, 'kind', NEW.kind,
    'host', events_endpoint_power(NEW) ->> 'host', 'change', CASE
      WHEN TG_OP = 'INSERT' THEN 'added'
      WHEN NEW.deleted_at IS NOT NULL THEN 'deleted'
      WHEN NEW.state <> OLD.state THEN CASE NEW.state WHEN 'active' THEN 'switched_on' ELSE 'switched_off' END
      WHEN NEW.types <> OLD.types THEN 'events'
      ELSE 'secret' END), clock_timestamp());
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER endpoint_made AFTER INSERT ON endpoint FOR EACH ROW EXECUTE FUNCTION events_tell_endpoint();
-- By its owner: of those that were gone, failed or were unsubscribed, endpoint.disabled tells; and an address that is confirmed was added.
CREATE OR REPLACE TRIGGER endpoint_moved AFTER UPDATE OF types, state, secret_number, deleted_at ON endpoint
  FOR EACH ROW WHEN (OLD.deleted_at IS NULL AND OLD.state <> 'unconfirmed' AND NEW.state <> 'unconfirmed' AND (NEW.deleted_at IS NOT NULL
    OR NEW.types <> OLD.types OR NEW.secret_number <> OLD.secret_number
    OR NEW.state <> OLD.state AND NEW.disabled_reason IS NOT DISTINCT FROM CASE NEW.state WHEN 'disabled' THEN 'owner' END))
  EXECUTE FUNCTION events_tell_endpoint();
