-- A kept answer belongs to the key that asked for it; null: to every key of its account.
ALTER TABLE idempotent_reply ADD COLUMN key_id text;
