-- The brake: transactions that move nothing cost the operator a fee, so nobody has many made for nothing.

-- Whether a transaction may be made for a payer now. Verdicts: go; wait (as many of its payer's, or of payers on trust, are under way as may be
-- at a time); payer_wastes, others_waste (enough moved nothing within the hour, of this payer's, or of those on trust). Who has paid more
-- often than it wasted, within 30 days, pays for its wastes itself: it may have as many under way as it is ahead, up to 32. Everybody else
-- is on trust, and shares `waste_an_hour` transactions with all others that are. Nobody may have fewer than 4 under way, until one of them
-- moves nothing, and three of them within an hour are the end.
CREATE OR REPLACE FUNCTION payments_brake(of_network text, of_payer text, waste_an_hour integer, now_at timestamptz, OUT verdict text, OUT on_trust boolean)
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

-- An attempt's transaction is about to be stored, in the same commit. False when it is stored already, or the claim goes another way now.
CREATE OR REPLACE FUNCTION payments_note_stored(
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

-- Forgets what no brake asks about any more. Returns how many.
CREATE OR REPLACE FUNCTION payments_forget_waste(now_at timestamptz) RETURNS bigint LANGUAGE sql AS $$
  WITH old AS (DELETE FROM payment_waste w WHERE w.at <= now_at - interval '30 days' RETURNING 1) SELECT count(*) FROM old
$$;
