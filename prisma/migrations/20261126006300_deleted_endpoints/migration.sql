-- A deleted endpoint goes once it has received what was under way, and that it was deleted.
ALTER TABLE endpoint ADD COLUMN deleted_at timestamptz;
