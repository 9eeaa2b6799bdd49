-- Accounts as their open pages follow them.

-- Each account's money, and a text for each part that changes whenever that part does; `read_at_ms` is the database's clock, which all
-- processes share. No row for an account that does not exist.
CREATE OR REPLACE FUNCTION console_account_views(accounts text[], at timestamptz)
RETURNS TABLE (
  account text, read_at_ms bigint, available bigint, reserved bigint, charges text, keys text, deposits text, withdrawals text,
  events text
) LANGUAGE sql STABLE AS $$
  SELECT a.id, (extract(epoch FROM statement_timestamp()) * 1000)::bigint, b.available, b.held, b.charges, access_mark(a.id, at),
    wallets_deposits_mark(a.id), wallets_withdrawals_mark(a.id), events_mark(a.id)
  FROM unnest(accounts) AS a(id) CROSS JOIN LATERAL ledger_balance(a.id) b
$$;
