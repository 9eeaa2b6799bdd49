-- access: which network opened an account, for a day. wallets: since when an account's addresses may be known to somebody.

CREATE TABLE sign_up (
  id bigserial PRIMARY KEY,
  network text NOT NULL,
  at timestamptz NOT NULL
);
CREATE INDEX sign_up_network_at_idx ON sign_up (network, at);
CREATE INDEX sign_up_at_idx ON sign_up (at);

ALTER TABLE custodial_wallet ADD COLUMN shown_at timestamptz;
-- Until now nobody wrote it down: each of them may have been shown.
UPDATE custodial_wallet SET shown_at = created_at;
