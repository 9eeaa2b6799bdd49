-- When what names a person was erased from a closed account: some days after it was closed.
ALTER TABLE account ADD COLUMN erased_at timestamptz;
UPDATE account SET erased_at = closed_at WHERE closed_at IS NOT NULL;
