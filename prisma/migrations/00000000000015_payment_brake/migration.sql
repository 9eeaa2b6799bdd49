-- payments: transactions that move nothing cost the operator their fee. A wallet can have them made on purpose: its contract says yes
-- when the payment is tried out and no in the block, or its money goes in between. So nobody has many made for nothing.

-- Attempts whose transaction came into a block and moved nothing.
CREATE TABLE payment_waste (
  claim_id text COLLATE "C" NOT NULL,
  attempt integer NOT NULL,
  network text COLLATE "C" NOT NULL,
  payer text COLLATE "C" NOT NULL,
  -- Its payer had paid nothing before.
  on_trust boolean NOT NULL,
  at timestamptz NOT NULL,
  PRIMARY KEY (claim_id, attempt)
);
CREATE INDEX payment_waste_network_payer_at_idx ON payment_waste (network, payer, at);
CREATE INDEX payment_waste_network_at_idx ON payment_waste (network, at);

-- Whether the attempt that is under way is of a payer who had paid nothing before.
ALTER TABLE payment_claim ADD COLUMN on_trust boolean NOT NULL DEFAULT false;
CREATE INDEX payment_claim_network_payer_paid_at_idx ON payment_claim (network, payer, paid_at) WHERE state = 'paid';
CREATE INDEX payment_claim_network_payer_open_idx ON payment_claim (network, payer) WHERE state = 'claimed' AND relayed;

-- Whether a transaction may be made for a payer now. Verdicts: go; wait (as many of its payer's, or of payers who never paid, are under way as
-- may be at a time); payer_wastes, others_waste (enough moved nothing within the hour, of this payer's, or of those who never paid). Who has
-- paid within 30 days may have as many under way as it has paid for, up to 32, and nobody fewer than 4; who has not shares `waste_an_hour`
-- transactions with all others of that kind.
CREATE FUNCTION payments_brake(of_network text, of_payer text, waste_an_hour integer, now_at timestamptz, OUT verdict text, OUT on_trust boolean)
LANGUAGE plpgsql STABLE AS $$
DECLARE
  an_hour_ago timestamptz := now_at - interval '1 hour';
  made bigint;
  wasted bigint;
BEGIN
  SELECT count(*) INTO made FROM (
    SELECT FROM payment_claim c WHERE c.network = of_network AND c.payer = of_payer AND c.state = 'paid' AND c.paid_at > now_at - interval '30 days' LIMIT 32
  ) AS lately;
  on_trust := made = 0;
  verdict := 'payer_wastes';
  IF (SELECT count(*) FROM payment_waste w WHERE w.network = of_network AND w.payer = of_payer AND w.at > an_hour_ago) >= 3 THEN RETURN; END IF;
  verdict := 'wait';
  IF (SELECT count(*) FROM payment_claim c WHERE c.network = of_network AND c.payer = of_payer AND c.state = 'claimed' AND c.relayed) >= greatest(4, made) THEN
    RETURN;
  END IF;
  IF on_trust THEN
    SELECT count(*) INTO wasted FROM payment_waste w WHERE w.network = of_network AND w.on_trust AND w.at > an_hour_ago;
    verdict := 'others_waste';
    IF wasted >= waste_an_hour THEN RETURN; END IF;
    verdict := 'wait';
    IF wasted + (SELECT count(*) FROM payment_claim c WHERE c.network = of_network AND c.state = 'claimed' AND c.relayed AND c.on_trust) >= waste_an_hour THEN
      RETURN;
    END IF;
  END IF;
  verdict := 'go';
END $$;

-- An attempt's transaction is about to be stored, in the same commit. Verdicts: go, and it is noted; known (it is stored already, or the claim
-- goes another way now); else those of payments_brake. Store nothing unless it is go.
DROP FUNCTION payments_note_stored(text, integer);
CREATE FUNCTION payments_note_stored(claim_id text, of_attempt integer, waste_an_hour integer, at timestamptz) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  c payment_claim;
  brake record;
BEGIN
  SELECT * INTO c FROM payment_claim p
    WHERE p.id = claim_id AND p.attempt = of_attempt AND p.state = 'claimed' AND NOT p.relayed FOR UPDATE;
  IF NOT FOUND THEN RETURN 'known'; END IF;
  -- What others store meanwhile counts: one after the other, as the relayer's nonces go anyway.
  PERFORM pg_advisory_xact_lock(hashtextextended('payments under way on ' || c.network, 0));
  SELECT * INTO brake FROM payments_brake(c.network, c.payer, waste_an_hour, at);
  IF brake.verdict = 'go' THEN
    UPDATE payment_claim p SET relayed = true, on_trust = brake.on_trust WHERE p.id = claim_id;
  END IF;
  RETURN brake.verdict;
END $$;

-- As before; `wasted`: its transaction is in a block, and cost its fee.
DROP FUNCTION payments_note_failed(text, integer, boolean, text, text);
CREATE FUNCTION payments_note_failed(
  claim_id text, of_attempt integer, was_relayed boolean, why text, message text, wasted boolean, now_at timestamptz
) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  failed payment_claim;
BEGIN
  UPDATE payment_claim c SET state = 'failed', failure = why, failure_message = message, transaction = NULL, block = NULL,
      -- What is in a block without effect may be in another one with it; what others can submit as well is looked for once its time is over.
      finalized = NOT was_relayed AND c.scheme = 'proof'
    WHERE c.id = claim_id AND c.attempt = of_attempt AND c.state = 'claimed' AND c.relayed = was_relayed
    RETURNING * INTO failed;
  IF NOT FOUND THEN RETURN false; END IF;
  IF wasted THEN
    INSERT INTO payment_waste (claim_id, attempt, network, payer, on_trust, at)
      VALUES (failed.id, failed.attempt, failed.network, failed.payer, failed.on_trust, now_at);
  END IF;
  RETURN true;
END $$;

-- Forgets what no brake asks about any more. Returns how many.
CREATE FUNCTION payments_forget_waste(now_at timestamptz) RETURNS bigint LANGUAGE sql AS $$
  WITH old AS (DELETE FROM payment_waste w WHERE w.at < now_at - interval '1 day' RETURNING 1) SELECT count(*) FROM old
$$;
