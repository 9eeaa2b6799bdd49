-- Owners: which account a wallet belongs to, whether an account may spend, and whether its settings or keys have changed.

-- True for an account that may not spend now, frozen or closed, decided from its row. An account id without a row is not frozen: a payer without an account
-- simply has a balance or not.
CREATE OR REPLACE FUNCTION access_is_frozen(account_id text) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT EXISTS (SELECT 1 FROM account a WHERE a.id = account_id AND (a.state <> 'open' OR a.closed_at IS NOT NULL))
$$;

-- Stops an account from spending; its owner can still view it. Does nothing for an account id without a row.
CREATE OR REPLACE FUNCTION access_freeze_account(account_id text) RETURNS void LANGUAGE sql AS $$
  UPDATE account a SET state = 'frozen' WHERE a.id = account_id AND a.state <> 'frozen'
$$;

-- The account that has proved the wallet as its own; null when none has.
CREATE OR REPLACE FUNCTION access_owner_of(wallet_chain text, wallet_address text) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT i.account_id FROM identity i WHERE i.chain = wallet_chain AND i.address = wallet_address
$$;

-- Prevents the absorption of these accounts until the transaction ends, and returns for each the account that owns the money coming in at
-- its deposit addresses: itself, or the account that absorbed it. In READ COMMITTED a locked row is read as it is after the wait.
CREATE OR REPLACE FUNCTION access_lock_owners(account_ids text[]) RETURNS TABLE (account text, owner text) LANGUAGE sql AS $$
  SELECT a.id, coalesce(a.absorbed_by, a.id) FROM account a WHERE a.id = ANY (account_ids) ORDER BY a.id FOR KEY SHARE
$$;

-- When a wallet was linked to the account, and whether the account was opened with it; no row when it is not the account's, or is about to
-- leave it: then it neither signs nor receives.
CREATE OR REPLACE FUNCTION access_linked_wallet(account text, on_chain text, of_address text)
RETURNS TABLE (linked_at timestamptz, is_first boolean) LANGUAGE sql STABLE ROWS 1 AS $$
  SELECT i.linked_at, i.is_first FROM identity i WHERE i.chain = on_chain AND i.address = of_address AND i.account_id = account
    AND i.leaves_at IS NULL
$$;

-- A text that changes with the account's own settings and with any of its keys.
CREATE OR REPLACE FUNCTION access_mark(account text, at timestamptz) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT concat_ws('.', max(hashtextextended(concat_ws('|', a.state), 0)), count(k.id),
    sum(hashtextextended(concat_ws('|', k.id, k.name, k.state, k.expires_at, k.expires_at <= at, k.cap_nano_usd, k.cap_period,
      k.allowed_models, k.last_used_at), 0)))
  FROM account a LEFT JOIN api_key k ON k.account_id = a.id
  WHERE a.id = access_mark.account
$$;
