-- Reserve reports: what is held against what is owed, as it was reckoned.

-- Writes a report down. report = {"state", "reason", "chain", "held", "owed", "customers", "credits", "granted"},
-- holdings = [{"chain", "height", "blockHash", "treasury", "atAddresses", "addresses"}]
CREATE OR REPLACE FUNCTION wallets_add_reserve_report(report json, holdings json, read_at timestamptz) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  new_id bigint;
BEGIN
  INSERT INTO reserve_report (at, state, reason, chain, held, owed, customers, credits, granted)
    SELECT read_at, r.state, r.reason, r.chain, r.held, r.owed, r.customers, r.credits, r.granted
    FROM json_to_record(report) AS r(state text, reason text, chain text, held bigint, owed bigint, customers bigint, credits bigint,
      granted bigint)
    RETURNING id INTO new_id;
  INSERT INTO reserve_holding (report_id, chain, height, block_hash, treasury, at_addresses, addresses)
    SELECT new_id, h.chain, h.height, h."blockHash", h.treasury, h."atAddresses", h.addresses
    FROM json_to_recordset(holdings)
      AS h(chain text, height integer, "blockHash" text, treasury bigint, "atAddresses" bigint, addresses integer);
  -- Two days in full; of what is older one an hour, a deficit before what is covered, and that before what is unknown. Rows are
  -- thinned as they pass the two days: what lies further back was.
  DELETE FROM reserve_report r WHERE r.id IN (
    SELECT ranked.id FROM (
      SELECT o.id, row_number() OVER (
        PARTITION BY date_trunc('hour', o.at, 'UTC')
        ORDER BY CASE o.state WHEN 'deficit' THEN 0 WHEN 'covered' THEN 1 ELSE 2 END, o.at DESC, o.id DESC) AS place
      FROM reserve_report o
      WHERE o.at < date_trunc('hour', read_at - interval '2 days', 'UTC') AND o.at >= date_trunc('hour', read_at - interval '9 days', 'UTC')
    ) AS ranked
    WHERE ranked.place > 1);
  DELETE FROM reserve_report r WHERE r.at < read_at - interval '400 days';
END $$;
