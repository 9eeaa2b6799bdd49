-- payments: transactions that move nothing cost the operator their fee. A wallet can have them made on purpose: its contract says yes
-- when the payment is tried out and no in the block, or its money goes in between. So nobody has many made for nothing.

-- Attempts whose transaction came into a block and moved nothing.
CREATE TABLE payment_waste (
  claim_id text COLLATE "C" NOT NULL,
  attempt integer NOT NULL,
  network text COLLATE "C" NOT NULL,
  payer text COLLATE "C" NOT NULL,
  -- Its payer had not paid more often than it had wasted.
  on_trust boolean NOT NULL,
  at timestamptz NOT NULL,
  PRIMARY KEY (claim_id, attempt)
);
CREATE INDEX payment_waste_network_payer_at_idx ON payment_waste (network, payer, at);
CREATE INDEX payment_waste_network_at_idx ON payment_waste (network, at);

-- Whether the attempt that is under way is of a payer on trust.
ALTER TABLE payment_claim ADD COLUMN on_trust boolean NOT NULL DEFAULT false;
CREATE INDEX payment_claim_network_payer_paid_at_idx ON payment_claim (network, payer, paid_at) WHERE state = 'paid';
CREATE INDEX payment_claim_network_payer_open_idx ON payment_claim (network, payer) WHERE state = 'claimed' AND relayed;

-- Whether a transaction may be made for a payer now. Verdicts: go; wait (as many of its payer's, or of payers on trust, are under way as may be
-- at a time); payer_wastes, others_waste (enough moved nothing within the hour, of this payer's, or of those on trust). Who has paid more
-- often than it wasted, within 30 days, pays for its wastes itself: it may have as many under way as it is ahead, up to 32. Everybody else
-- is on trust, and shares `waste_an_hour` transactions with all others that are. Nobody may have fewer than 4 under way, until one of them
-- moves nothing, and three of them within an hour are the end.
CREATE FUNCTION payments_brake(of_network text, of_payer text, waste_an_hour integer, now_at timestamptz, OUT verdict text, OUT on_trust boolean)
LANGUAGE plpgsql STABLE AS $$
DECLARE
  most_wasted CONSTANT bigint := 3;
  a_month_ago timestamptz := now_at - interval '30 days';
  an_hour_ago timestamptz := now_at - interval '1 hour';
  paid bigint;
  wasted bigint;
  wasted_now bigint;
  under_way bigint;
BEGIN
  SELECT count(*), count(*) FILTER (WHERE w.at > an_hour_ago) INTO wasted, wasted_now
    FROM payment_waste w WHERE w.network = of_network AND w.payer = of_payer AND w.at > a_month_ago;
  SELECT count(*) INTO paid FROM (
    SELECT FROM payment_claim c WHERE c.network = of_network AND c.payer = of_payer AND c.state = 'paid' AND c.paid_at > a_month_ago LIMIT wasted + 32
  ) AS lately;
  on_trust := paid <= wasted;
  verdict := 'payer_wastes';
  IF wasted_now >= most_wasted THEN RETURN; END IF;
  verdict := 'wait';
  SELECT count(*) INTO under_way FROM payment_claim c
    WHERE c.network = of_network AND c.payer = of_payer AND c.state = 'claimed' AND c.relayed;
  IF under_way >= (CASE WHEN wasted_now > 0 THEN most_wasted - wasted_now ELSE greatest(4, paid - wasted) END) THEN RETURN; END IF;
  IF on_trust THEN
    SELECT count(*) INTO wasted FROM payment_waste w WHERE w.network = of_network AND w.on_trust AND w.at > an_hour_ago;
    verdict := 'others_waste';
    IF wasted >= waste_an_hour THEN RETURN; END IF;
    verdict := 'wait';
    SELECT count(*) INTO under_way FROM payment_claim c WHERE c.network = of_network AND c.state = 'claimed' AND c.relayed AND c.on_trust;
    IF wasted + under_way >= waste_an_hour THEN RETURN; END IF;
  END IF;
  verdict := 'go';
END $$;

-- An attempt's transaction is about to be stored, in the same commit. Verdicts: go, and it is noted; known (it is stored already, or the claim
-- goes another way now); else those of payments_brake, and wait as well when what its payer had at `funds_at` does not do for this one beside
-- those that may have moved since: an honest payer's money goes to one after the other, and moves nothing for the rest. Store nothing unless
-- it is go.
DROP FUNCTION payments_note_stored(text, integer);
CREATE FUNCTION payments_note_stored(
  claim_id text, of_attempt integer, funds bigint, funds_at timestamptz, waste_an_hour integer, at timestamptz
) RETURNS text LANGUAGE plpgsql AS $$
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
  -- Processes' clocks may differ by a bit.
  IF brake.verdict = 'go' AND funds < c.amount + (
    SELECT coalesce(sum(p.amount), 0) FROM payment_claim p WHERE p.network = c.network AND p.payer = c.payer
      AND ((p.state = 'claimed' AND p.relayed) OR (p.state = 'paid' AND p.paid_at > funds_at - interval '1 second'))
  ) THEN
    RETURN 'wait';
  END IF;
  IF brake.verdict = 'go' THEN
    UPDATE payment_claim p SET relayed = true, on_trust = brake.on_trust WHERE p.id = claim_id;
  END IF;
  RETURN brake.verdict;
END $$;

-- As before. `wasted`: its transaction is in a block, cost its fee, and its payer is to blame.
DROP FUNCTION payments_note_failed(text, integer, boolean, text, text);
CREATE FUNCTION payments_note_failed(
  claim_id text, of_attempt integer, was_relayed boolean, why text, message text, wasted boolean, now_at timestamptz
) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  failed payment_claim;
BEGIN
  UPDATE payment_claim c SET state = 'failed', failure = why, failure_message = message, transaction = NULL, block = NULL,
      -- What is in a block without effect, this attempt's or one before, may be in another one with it; what others can submit as well is
      -- looked for once its time is over.
      finalized = NOT was_relayed AND c.scheme = 'proof' AND c.attempt = 1
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
  WITH old AS (DELETE FROM payment_waste w WHERE w.at <= now_at - interval '30 days' RETURNING 1) SELECT count(*) FROM old
$$;
