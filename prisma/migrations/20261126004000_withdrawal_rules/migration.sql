-- wallets: what owners decided on their own withdrawals, and from when each may be paid.

CREATE TABLE withdrawal_rules (
  id bigserial PRIMARY KEY,
  account_id text NOT NULL,
  daily_limit bigint,
  wait_seconds integer NOT NULL,
  destinations text[] NOT NULL,
  made_at timestamptz NOT NULL,
  replaced_at timestamptz,
  CONSTRAINT withdrawal_rules_limit CHECK (daily_limit >= 0),
  CONSTRAINT withdrawal_rules_wait CHECK (wait_seconds BETWEEN 0 AND 259200)
);
CREATE INDEX withdrawal_rules_account_id_idx ON withdrawal_rules (account_id);

ALTER TABLE withdrawal ADD COLUMN pay_from timestamptz;
