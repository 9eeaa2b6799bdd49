-- The proof that the books add up.

-- The kinds of tokens, as in lib/base/tokens/token-kinds.ts: the place of a kind in a charge's counts, its name in price lists, and the side
-- that it is part of, at whose price it is sold when it has none of its own. A side counts the tokens of its parts as well.
CREATE OR REPLACE FUNCTION ledger_token_kinds() RETURNS TABLE (slot integer, name text, part_of text) LANGUAGE sql IMMUTABLE AS $$
  VALUES (1, 'input', NULL), (2, 'output', NULL), (3, 'cache_read', 'input'), (4, 'cache_write', 'input'), (5, 'cache_write_1h', 'input'),
    (6, 'image', 'input'), (7, 'reasoning', 'output')
$$;

-- What a token in each slot of a charge's counts costs, nano-USD, by price version and length of the prompt: a side its price, a part what it
-- costs more or less than its side. The columns of the version are its prices from the first token on, also where it lists no kinds.
CREATE OR REPLACE FUNCTION ledger_slot_prices() RETURNS TABLE (id text, starts_at bigint, ends_at bigint, slots bigint[]) LANGUAGE sql STABLE AS $$
  WITH listed AS (
    SELECT p.id, k.starts_at, k.kind, k.price FROM price_version p CROSS JOIN LATERAL (
      SELECT 0::bigint AS starts_at, 'input' AS kind, p.input_price AS price
      UNION ALL SELECT 0, 'output', p.output_price
      UNION ALL SELECT coalesce((e.value ->> 'fromInputTokens')::bigint, 0), e.value ->> 'kind', (e.value ->> 'price')::bigint
        FROM jsonb_array_elements(p.kinds) e
        WHERE e.value ? 'fromInputTokens' OR e.value ->> 'kind' NOT IN ('input', 'output')
    ) k
  ), tier AS (
    SELECT l.id, l.starts_at, lead(l.starts_at) OVER (PARTITION BY l.id ORDER BY l.starts_at) AS ends_at FROM listed l GROUP BY l.id, l.starts_at
  )
  SELECT t.id, t.starts_at, t.ends_at, array_agg(coalesce(own.price - coalesce(side.price, 0), 0) ORDER BY k.slot)
  FROM tier t CROSS JOIN ledger_token_kinds() k
  LEFT JOIN listed own ON own.id = t.id AND own.starts_at = t.starts_at AND own.kind = k.name
  LEFT JOIN listed side ON side.id = t.id AND side.starts_at = t.starts_at AND side.kind = k.part_of
  GROUP BY t.id, t.starts_at, t.ends_at
$$;

