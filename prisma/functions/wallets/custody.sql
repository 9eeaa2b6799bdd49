-- Custodial wallets: addresses that were made ahead, and the account that each is given to.

-- The account's wallet, which takes the first free row of the pool when it has none; no row when the pool is empty.
-- The lock lets ten first calls of one account wait for the first, instead of each taking a row.
CREATE OR REPLACE FUNCTION wallets_open_wallet(account text, at timestamptz) RETURNS SETOF custodial_wallet LANGUAGE plpgsql ROWS 1 AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended('wallet of ' || account, 0));
  RETURN QUERY SELECT w.* FROM custodial_wallet w WHERE w.account_id = account;
  IF FOUND THEN RETURN; END IF;
  RETURN QUERY
    WITH taken AS (
      DELETE FROM address_pool p
      WHERE p.derivation_index = (SELECT f.derivation_index FROM address_pool f ORDER BY f.derivation_index LIMIT 1 FOR UPDATE SKIP LOCKED)
      RETURNING p.*
    )
    INSERT INTO custodial_wallet AS w (account_id, derivation_index, base_address, solana_owner, solana_token_account, attestation, created_at)
    SELECT account, t.derivation_index, t.base_address, t.solana_owner, t.solana_token_account, t.attestation, at FROM taken t
    RETURNING w.*;
END $$;

-- Adds addresses from `from_index` on, one for each place of the parallel arrays. Whoever comes second with the same
-- `from_index` adds none and is told so by false.
CREATE OR REPLACE FUNCTION wallets_add_addresses(
  seed_fingerprint text, from_index integer, base_addresses text[], solana_owners text[], token_accounts text[], attestations bytea[]
) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  UPDATE custody c SET next_index = c.next_index + cardinality(base_addresses)
    WHERE c.next_index = from_index AND c.fingerprint = seed_fingerprint;
  IF NOT FOUND THEN RETURN false; END IF;
  INSERT INTO address_pool (derivation_index, base_address, solana_owner, solana_token_account, attestation)
    SELECT from_index + i.ord - 1, i.base_address, i.solana_owner, i.token_account, i.attestation
    FROM unnest(base_addresses, solana_owners, token_accounts, attestations)
      WITH ORDINALITY AS i(base_address, solana_owner, token_account, attestation, ord);
  RETURN true;
END $$;
