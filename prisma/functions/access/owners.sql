-- Owners: which account a wallet was proved to be of, and whether an account may spend.

-- True for an account that may not spend at this moment, decided from its row. An account that nobody opened is not frozen:
-- whoever pays without one has a balance, or has not.
CREATE OR REPLACE FUNCTION access_is_frozen(account_id text) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT EXISTS (SELECT 1 FROM account a WHERE a.id = account_id AND a.state <> 'open')
$$;

-- Lets an account spend nothing more; its owner can still look at it. Nothing happens to one that nobody opened.
CREATE OR REPLACE FUNCTION access_freeze_account(account_id text) RETURNS void LANGUAGE sql AS $$
  UPDATE account a SET state = 'frozen' WHERE a.id = account_id AND a.state <> 'frozen'
$$;

-- The account that a wallet was proved to be of; null when it is of none.
CREATE OR REPLACE FUNCTION access_owner_of(wallet_chain text, wallet_address text) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT i.account_id FROM identity i WHERE i.chain = wallet_chain AND i.address = wallet_address
$$;

-- Since when a wallet is the account's, and whether the account began with it; no row when it is not the account's.
CREATE OR REPLACE FUNCTION access_linked_wallet(account text, on_chain text, of_address text)
RETURNS TABLE (linked_at timestamptz, is_first boolean) LANGUAGE sql STABLE ROWS 1 AS $$
  SELECT i.linked_at, i.is_first FROM identity i WHERE i.chain = on_chain AND i.address = of_address AND i.account_id = account
$$;
