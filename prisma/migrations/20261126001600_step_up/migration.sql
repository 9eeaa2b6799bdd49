-- access: what gives power away is signed by a wallet; the session remembers when its owner last signed anything.

ALTER TABLE session ADD COLUMN confirmed_at timestamptz;
UPDATE session SET confirmed_at = created_at;
ALTER TABLE session ALTER COLUMN confirmed_at SET NOT NULL;

ALTER TABLE sign_in_nonce DROP CONSTRAINT sign_in_nonce_purpose_check;
ALTER TABLE sign_in_nonce ADD CONSTRAINT sign_in_nonce_purpose_check
  CHECK (purpose IN ('sign_in', 'link_allow', 'link_join', 'step_up'));
