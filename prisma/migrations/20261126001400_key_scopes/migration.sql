-- access: what a key may do, from where, and its secret before the last rotation.

-- prompt: spend; read: balance, deposits, and the key's own usage; account: read usage and events of the whole account. Keys made before
-- could do all of it.
ALTER TABLE api_key ADD COLUMN scopes text[] COLLATE "C" NOT NULL DEFAULT '{prompt,read,account}';
ALTER TABLE api_key ALTER COLUMN scopes SET DEFAULT '{prompt,read}';
ALTER TABLE api_key ADD CONSTRAINT api_key_scopes_check
  CHECK (scopes <@ '{prompt,read,account}' AND scopes <> '{}' AND (NOT 'account' = ANY (scopes) OR 'read' = ANY (scopes)));

-- Networks in CIDR form that its requests may come from; empty: any.
ALTER TABLE api_key ADD COLUMN networks text[] COLLATE "C" NOT NULL DEFAULT '{}';

-- The secret before the last rotation works until old_until.
ALTER TABLE api_key ADD COLUMN old_hash bytea UNIQUE;
ALTER TABLE api_key ADD COLUMN old_last4 text COLLATE "C";
ALTER TABLE api_key ADD COLUMN old_until timestamptz;
ALTER TABLE api_key ADD CONSTRAINT api_key_old_check
  CHECK ((old_hash IS NULL) = (old_until IS NULL) AND (old_hash IS NULL) = (old_last4 IS NULL));
