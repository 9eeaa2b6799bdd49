-- Until then the playground spends without a daily limit in this session: a wallet has signed for that, and not only for signing in.
ALTER TABLE session ADD COLUMN spends_until timestamptz;
