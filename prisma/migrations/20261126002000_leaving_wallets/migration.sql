-- access: a wallet is unlinked 24 hours after another one asked for it; until then it belongs to the account, and signs nothing for it.

ALTER TABLE identity ADD COLUMN leaves_at timestamptz;
CREATE INDEX identity_leaves_at_idx ON identity (leaves_at);
