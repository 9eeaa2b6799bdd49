-- Of keys that a session gave away without a signature, the most that they could spend since; null: signed for. Together they can spend little,
-- and they end. Of keys from before nobody knows.
ALTER TABLE api_key ADD COLUMN unsigned_cap bigint;
