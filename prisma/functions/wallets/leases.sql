-- Leases: one process at a time watches a chain.

-- The lease's fence when it is the holder's now, null when somebody else has it.
CREATE OR REPLACE FUNCTION wallets_take_lease(on_chain text, new_holder text, seconds double precision) RETURNS bigint LANGUAGE sql AS $$
  INSERT INTO watch_lease AS l (chain, holder, fence, until)
    VALUES (on_chain, new_holder, 1, clock_timestamp() + make_interval(secs => seconds))
  ON CONFLICT (chain) DO UPDATE SET holder = excluded.holder, until = excluded.until,
    fence = CASE WHEN l.holder = excluded.holder AND l.until > clock_timestamp() THEN l.fence ELSE l.fence + 1 END
  WHERE l.holder = excluded.holder OR l.until <= clock_timestamp()
  RETURNING l.fence
$$;

-- False when the lease went to somebody else. Renews it, and lets nobody take it before the transaction ends. One that lapsed and
-- that nobody took is still the caller's: else who is slower than a lease lasts would never come to an end.
CREATE OR REPLACE FUNCTION wallets_keep_lease(on_chain text, known_fence bigint, seconds double precision) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  UPDATE watch_lease l SET until = clock_timestamp() + make_interval(secs => seconds)
    WHERE l.chain = on_chain AND l.fence = known_fence;
  RETURN FOUND;
END $$;
