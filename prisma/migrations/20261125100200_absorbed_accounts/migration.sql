-- An account that was never used can be absorbed by another account of the same person. Its deposit addresses stay watched: USDC that comes
-- in there later belongs to the account that absorbed it.

-- The account that absorbed this one. An absorbed account is frozen, so that nothing can be spent or moved in its name.
ALTER TABLE account ADD COLUMN absorbed_by text COLLATE "C" REFERENCES account (id);
ALTER TABLE account ADD CONSTRAINT absorbed_is_frozen CHECK (absorbed_by IS NULL OR (state = 'frozen' AND absorbed_by <> id));
CREATE INDEX account_absorbed_by_idx ON account (absorbed_by);

-- The joining wallet signs first and alone; the approval then names it, and the account that is absorbed with it, if any. A challenge lives
-- five minutes: those of the old kind are dropped.
DELETE FROM sign_in_nonce;
ALTER TABLE sign_in_nonce DROP COLUMN pair;
ALTER TABLE sign_in_nonce ADD COLUMN joining_chain text CHECK (joining_chain IN ('evm', 'solana'));
ALTER TABLE sign_in_nonce ADD COLUMN joining_address text COLLATE "C";
ALTER TABLE sign_in_nonce ADD COLUMN absorbs text COLLATE "C";
ALTER TABLE sign_in_nonce ADD CONSTRAINT names_what_it_is_for CHECK (
  (purpose = 'sign_in') = (account_id IS NULL)
  AND (purpose = 'link_allow') = (joining_chain IS NOT NULL) AND (purpose = 'link_allow') = (joining_address IS NOT NULL)
  AND (absorbs IS NULL OR purpose = 'link_allow'));

-- Whether an account has ever had money is answered from its entries.
CREATE INDEX entry_account_id_idx ON entry (account_id);
