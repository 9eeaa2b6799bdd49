-- The audit log: entries are written in the commit of the change that they record, by triggers of the changed tables, and are never
-- changed.

-- The keys of `wanted` whose values differ in `other`, with their values in `wanted`.
CREATE OR REPLACE FUNCTION audit_difference(wanted jsonb, other jsonb) RETURNS jsonb LANGUAGE sql IMMUTABLE AS $$
  SELECT coalesce(jsonb_object_agg(w.key, w.value), '{}') FROM jsonb_each(wanted) w WHERE w.value IS DISTINCT FROM other -> w.key
$$;

-- Whether a field is personal: the owner's own words, and addresses of their networks, hosts and mailboxes.
CREATE OR REPLACE FUNCTION audit_is_personal(field text) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
  SELECT field IN ('name', 'networks', 'text', 'host', 'email')
$$;

-- The personal fields; null without any.
CREATE OR REPLACE FUNCTION audit_personal(fields jsonb) RETURNS jsonb LANGUAGE sql IMMUTABLE AS $$
  SELECT jsonb_object_agg(f.key, f.value) FROM jsonb_each(fields) f WHERE audit_is_personal(f.key)
$$;

-- All fields, the personal ones without their values; null without any.
CREATE OR REPLACE FUNCTION audit_impersonal(fields jsonb) RETURNS jsonb LANGUAGE sql IMMUTABLE AS $$
  SELECT jsonb_object_agg(f.key, CASE WHEN NOT audit_is_personal(f.key) THEN f.value END) FROM jsonb_each(fields) f
$$;

-- Writes an entry. The transaction itself says who acts, and from where (lib/db/acting.ts); a transaction that does not is the service's
-- own work, or of somebody with the database open. Personal values go into a column that can be erased.
CREATE OR REPLACE FUNCTION audit_record(account text, what text, about text, earlier jsonb, later jsonb) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  acting jsonb := nullif(current_setting('pennyprompt.acting', true), '')::jsonb;
  application text := current_setting('application_name');
  happened timestamptz := clock_timestamp();
  own jsonb := nullif(coalesce(nullif(acting -> 'origin', 'null'), '{}')
    || jsonb_strip_nulls(jsonb_build_object('before', audit_personal(earlier), 'after', audit_personal(later))), '{}');
  -- 244 random bits.
  grains bytea := CASE WHEN own IS NOT NULL THEN uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()) END;
BEGIN
  INSERT INTO audit_entry (id, account_id, kind, at, actor, subject, before, after, personal, salt, commitment)
    VALUES ('aud_' || to_hex((extract(epoch FROM happened) * 1000)::bigint) || left(replace(gen_random_uuid()::text, '-', ''), 20),
      account, what, happened,
      coalesce(nullif(acting -> 'actor', 'null'), CASE WHEN application = 'pennyprompt' THEN '{"kind": "service"}'
        ELSE jsonb_build_object('kind', 'database', 'user', session_user, 'application', application) END),
      about, audit_impersonal(earlier), audit_impersonal(later),
      own, grains, sha256(grains || convert_to(own::text, 'UTF8')));
END $$;

-- Writes an entry of a change: the fields that differ, before and after. Writes nothing when none does.
CREATE OR REPLACE FUNCTION audit_record_change(account text, what text, about text, earlier jsonb, later jsonb) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF earlier IS NOT DISTINCT FROM later THEN RETURN; END IF;
  PERFORM audit_record(account, what, about, audit_difference(earlier, later), audit_difference(later, earlier));
END $$;

-- The values after the change in the account's newest entry of a kind.
CREATE OR REPLACE FUNCTION audit_latest(account text, what text) RETURNS jsonb LANGUAGE sql STABLE AS $$
  SELECT e.after FROM audit_entry e WHERE e.account_id = account AND e.kind = what ORDER BY e.place DESC LIMIT 1
$$;

-- Entries are only added. Two changes are allowed: a place in the chain, once, and the erasure of personal fields.
CREATE OR REPLACE FUNCTION audit_refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  open_columns text[] := '{sequence,digest,personal,salt}';
BEGIN
  IF TG_OP = 'UPDATE' THEN
    IF to_jsonb(NEW) - open_columns = to_jsonb(OLD) - open_columns
      AND (OLD.sequence IS NULL OR (NEW.sequence, NEW.digest) IS NOT DISTINCT FROM (OLD.sequence, OLD.digest))
      AND ((NEW.personal, NEW.salt) IS NOT DISTINCT FROM (OLD.personal, OLD.salt) OR (NEW.personal IS NULL AND NEW.salt IS NULL))
    THEN RETURN NEW; END IF;
  END IF;
  RAISE EXCEPTION 'the audit log is only added to' USING ERRCODE = 'check_violation';
END $$;
