-- payments: the text that a client chose for its payment. It belongs to one payment until that moved nothing.

ALTER TABLE payment_claim ADD COLUMN identifier text COLLATE "C" UNIQUE;
