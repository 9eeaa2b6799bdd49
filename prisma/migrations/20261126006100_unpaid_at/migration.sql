-- wallets: when a withdrawal's chain last showed that it was not paid, for one that a restore of the database may have set back.

ALTER TABLE withdrawal ADD COLUMN unpaid_at timestamptz;
