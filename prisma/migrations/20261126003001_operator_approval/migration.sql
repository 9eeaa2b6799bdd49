-- wallets: the operator's own signature over a withdrawal that they approved, which the signer asks for above its line.

ALTER TABLE withdrawal ADD COLUMN operator_signature text COLLATE "C";
