-- Rules for what may exist in the books at all: a writer who bypasses the functions that post can keep every sum, but breaks one of these
-- rules. An operator's own refunds will be a kind of their own.

-- The kind that an account's name demands; null: any other name, whose kind its row says.
CREATE OR REPLACE FUNCTION ledger_kind_of(account text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN account LIKE 'acc\_%' OR account LIKE 'credit:%' THEN 'customer' WHEN account LIKE '%\_chain' THEN 'funding'
    WHEN account = 'revenue' THEN 'revenue' WHEN account IN ('operator_loss', 'deposit_losses', 'payment_losses') THEN 'operator_loss'
    WHEN account IN ('withdrawal_pending', 'uncredited_deposits') THEN 'liability' END
$$;

-- The kinds of transfers, how their ids begin (null: in any way), and the legs that each may have: of an account of this kind, which gains (1)
-- or loses (-1).
CREATE OR REPLACE FUNCTION ledger_transfer_kinds() RETURNS TABLE (kind text, id_begins text, of_account text, sign integer)
LANGUAGE sql IMMUTABLE AS $$
  VALUES
    ('credit', NULL, 'funding', -1), ('credit', NULL, 'customer', 1), ('credit', NULL, 'liability', 1), ('credit', NULL, 'liability', -1),
    ('payment', 'payment\_', 'funding', -1), ('payment', 'payment\_', 'customer', 1),
    ('reversal', NULL, 'funding', 1), ('reversal', NULL, 'customer', -1), ('reversal', NULL, 'liability', -1), ('reversal', NULL, 'operator_loss', -1),
    ('debt', 'debt\_', 'customer', -1), ('debt', 'debt\_', 'operator_loss', 1),
    ('credit_claim', NULL, 'customer', -1), ('credit_claim', NULL, 'customer', 1),
    ('refund', 'refund\_', 'revenue', -1), ('refund', 'refund\_', 'customer', 1),
    ('withdrawal', 'withdrawal\_', 'customer', -1), ('withdrawal', 'withdrawal\_', 'liability', 1),
    ('withdrawal_return', 'withdrawal\_return\_', 'liability', -1), ('withdrawal_return', 'withdrawal\_return\_', 'customer', 1),
    ('payout', 'payout\_', 'liability', -1), ('payout', 'payout\_', 'funding', 1), ('payout', 'payout\_', 'revenue', 1)
$$;

-- The time in an id that begins with it: eight digits of base62, Unix milliseconds; null for an id without.
CREATE OR REPLACE FUNCTION ledger_time_in(id text) RETURNS timestamptz LANGUAGE sql IMMUTABLE AS $$
  SELECT to_timestamp((
    (strpos(d.digits, substr(id, 5, 1)) - 1) * 3521614606208::bigint
    + (strpos(d.digits, substr(id, 6, 1)) - 1) * 56800235584::bigint
    + (strpos(d.digits, substr(id, 7, 1)) - 1) * 916132832::bigint
    + (strpos(d.digits, substr(id, 8, 1)) - 1) * 14776336::bigint
    + (strpos(d.digits, substr(id, 9, 1)) - 1) * 238328::bigint
    + (strpos(d.digits, substr(id, 10, 1)) - 1) * 3844::bigint
    + (strpos(d.digits, substr(id, 11, 1)) - 1) * 62::bigint
    + (strpos(d.digits, substr(id, 12, 1)) - 1) * 1::bigint
  )::float8 / 1000)
  FROM (VALUES ('0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz')) d(digits) WHERE id LIKE 'req\_%' AND length(id) = 24
$$;

-- Returns one row per violation, and none when the books hold only what they may.
CREATE OR REPLACE FUNCTION ledger_check_rules() RETURNS TABLE (invariant text, subject text, expected text, actual text) LANGUAGE sql AS $$
  SELECT 'an account is of the kind that its name says', a.id, ledger_kind_of(a.id), a.kind
    FROM ledger_account a WHERE a.kind <> ledger_kind_of(a.id)
  UNION ALL
  SELECT 'a customer has no less than nothing, and no less than is held', a.id, greatest(a.held, 0)::text, a.posted::text
    FROM ledger_account a WHERE ledger_kind_of(a.id) = 'customer' AND (a.posted < a.held OR a.held < 0)
  UNION ALL
  SELECT 'a transfer is of a kind that exists, and is named by it', t.id, coalesce(k.id_begins, 'a kind in ledger_transfer_kinds'), t.kind
    FROM transfer t LEFT JOIN (SELECT DISTINCT r.kind, r.id_begins FROM ledger_transfer_kinds() r) k ON k.kind = t.kind
    WHERE k.kind IS NULL OR t.id NOT LIKE coalesce(k.id_begins || '%', '%')
  UNION ALL
  SELECT 'a transfer moves money as its kind does', t.id, 'a leg that a ' || t.kind || ' has', e.account_id || ' ' || e.amount
    FROM transfer t JOIN entry e ON e.transfer_id = t.id LEFT JOIN ledger_account a ON a.id = e.account_id
    WHERE EXISTS (SELECT FROM ledger_transfer_kinds() r WHERE r.kind = t.kind) AND NOT EXISTS (
      SELECT FROM ledger_transfer_kinds() r
      WHERE r.kind = t.kind AND r.of_account = coalesce(ledger_kind_of(e.account_id), a.kind) AND r.sign = sign(e.amount))
  UNION ALL
  SELECT 'a refund gives back at most what was charged, for an answer that was not delivered', t.id,
      coalesce(c.input_cost + c.output_cost, 0)::text, e.amount::text
    FROM transfer t JOIN entry e ON e.transfer_id = t.id AND e.amount > 0
    LEFT JOIN charge c ON c.account_id = e.account_id AND c.request_id = substr(t.id, 8)
    WHERE t.kind = 'refund' AND (c.request_id IS NULL OR e.amount > c.input_cost + c.output_cost OR c.streamed)
  UNION ALL
  SELECT 'a hold ends within sixteen minutes', h.request_id, (h.placed_at + interval '16 minutes')::text, h.deadline::text
    FROM hold h WHERE h.deadline > h.placed_at + interval '16 minutes'
  UNION ALL
  SELECT 'a lost answer costs its customer nothing', c.request_id, '0', (c.input_cost + c.output_cost)::text
    FROM charge c WHERE c.outcome = 'lost' AND c.input_cost + c.output_cost > 0
  UNION ALL
  SELECT 'a debt comes from a reversal', d.transfer_id, 'reversal', coalesce(t.kind, 'none')
    FROM debt d LEFT JOIN transfer t ON t.id = d.transfer_id WHERE t.kind IS DISTINCT FROM 'reversal'
  UNION ALL
  SELECT 'a request is charged within a day of its id', c.request_id, ledger_time_in(c.request_id)::text, c.at::text
    FROM charge c WHERE abs(extract(epoch FROM c.at - ledger_time_in(c.request_id))) > 86400
$$;
