-- gateway: the way of a request. Owns the claims and saved answers of idempotency keys; composes access and ledger into
-- one commit per batch.

CREATE TABLE idempotent_reply (
  account_id text COLLATE "C" NOT NULL,
  idempotency_key text COLLATE "C" NOT NULL,
  request_id text COLLATE "C" NOT NULL,
  body_hash bytea NOT NULL,
  claimed_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  -- Null while the first request runs.
  status integer,
  streamed boolean,
  body text,
  PRIMARY KEY (account_id, idempotency_key)
);
CREATE INDEX idempotent_reply_expires_at_idx ON idempotent_reply (expires_at);
CREATE INDEX idempotent_reply_request_id_idx ON idempotent_reply (request_id);
CREATE INDEX idempotent_reply_marks_idx ON idempotent_reply (claimed_at) WHERE status = 0;
