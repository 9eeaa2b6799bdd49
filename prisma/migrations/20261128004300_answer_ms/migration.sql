-- How long an endpoint takes to answer decides which places it is served in; null until it has answered.
ALTER TABLE endpoint ADD COLUMN answer_ms integer;
CREATE INDEX endpoint_served_idx ON endpoint (account_id) WHERE served_by IS NOT NULL;
