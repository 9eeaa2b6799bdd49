-- The proof that withdrawals and the books agree.

-- Proves the books of withdrawals; returns one row per violation.
CREATE OR REPLACE FUNCTION wallets_check_withdrawals() RETURNS TABLE (invariant text, subject text, expected numeric, actual numeric) LANGUAGE sql AS $$
  SELECT 'what is pending equals the open withdrawals', 'withdrawal_pending', o.total, ledger_posted('withdrawal_pending')::numeric
    FROM (SELECT coalesce(sum(w.amount + w.fee), 0) AS total FROM withdrawal w WHERE w.ended_at IS NULL) o
    WHERE o.total <> ledger_posted('withdrawal_pending')
  UNION ALL
  SELECT 'a withdrawal is booked with its amount and fee', w.id, w.amount + w.fee, coalesce(ledger_moved('withdrawal_' || w.id, 'withdrawal_pending'), 0)
    FROM withdrawal w WHERE ledger_moved('withdrawal_' || w.id, 'withdrawal_pending') IS DISTINCT FROM w.amount + w.fee
  UNION ALL
  SELECT 'a withdrawal that ended was paid out or given back, once', w.id, (w.ended_at IS NOT NULL)::integer,
      (ledger_moved('payout_' || w.id, 'withdrawal_pending') IS NOT NULL)::integer
        + (ledger_moved('withdrawal_return_' || w.id, 'withdrawal_pending') IS NOT NULL)::integer
    FROM withdrawal w
    WHERE (w.state = 'final') <> (ledger_moved('payout_' || w.id, 'withdrawal_pending') IS NOT NULL)
      OR (w.state IN ('cancelled', 'refused', 'failed')) <> (ledger_moved('withdrawal_return_' || w.id, 'withdrawal_pending') IS NOT NULL)
$$;
