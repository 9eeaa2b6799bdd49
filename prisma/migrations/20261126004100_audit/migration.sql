-- audit: what changed power or money outside requests, append-only. access: sessions are ended, not erased.

CREATE TABLE audit_entry (
  -- The order of writing, not of commits; `sequence` is the order of the chain.
  place bigserial PRIMARY KEY,
  id text COLLATE "C" NOT NULL,
  -- Null: the service's own.
  account_id text COLLATE "C",
  kind text COLLATE "C" NOT NULL,
  at timestamptz NOT NULL,
  actor jsonb NOT NULL CHECK (jsonb_typeof(actor) = 'object' AND actor ? 'kind'),
  subject text COLLATE "C",
  -- What changed, before and after.
  before jsonb,
  after jsonb,
  -- What identifies a person, until it is erased with its salt. The commitment stays, and tells nothing without them.
  personal jsonb,
  salt bytea,
  commitment bytea CHECK (length(commitment) = 32),
  -- Given by a job once the entry is committed: the chain, without gaps.
  sequence bigint CHECK (sequence > 0),
  digest bytea CHECK (length(digest) = 32),
  CONSTRAINT audit_entry_chained_check CHECK ((sequence IS NULL) = (digest IS NULL)),
  CONSTRAINT audit_entry_personal_check CHECK ((personal IS NULL) = (salt IS NULL) AND (personal IS NULL OR commitment IS NOT NULL))
);
CREATE UNIQUE INDEX audit_entry_id_key ON audit_entry (id);
CREATE UNIQUE INDEX audit_entry_sequence_key ON audit_entry (sequence);
CREATE INDEX audit_entry_account_id_place_idx ON audit_entry (account_id, place);
CREATE INDEX audit_entry_place_idx ON audit_entry (place) WHERE sequence IS NULL;
CREATE INDEX audit_entry_at_idx ON audit_entry (at) WHERE personal IS NOT NULL;

ALTER TABLE session
  ADD COLUMN ended_at timestamptz,
  ADD COLUMN end_reason text COLLATE "C",
  ADD CONSTRAINT session_ended_check CHECK ((ended_at IS NULL) = (end_reason IS NULL));
DROP INDEX session_expires_at_idx;
CREATE INDEX session_expires_at_idx ON session (expires_at) WHERE ended_at IS NULL;
-- Ended sessions whose browser and address are still to be erased.
CREATE INDEX session_ended_at_idx ON session (ended_at) WHERE client_address <> '';
