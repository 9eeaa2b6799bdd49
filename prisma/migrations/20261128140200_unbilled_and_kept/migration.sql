-- What an estimate leaves out, and which answers were kept. A process of the release before cannot book charges once the type has grown:
-- this migration is refused while one runs (see prisma/functions/SERVES).

ALTER TABLE charge
  -- What its provider probably bills beyond an estimated charge, nano-USD at our prices; nobody pays it.
  ADD COLUMN unbilled bigint NOT NULL DEFAULT 0,
  -- Its answer was saved under its Idempotency-Key, or for its payment.
  ADD COLUMN kept boolean NOT NULL DEFAULT false,
  ADD CONSTRAINT only_estimates_leave_something_out CHECK (unbilled = 0 OR (unbilled > 0 AND estimated));

ALTER TYPE ledger_charge_details
  ADD ATTRIBUTE unbilled bigint,
  ADD ATTRIBUTE kept boolean;
