-- Keys that a session gave away without a signature: together they can spend little, and they end. Of keys from before nobody knows.
ALTER TABLE api_key ADD COLUMN unsigned boolean NOT NULL DEFAULT false;
