-- Sweeps: USDC on its way from custodial addresses to the treasury.

-- What was at an address when a sweep of it was planned goes with that sweep, though it was found or final only afterwards.
CREATE OR REPLACE FUNCTION wallets_note_swept(on_chain text) RETURNS void LANGUAGE sql AS $$
  UPDATE deposit d SET swept_by = (
      SELECT s.id FROM sweep s
      WHERE s.chain = d.chain AND s.address = d.address AND s.read_block >= d.block AND s.state <> 'failed'
      ORDER BY s.read_block, s.id LIMIT 1)
    WHERE d.chain = on_chain AND d.finalized AND d.swept_by IS NULL AND EXISTS (
      SELECT FROM sweep s WHERE s.chain = d.chain AND s.address = d.address AND s.read_block >= d.block AND s.state <> 'failed')
$$;

-- Plans a sweep of each address that has none under way, and none that was done after its balance was read. Returns how many.
-- sweeps = [{"id", "index", "address", "units"}], their units as of `read_at_block`
CREATE OR REPLACE FUNCTION wallets_plan_sweeps(on_chain text, sweeps json, read_at_block integer, at timestamptz) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
  wanted record;
  planned integer := 0;
BEGIN
  FOR wanted IN SELECT * FROM json_to_recordset(sweeps) AS s(id text, index integer, address text, units bigint) ORDER BY s.address LOOP
    PERFORM pg_advisory_xact_lock(hashtextextended('sweeps of ' || wanted.address, 0));
    -- A statement of its own: it sees what whoever had the lock before has committed.
    CONTINUE WHEN EXISTS (
      SELECT FROM sweep s WHERE s.chain = on_chain AND s.address = wanted.address
        AND (s.state IN ('planned', 'relayed') OR (s.state = 'done' AND s.block > read_at_block)));
    INSERT INTO sweep (id, chain, derivation_index, address, units, read_block, state, try_at, planned_at)
      VALUES (wanted.id, on_chain, wanted.index, wanted.address, wanted.units, read_at_block, 'planned', at, at);
    UPDATE deposit d SET swept_by = wanted.id
      WHERE d.chain = on_chain AND d.address = wanted.address AND d.finalized AND d.swept_by IS NULL AND d.block <= read_at_block;
    planned := planned + 1;
  END LOOP;
  RETURN planned;
END $$;

-- Takes planned sweeps to be signed as `as_relayed_id`, in the transaction that stores their bytes. False, and the transaction has
-- to be given up, when somebody else took one of them.
CREATE OR REPLACE FUNCTION wallets_take_sweeps(sweep_ids text[], attempts integer[], as_relayed_id text) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  taken integer;
BEGIN
  -- In one order, so that two who want the same do not wait for each other.
  PERFORM 1 FROM sweep s WHERE s.id = ANY (sweep_ids) ORDER BY s.id FOR UPDATE;
  UPDATE sweep s SET state = 'relayed', attempt = s.attempt + 1, relayed_id = as_relayed_id, reason = NULL, waits_since = NULL
    FROM unnest(sweep_ids, attempts) AS known(id, attempt)
    WHERE s.id = known.id AND s.state = 'planned' AND s.attempt = known.attempt;
  GET DIAGNOSTICS taken = ROW_COUNT;
  RETURN taken = cardinality(sweep_ids);
END $$;

-- Lets planned sweeps wait: `least_seconds`, and at most as long again as they have waited so far.
CREATE OR REPLACE FUNCTION wallets_delay_sweeps(
  sweep_ids text[], why text, least_seconds double precision, most_seconds double precision, at timestamptz
) RETURNS void LANGUAGE sql AS $$
  UPDATE sweep s SET reason = why, waits_since = coalesce(s.waits_since, at),
      try_at = at + make_interval(secs => least(most_seconds,
        greatest(least_seconds, extract(epoch FROM at - coalesce(s.waits_since, at))::double precision)))
    WHERE s.id = ANY (sweep_ids) AND s.state = 'planned'
$$;

-- The last attempt came to nothing for good: another one is made, at once or, with a reason, later.
CREATE OR REPLACE FUNCTION wallets_retry_sweeps(of_relayed_id text, why text, least_seconds double precision, at timestamptz) RETURNS void LANGUAGE sql AS $$
  UPDATE sweep s SET state = 'planned', reason = why, waits_since = at, try_at = at + make_interval(secs => least_seconds)
    WHERE s.relayed_id = of_relayed_id AND s.state = 'relayed'
$$;

-- Ends sweeps that are done. Returns how many units that was.
CREATE OR REPLACE FUNCTION wallets_end_sweeps(sweep_ids text[], in_block integer, at timestamptz) RETURNS bigint LANGUAGE sql AS $$
  WITH ended AS (
    UPDATE sweep s SET state = 'done', block = in_block, ended_at = at, reason = NULL, waits_since = NULL
      WHERE s.id = ANY (sweep_ids) AND s.state IN ('planned', 'relayed') RETURNING s.units
  )
  SELECT coalesce(sum(e.units), 0)::bigint FROM ended e
$$;

-- Gives a planned sweep up: what is at its address is for another one.
CREATE OR REPLACE FUNCTION wallets_give_up_sweep(sweep_id text, why text, at timestamptz) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  UPDATE sweep s SET state = 'failed', reason = why, ended_at = at, waits_since = NULL WHERE s.id = sweep_id AND s.state = 'planned';
  IF FOUND THEN
    UPDATE deposit d SET swept_by = NULL
      WHERE d.chain = (SELECT s.chain FROM sweep s WHERE s.id = sweep_id) AND d.finalized IN (true, false) AND d.swept_by = sweep_id;
  END IF;
END $$;