-- Proves the books; returns one row per violation, and none when they are clean. Run it in one REPEATABLE READ transaction.
CREATE OR REPLACE FUNCTION ledger_check(at timestamptz)
RETURNS TABLE (invariant text, subject text, expected numeric, actual numeric) LANGUAGE sql AS $$
  SELECT 'the entries of a transfer sum to zero', e.transfer_id, 0::numeric, sum(e.amount)
    FROM ledger_entry e GROUP BY e.transfer_id HAVING sum(e.amount) <> 0
  UNION ALL
  SELECT 'every entry has its transfer', e.transfer_id, 1, 0
    FROM entry e WHERE NOT EXISTS (SELECT 1 FROM transfer t WHERE t.id = e.transfer_id)
  UNION ALL
  SELECT 'every transfer has its entries', t.id, 2, 0
    FROM transfer t WHERE NOT EXISTS (SELECT 1 FROM entry e WHERE e.transfer_id = t.id)
  UNION ALL
  SELECT 'an account equals the sum of its entries', coalesce(a.id, s.account_id), coalesce(s.total, 0), coalesce(a.posted, 0)
    FROM ledger_account a
    FULL JOIN (
      SELECT e.account_id, sum(e.amount) AS total FROM ledger_entry e
      LEFT JOIN ledger_account r ON r.id = e.account_id AND r.rolled_up_to IS NOT NULL
      WHERE r.id IS NULL OR e.seq IS NULL OR e.seq <= r.rolled_up_to GROUP BY e.account_id
    ) s ON s.account_id = a.id
    WHERE coalesce(s.total, 0) <> coalesce(a.posted, 0) OR (a.id IS NULL)
  UNION ALL
  SELECT 'what is held equals the open holds', coalesce(a.id, h.account_id), coalesce(h.total, 0), coalesce(a.held, 0)
    FROM ledger_account a
    FULL JOIN (SELECT account_id, sum(ceiling) AS total FROM hold GROUP BY account_id) h ON h.account_id = a.id
    WHERE coalesce(h.total, 0) <> coalesce(a.held, 0)
  UNION ALL
  SELECT 'no hold outlives its deadline by a minute', h.request_id, 0, extract(epoch FROM at - h.deadline)
    FROM hold h WHERE h.deadline < at - interval '1 minute'
  UNION ALL
  SELECT 'a request is charged once', c.request_id, 1, count(*)
    FROM charge c GROUP BY c.request_id HAVING count(*) > 1
  UNION ALL
  SELECT 'a charge is its tokens at its price version', c.request_id, d.due, c.input_cost + c.output_cost + c.operator_loss
    FROM charge c
    LEFT JOIN ledger_slot_prices() p
      ON p.id = c.price_version AND coalesce(c.tokens[1], 0) >= p.starts_at AND (p.ends_at IS NULL OR coalesce(c.tokens[1], 0) < p.ends_at)
    -- As costOf in lib/providers/prices.ts. A version that is not known makes no sum.
    CROSS JOIN LATERAL (
      SELECT sum(coalesce(t.tokens, 0) * t.price)::bigint AS due FROM unnest(c.tokens, p.slots) t(tokens, price)
    ) d
    WHERE d.due IS DISTINCT FROM c.input_cost + c.output_cost + c.operator_loss
  UNION ALL
  SELECT 'a customer pays no more than the ceiling', c.request_id, c.ceiling, c.input_cost + c.output_cost
    FROM charge c WHERE c.input_cost + c.output_cost > c.ceiling
  UNION ALL
  SELECT 'what an account owes equals its debts', coalesce(a.id, d.account_id), coalesce(d.total, 0), coalesce(a.debt, 0)
    FROM ledger_account a
    FULL JOIN (SELECT account_id, sum(amount) AS total FROM debt GROUP BY account_id) d ON d.account_id = a.id
    WHERE coalesce(d.total, 0) <> coalesce(a.debt, 0)
  UNION ALL
  SELECT 'who has an arrival has all of it', r.transfer_id, -coalesce(e.amount, 0), r.total
    FROM (SELECT a.transfer_id, a.funding_id, sum(a.amount) AS total FROM arrival a GROUP BY a.transfer_id, a.funding_id) r
    LEFT JOIN entry e ON e.transfer_id = r.transfer_id AND e.account_id = r.funding_id
    WHERE r.total IS DISTINCT FROM -e.amount
  UNION ALL
  SELECT 'what a capped key holds equals its open holds', coalesce(s.key_id, h.key_id), coalesce(h.total, 0), coalesce(s.held, 0)
    FROM key_spend s
    FULL JOIN (SELECT key_id, period, period_start, sum(ceiling) AS total FROM hold WHERE period IS NOT NULL GROUP BY 1, 2, 3) h
      ON h.key_id = s.key_id AND h.period = s.period AND h.period_start = s.period_start
    WHERE coalesce(s.held, 0) <> coalesce(h.total, 0)
  UNION ALL
  SELECT 'what a capped key spent equals its charges', coalesce(s.key_id, c.key_id), coalesce(c.total, 0) + coalesce(o.total, 0), coalesce(s.spent, 0)
    FROM key_spend s
    FULL JOIN (
      SELECT coalesce(c.key_id, c.account_id) AS key_id, c.period, c.period_start, sum(c.input_cost + c.output_cost) AS total FROM charge c
      LEFT JOIN key_spend k ON k.key_id = coalesce(c.key_id, c.account_id) AND k.period = c.period AND k.period_start = c.period_start
      WHERE c.period IS NOT NULL AND c.seq > coalesce(k.counted_up_to, 0) GROUP BY 1, 2, 3
    ) c ON c.key_id = s.key_id AND c.period = s.period AND c.period_start = s.period_start
    -- The amount that a period was opened with: the charges since its start, up to the opening.
    LEFT JOIN (
      SELECT k.key_id, k.period, k.period_start, sum(c.input_cost + c.output_cost) AS total FROM key_spend k
      JOIN charge c ON c.key_id = k.key_id WHERE k.counted_up_to > 0 AND c.seq <= k.counted_up_to AND c.at >= k.period_start GROUP BY 1, 2, 3
    ) o ON o.key_id = s.key_id AND o.period = s.period AND o.period_start = s.period_start
    WHERE coalesce(c.total, 0) + coalesce(o.total, 0) <> coalesce(s.spent, 0)
$$;
