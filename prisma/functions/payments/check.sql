-- The proof that claims and the books agree.

-- Returns one row per violation, none when they agree. A reversal ends one life of a claim; each life has its own transfer.
CREATE OR REPLACE FUNCTION payments_check() RETURNS TABLE (invariant text, subject text, expected numeric, actual numeric) LANGUAGE sql AS $$
  WITH life AS (
    SELECT c.id, c.amount, c.credited_account, payments_funding_account(c.network) AS funding, payments_transfer(c.id, l.number) AS transfer,
      'payment_reversal_' || c.id || '_' || l.number AS reversal, l.number < c.times_reversed AS is_over, c.block, c.finalized,
      c.state = 'paid' AND l.number = c.times_reversed AS is_paid
    FROM payment_claim c CROSS JOIN LATERAL generate_series(0, c.times_reversed) AS l(number)
  ), booked AS (
    SELECT l.*, coalesce(ledger_moved(l.transfer, l.funding), 0) AS came_in, coalesce(ledger_moved(l.reversal, l.funding), 0) AS taken_back
    FROM life l
  )
  SELECT 'a payment came in whole while it is paid, and only then', b.transfer, CASE WHEN b.is_paid OR b.is_over THEN -b.amount ELSE 0 END::numeric,
      b.came_in::numeric
    FROM booked b WHERE b.came_in <> CASE WHEN b.is_paid OR b.is_over THEN -b.amount ELSE 0 END
  UNION ALL
  SELECT 'a payment went to the account that it was credited to', b.transfer, b.amount,
      coalesce(ledger_moved(b.transfer, b.credited_account), 0)
    FROM booked b WHERE b.is_paid AND ledger_moved(b.transfer, b.credited_account) IS DISTINCT FROM b.amount
  UNION ALL
  SELECT 'a payment was taken back whole when it was reversed, and only then', b.reversal, CASE WHEN b.is_over THEN b.amount ELSE 0 END, b.taken_back
    FROM booked b WHERE b.taken_back <> CASE WHEN b.is_over THEN b.amount ELSE 0 END
  UNION ALL
  SELECT 'a transfer that is a payment has its claim', t.id, 1, 0
    FROM ledger_transfers_of('payment') AS t(id) WHERE NOT EXISTS (SELECT 1 FROM life l WHERE l.transfer = t.id)
  UNION ALL
  -- 1: final; 0: not final; -1: nothing arrived.
  SELECT 'a payment is final when its money is', b.transfer, b.finalized::integer, coalesce(a.finalized::integer, -1)
    FROM booked b LEFT JOIN LATERAL ledger_find_arrival(b.transfer) a ON true WHERE b.is_paid AND a.finalized IS DISTINCT FROM b.finalized
  UNION ALL
  SELECT 'a payment is in the block that its money came in', b.transfer, b.block, coalesce(a.block, -1)
    FROM booked b LEFT JOIN LATERAL ledger_find_arrival(b.transfer) a ON true WHERE b.is_paid AND a.block IS DISTINCT FROM b.block
  UNION ALL
  SELECT 'of a payment that is not paid nothing may go again', b.transfer, 0, 1
    FROM booked b WHERE NOT b.is_paid AND EXISTS (SELECT 1 FROM ledger_find_arrival(b.transfer))
  UNION ALL
  SELECT 'a credit is a customer''s, and never negative', r.id, 0, r.available FROM ledger_credits() r WHERE r.kind <> 'customer' OR r.available < 0
  UNION ALL
  SELECT 'a credit is named by an address of a chain', r.id, 1, 0
    FROM ledger_credits() r
    WHERE r.id !~ '^credit:(eip155:[1-9][0-9]*:0x[0-9a-f]{40}|solana:[1-9A-HJ-NP-Za-km-z]{32}:[1-9A-HJ-NP-Za-km-z]{32,44})$'
$$;
